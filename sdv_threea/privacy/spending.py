"""Spending: give each stage its part of the budget, and keep every receipt."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from sdv_threea.accounting import Budget, Ledger, Receipt
from sdv_threea.privacy.mechanism import Noise

Result = TypeVar('Result')

#: A release that lacks its price: takes ``mu``, ``neighbors`` and ``noise`` by name.
Payable = Callable[..., tuple[Result, Receipt | Iterable[Receipt]]]

#: Relative margins for rounding: of each price, so that prices never exceed the remaining budget;
#: and of the budget, far above the error of adding up receipts.
ROUNDING, LEAST_LEFT = 2.0**-40, 2.0**-46


class OverspentError(RuntimeError):
    """A stage spent more than its share; its result must not be used."""


class Spending:
    """The running account of one release: prices for stages, and receipts of their results.

    Formal guarantees:
        * stages are promised shares that compose to the budget, and the last ones get what the
          ledger leaves: prices may depend on earlier releases, as a Gaussian differential privacy
          filter allows (Smith and Thakurta 2022, arXiv 2210.17520; ``docs/lab/proofs.md``, lemma 2)
        * no stage spends its share twice, and no result is kept that takes the ledger beyond
          the budget, or the failures of thresholds beyond their part of ``delta``
        * with ``charged=False`` stages before the last have no noise, and their receipts state that
          they were not charged: the accounting of the 3A paper, no end-to-end guarantee
        * stages are priced for a record. A unit of privacy with up to ``c = rows_per_unit`` records
          moves a sum over records up to ``c`` times as far as one of its records may, so ``mu /
          c``-GDP for a record is ``mu``-GDP for a unit, which receipts state. Thresholds account
          for ``c`` themselves, as their ``delta`` would grow faster
    """

    def __init__(
        self,
        budget: Budget,
        shares: Mapping[str, float],
        noise: Noise,
        *,
        charged: bool = True,
        rows_per_unit: int = 1,
    ) -> None:
        self._budget = budget
        self._mus = budget.split(shares)
        self._noise = noise
        self._charged = charged
        self.rows_per_unit = rows_per_unit
        self._asked: set[str] = set()
        self.ledger = Ledger()

    @property
    def threshold_delta(self) -> float:
        """The part of ``delta`` that covers failures of stability thresholds."""
        return self._budget.threshold_part

    @property
    def distance(self) -> float:
        """The L2 distance between histograms of neighbouring tables, as in :class:`Budget`."""
        return self._budget.distance

    def price(self, stage: str) -> float:
        """Return the price in GDP per record that a stage may pay; 0 without a share."""
        return self._mus.get(stage, 0.0) / self.rows_per_unit if self._charged else math.inf

    def pay(self, release: Payable[Result], *stages: str) -> Result:
        """Release for the shares of stages together, which each stage has once."""
        for stage in stages:
            if stage in self._asked:
                raise OverspentError(f'the stage {stage!r} has had its share of the budget.')
            self._asked.add(stage)
        return self.pay_price(release, math.hypot(*map(self.price, stages)))

    def pay_price(self, release: Payable[Result], mu: float) -> Result:
        """Release at a price in GDP per record, keep the receipts, and return the result."""
        return self._keep(release(mu=mu, neighbors=self._budget.neighbors, noise=self._noise))

    def divide(self, shares: Mapping[str, float]) -> None:
        """Divide the rest of the budget again, by public or released shares of ``mu^2``."""
        if self._asked & set(shares):
            raise OverspentError('a stage that has had its share of the budget gets no other.')
        left = 1.0
        if math.isfinite(self._budget.mu):
            left -= (self.ledger.mu / self._budget.mu) ** 2
        self._mus = self._budget.part(left * (1 - ROUNDING)).split(shares)

    def left(self, promised: Sequence[str] = ()) -> float:
        """Return the GDP per record that is left, less the shares of ``promised`` stages."""
        if math.isinf(self._budget.mu):
            return math.inf
        kept = sum(self._mus[stage] ** 2 for stage in promised)
        whole = self._budget.mu**2 * (1 - LEAST_LEFT)
        left = math.sqrt(max(whole - self.ledger.mu**2 - kept, 0.0))
        return left * (1 - ROUNDING) / self.rows_per_unit

    def _keep(self, released: tuple[Result, Receipt | Iterable[Receipt]]) -> Result:
        """Keep the receipts of a stage and return its result; raise if the budget is exceeded."""
        result, receipts = released
        several = (receipts,) if isinstance(receipts, Receipt) else tuple(receipts)
        charged = self._charged or all(math.isfinite(one.mu) for one in several)
        self.ledger = self.ledger.add(*(self._for_unit(one, charged) for one in several))
        failures = self._budget.threshold_part * (1 + ROUNDING)
        if self.ledger.mu > self._budget.mu or self.ledger.delta > failures:
            raise OverspentError(
                f'the releases cost mu={self.ledger.mu} and delta={self.ledger.delta}, and the '
                f'budget is mu={self._budget.mu} and delta={self._budget.threshold_part}.'
            )
        return result

    def _for_unit(self, receipt: Receipt, charged: bool) -> Receipt:
        times = self.rows_per_unit
        return replace(
            receipt, charged=charged, mu=receipt.mu * times, sensitivity=receipt.sensitivity * times
        )
