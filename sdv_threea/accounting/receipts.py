"""Receipts: every release says what it cost, and the ledger adds the prices up."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from sdv_threea.accounting.gdp import delta_from_mu, epsilon_from_mu

#: Relative margin for the rounding of what machines compute of the same receipts.
ROUNDING = 2.0**-20


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What one release disclosed and what it cost. It holds public facts only.

    Args:
        stage: The stage that asked for the release.
        released: What was released, in words.
        sensitivity: L2 distance by which a neighbouring table can move the exact values, in the
            units of the released values.
        noise_scale: Standard deviation of the noise, in the same units; 0 without privacy.
        mu: The price, in Gaussian differential privacy; infinite without noise.
        delta: Probability of failure on top of it (of a stability threshold).
        charged: Whether the price counts. Only ``guarantee='paper'`` leaves releases uncharged.

    Raises:
        ValueError: If ``mu`` is negative or ``delta`` is outside [0, 1).
    """

    stage: str
    released: str
    sensitivity: float
    noise_scale: float
    mu: float
    delta: float = 0.0
    charged: bool = True

    def __post_init__(self) -> None:
        if not self.mu >= 0:
            raise ValueError(f'mu must be at least 0, got {self.mu}.')
        if not 0 <= self.delta < 1:
            raise ValueError(f'delta must be in [0, 1), got {self.delta}.')

    @property
    def is_paid(self) -> bool:
        """Whether the price is that of the noise: ``sensitivity / noise_scale`` or more."""
        paid = self.mu * self.noise_scale >= self.sensitivity * (1 - ROUNDING)
        return math.isinf(self.mu) or paid

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True)
class Ledger:
    """The receipts of a whole fit, in order.

    Args:
        receipts: The receipts; those that are not charged are kept and shown, but cost nothing.

    Examples:
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

        Formal guarantees:
            * GDP composes as ``sqrt(sum mu_i^2)``, also where releases and their prices depend on
              the ones before (``docs/proofs.md``, lemma 2)
        """
        return math.hypot(*(receipt.mu for receipt in self.receipts if receipt.charged))

    @property
    def delta(self) -> float:
        """The probabilities of failure of all charged releases, added up.

        Formal guarantees:
            * thresholds that fail with probability ``delta_i`` each, in releases that depend on
              each other, fail with at most ``sum delta_i`` together (``docs/proofs.md``, theorem 3)
        """
        return math.fsum(receipt.delta for receipt in self.receipts if receipt.charged)

    def epsilon(self, delta: float) -> float:
        """Compute what all charged releases together promise.

        Formal guarantees:
            * they are ``(epsilon, delta)``-DP: GDP but for failures of probability ``self.delta``
              is so at the ``delta`` that those leave

        Args:
            delta: At least 0.

        Returns:
            ``epsilon``, at least 0; infinite if failures alone exceed ``delta``, 0 if that is 1.
        """
        left = delta - self.delta
        if left >= 1:
            return 0.0
        return epsilon_from_mu(self.mu, left) if left > 0 or self.mu == 0 <= left else math.inf

    def keeps(self, epsilon: float, delta: float) -> bool:
        """Return whether the charged releases keep a promise, as far as receipts can tell.

        Args:
            epsilon: The promise, with ``delta``; at least 0.
            delta: In (0, 1).

        Returns:
            True if all of them together are ``(epsilon, delta)``-DP, but for rounding, and the
            price of each is that of its noise.
        """
        charged = [receipt for receipt in self.receipts if receipt.charged]
        spent = delta_from_mu(self.mu, epsilon) + self.delta
        return spent <= delta * (1 + ROUNDING) and all(each.is_paid for each in charged)

    def add(self, *receipts: Receipt) -> Ledger:
        """Return a ledger with these receipts at its end; this one stays as it is."""
        return Ledger(self.receipts + receipts)

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(self.receipts + other.receipts)

    def to_dict(self) -> dict[str, Any]:
        """Return the totals and the receipts as plain values."""
        receipts = [receipt.to_dict() for receipt in self.receipts]
        return {'mu': self.mu, 'delta': self.delta, 'receipts': receipts}
