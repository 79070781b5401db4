"""Constants of the densities, each with its reason and the effect of moving it.

"Flat": no move in ``docs/lab/constants.md`` had a clear effect at both budgets.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdv_threea.maths.evidence import Evidence


@dataclass(frozen=True, kw_only=True)
class ApproximateConstants(Evidence):
    """Constants of the stage *approximate*.

    Args:
        least_bins: Fewest bins of an ordered column in the counts by class. Three beat eight in
            tables that are wide or have few rows. Flat between 2 and 8.
        spike: A spike exceeds this many times the median of neighbouring codes. Set by hand.
        size_doubt: Assumed relative error of class sizes summed over bins, due to clipping. It is
            1% for most classes, 6% for the frauds of creditcard_fraud.
        false_share: Rate of false discoveries among kept categories (Benjamini and Hochberg).
            Smaller values suit hundreds of categories, larger ones a few. Flat between .05 and .5.
        effect_sizes: Prior standard deviations of effects on log odds; counts weigh them.
        smooth_parts: Smooth fraction of the effect variance, and correlation length as a fraction
            of the column. Two or five kinds do as well; lengths of .5 and 2 lost where bins are
            few.
        clip: Squared norms of scores are clipped this many standard deviations above their mean.
            1.5 loses little and greatly reduces noise. A constant factor on the mean hurt narrow
            tables.
        count_weight: Constant entry of a record's vector, as a share of the radius. Larger values
            improve counts and means but worsen products. Set by hand.
        most_unclipped: Largest factor on squares that undoes clipping. Noise rather than clipping
            may have made them small. Set by hand.
        shrink: Whether noisy values are shrunk and smoothed, or used as they are (the ablation "no
            shrinkage").
    """

    least_bins: int = 3
    spike: int = 3
    size_doubt: float = 0.05
    false_share: float = 0.2
    effect_sizes: tuple[float, ...] = (0.05, 0.2, 0.5, 1.0, 2.0)
    smooth_parts: tuple[tuple[float, float], ...] = ((0.0, 1.0), (0.9, 0.2), (0.98, 0.5))
    clip: float = 1.5
    count_weight: float = 0.3
    most_unclipped: float = 2.0
    shrink: bool = True
