"""The budget of a fit, and its split between the stages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdv_threea.accounting.gdp import mu_from_epsilon

#: The relations between neighbouring tables, each with the factor on the squared sensitivity of one
#: record. Replacing a record removes one and adds one; the squared norms of the two contributions
#: add up if their inner product is not negative.
SQUARED_DISTANCE = {'add_remove': 1, 'replace_one': 2}

#: Margin for rounding, so that the shares of a budget never compose to more than the budget.
ROUNDING = 2.0**-50


@dataclass(frozen=True)
class Budget:
    """A budget of ``(epsilon, delta)``-DP, spent as Gaussian DP. Infinite ``epsilon``: no privacy.

    ``threshold_delta`` is the part of ``delta`` for failures of stability thresholds, and ``share``
    the part of ``mu^2`` that may be spent. ``neighbors`` is ``'add_remove'`` or ``'replace_one'``.
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
        """The budget in GDP, without the part of ``delta`` for thresholds."""
        return math.sqrt(self.share) * mu_from_epsilon(
            self.epsilon, self.delta - self.threshold_delta
        )

    @property
    def distance(self) -> float:
        """L2 distance of histograms of neighbouring tables: 1, or √2 if a record is replaced."""
        return math.sqrt(SQUARED_DISTANCE[self.neighbors])

    @property
    def threshold_part(self) -> float:
        """The failure probability of all thresholds that this share pays for."""
        return self.threshold_delta * self.share

    def part(self, share: float) -> Budget:
        """Return a budget with the part ``share`` of ``mu^2`` and of ``threshold_delta``.

        Formal guarantees: parts of releases about the same records compose to at most the budget if
        their shares add up to at most one, and so do the failure probabilities of their thresholds.
        """
        return replace(self, share=self.share * share)

    def split(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Return the price of each stage in GDP; share ``s`` pays ``mu * sqrt(s / sum of shares)``.

        Formal guarantees: the prices compose to the budget, never to more: ``sum mu_i^2 <= mu^2``.
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
