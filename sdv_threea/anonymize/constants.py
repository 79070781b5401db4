"""The constants of the mixture: what was chosen, why, and what moving it did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AnonymizeConstants:
    """The constants of the stage *anonymize*.

    Args:
        least_eigenvalue: Smallest eigenvalue of a component's covariance. No component collapses.
            Set by hand.
        least_share: Components with a smaller share of the largest one of their class get no
            weight. Set by hand.
        doubt: Evidence that a component differs from its class counts beyond this many standard
            deviations of the noise. Set by hand.
        most_unclipped: Squares are scaled up by at most this to undo clipping, as noise rather
            than clipping may have shortened them. Set by hand.
        shrink: Whether components are shrunk toward their class at all. Without, noisy moments are
            taken at their word (the ablation "no shrinkage").
    """

    least_eigenvalue: float = 0.02
    least_share: float = 0.005
    doubt: float = 2.0
    most_unclipped: float = 2.0
    shrink: bool = True
