"""The budget: what a fit may cost in all, and how the stages share it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdv_threea.accounting.gdp import mu_from_epsilon

#: The relations between neighbouring tables, and by how much the squared distance of their sums is
#: larger than for one record. Replacing a record is a removal and an addition; the squares of two
#: contributions add up if their inner product is not negative.
SQUARED_DISTANCE = {'add_remove': 1, 'replace_one': 2}

#: Margin for rounding: the shares of a budget never compose to more than the budget.
ROUNDING = 2.0**-50


@dataclass(frozen=True)
class Budget:
    """What may be spent: ``(epsilon, delta)``-differential privacy, as Gaussian DP.

    Args:
        epsilon: More than 0; ``math.inf`` for no privacy.
        delta: In (0, 1); choose it well below one over the number of records.
        threshold_delta: The part of ``delta`` that stability thresholds may fail with.
        neighbors: ``'add_remove'`` or ``'replace_one'``: how neighbouring tables differ.
        share: The part of ``mu^2`` that may be spent, above 0 and at most 1.

    Raises:
        ValueError: If a field is out of range.
    """

    epsilon: float
    delta: float
    threshold_delta: float = 0.0
    neighbors: str = 'add_remove'
    share: float = 1.0

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ValueError(f'epsilon must be above 0 (or math.inf), got {self.epsilon}.')
        if not 0 < self.delta < 1:
            raise ValueError(f'delta must be between 0 and 1 (for example 1e-6), got {self.delta}.')
        if not 0 <= self.threshold_delta < self.delta:
            raise ValueError(
                f'threshold_delta must be at least 0 and below delta={self.delta}, '
                f'got {self.threshold_delta}.'
            )
        if not isinstance(self.neighbors, str) or self.neighbors not in SQUARED_DISTANCE:
            raise ValueError(
                f'neighbors must be one of {sorted(SQUARED_DISTANCE)}, got {self.neighbors!r}.'
            )
        if not 0 < self.share <= 1:
            raise ValueError(f'share must be above 0 and at most 1, got {self.share}.')

    @property
    def mu(self) -> float:
        """The budget in Gaussian DP, once the thresholds have their part of ``delta``."""
        return math.sqrt(self.share) * mu_from_epsilon(
            self.epsilon, self.delta - self.threshold_delta
        )

    @property
    def threshold_part(self) -> float:
        """The probability that the thresholds paid by this share may fail with."""
        return self.threshold_delta * self.share

    def part(self, share: float) -> Budget:
        """Return a part of the budget, for one of several releases about the same records.

        Formal guarantees:
            * parts whose shares add up to at most one compose to at most the budget, and so do the
              failure probabilities of their thresholds

        Args:
            share: The part of ``mu^2`` and of ``threshold_delta``, above 0 and at most 1.

        Returns:
            The part.
        """
        return replace(self, share=self.share * share)

    def split(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Return the price of each stage: with share ``s`` it is ``mu * sqrt(s / sum of shares)``.

        Formal guarantees:
            * the parts compose to the budget, and never to more: ``sum mu_i^2 <= mu^2``

        Args:
            shares: Relative share of ``mu^2`` by stage, at least 0; a stage with share 0 gets 0.

        Returns:
            The price each stage may pay, in GDP.

        Raises:
            ValueError: If a share is negative or not finite, or none is above 0.
        """
        total = math.fsum(shares.values())
        if not all(0 <= share < math.inf for share in shares.values()) or not total > 0:
            raise ValueError(
                f'shares must be finite, at least 0 and not all 0, got {dict(shares)}.'
            )
        mu = self.mu * (1 - ROUNDING)
        return {
            stage: mu * math.sqrt(share / total) if share else 0.0
            for stage, share in shares.items()
        }
