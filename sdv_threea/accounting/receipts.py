"""Receipts state the cost of each release; a ledger adds up the receipts of a fit."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from sdv_threea.accounting.gdp import delta_from_mu, epsilon_from_mu

#: Relative margin for rounding, which differs between machines.
ROUNDING = 2.0**-20


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Public facts about one release: what it disclosed and what it cost.

    ``sensitivity`` and ``noise_scale`` are in released units, ``mu`` is the price in GDP, and
    ``delta`` the failure probability of a threshold. Only ``guarantee='paper'`` leaves releases
    uncharged. ``statistic`` names the entry in the registry of statistics; files of version 0.1.0
    have none.
    """

    stage: str
    released: str
    sensitivity: float
    noise_scale: float
    mu: float
    delta: float = 0.0
    charged: bool = True
    statistic: str = field(default='', repr=False)

    def __post_init__(self) -> None:
        if not self.mu >= 0:
            raise ValueError(f'mu must be at least 0, got {self.mu}.')
        if not 0 <= self.delta < 1:
            raise ValueError(f'delta must be in [0, 1), got {self.delta}.')

    @property
    def is_paid(self) -> bool:
        """Whether ``mu`` is at least ``sensitivity / noise_scale``, up to rounding."""
        paid = self.mu * self.noise_scale >= self.sensitivity * (1 - ROUNDING)
        return math.isinf(self.mu) or paid

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True)
class Ledger:
    """The receipts of a fit, in order. Uncharged receipts are listed and cost nothing.

    >>> from sdv_threea.accounting import Ledger, Receipt
    >>> count = Receipt(stage='a', released='a count', sensitivity=1, noise_scale=5, mu=0.2)
    >>> total = Receipt(stage='b', released='a sum', sensitivity=3, noise_scale=20, mu=0.15)
    >>> Ledger().add(count, total).mu
    0.25
    """

    receipts: tuple[Receipt, ...] = ()

    @property
    def mu(self) -> float:
        """The price of all charged releases together, in GDP.

        Formal guarantees: GDP composes as ``sqrt(sum mu_i^2)``, also where releases and their
        prices depend on earlier releases (``docs/lab/proofs.md``, lemma 2).
        """
        return math.hypot(*(receipt.mu for receipt in self.receipts if receipt.charged))

    @property
    def delta(self) -> float:
        """The sum of the failure probabilities of all charged releases.

        Formal guarantees: thresholds with failure probabilities ``delta_i``, in releases that
        depend on each other, fail with at most ``sum delta_i`` together (``docs/lab/proofs.md``,
        theorem 3).
        """
        return math.fsum(receipt.delta for receipt in self.receipts if receipt.charged)

    def epsilon(self, delta: float) -> float:
        """Return the ``epsilon`` of all charged releases; infinite if failures exceed ``delta``.

        Formal guarantees: the charged releases are ``(epsilon, delta)``-DP. Except for failures of
        probability ``self.delta`` they are GDP, which gives ``epsilon`` at ``delta - self.delta``.
        """
        left = delta - self.delta
        if left >= 1:
            return 0.0
        return epsilon_from_mu(self.mu, left) if left > 0 or self.mu == 0 <= left else math.inf

    def keeps(self, epsilon: float, delta: float) -> bool:
        """Return whether charged releases cover their noise and keep ``(epsilon, delta)``-DP."""
        charged = [receipt for receipt in self.receipts if receipt.charged]
        spent = delta_from_mu(self.mu, epsilon) + self.delta
        return spent <= delta * (1 + ROUNDING) and all(each.is_paid for each in charged)

    def add(self, *receipts: Receipt) -> Ledger:
        """Return a ledger with more receipts at its end; this one does not change."""
        return Ledger(self.receipts + receipts)

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(self.receipts + other.receipts)

    def to_dict(self) -> dict[str, Any]:
        """Return the totals and the receipts as plain values."""
        receipts = [receipt.to_dict() for receipt in self.receipts]
        return {'mu': self.mu, 'delta': self.delta, 'receipts': receipts}
