"""Constants of the mixture, each with its reason and the effect of moving it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AnonymizeConstants:
    """Constants of the stage *anonymize*.

    Args:
        least_eigenvalue: Smallest eigenvalue of a component's covariance, so that no component
            collapses. Set by hand.
        least_share: A component gets no weight if its share is below this fraction of the largest
            share in its class. Set by hand.
        doubt: Evidence that a component differs from its class counts only beyond this many
            standard deviations of the noise. Set by hand.
        most_unclipped: Largest factor on squares that undoes clipping. Noise rather than clipping
            may have made them small. Set by hand.
        shrink: Whether components are shrunk toward their class. Without shrinkage noisy moments
            are used as they are (the ablation "no shrinkage").
    """

    least_eigenvalue: float = 0.02
    least_share: float = 0.005
    doubt: float = 2.0
    most_unclipped: float = 2.0
    shrink: bool = True
