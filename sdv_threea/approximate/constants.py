"""Constants of the densities, each with its reason and the effect of moving it.

"Flat": no move in ``docs/lab/constants.md`` had a clear effect at both budgets.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ApproximateConstants:
    """Constants of the stage *approximate*.

    Args:
        least_bins: Fewest bins of an ordered column in the counts by class. Three beat eight in
            tables that are wide or have few rows. Flat between 2 and 8.
        most_bins: Largest number of such bins. The number grows as the root of the records per
            noise, which beat fixed numbers and the power 2/3. Flat between 32 and 128.
        spike: A spike exceeds this many times the median of neighbouring codes. Set by hand.
        spike_reach: Neighbouring codes on either side that count for a spike. Set by hand.
        spike_noise: A spike also exceeds this many times the noise of a class count. Set by hand.
        least_entropy: Added to a column's entropy, in nats, which is its mean squared weight. A
            constant column would otherwise have almost no weight. Flat between .03 and .3.
        most_entropy: Entropies are capped at this value. Set by hand.
        weight_power: A bin's weight is its share to minus this power. Flat between .15 and .35; 0
            costs .005 of AUC on Adult at epsilon 1.
        weight_clip: Squared norms of weights are clipped this many standard deviations above their
            mean. Flat between .5 and 3.
        size_doubt: Assumed relative error of class sizes summed over bins, due to clipping. It is
            1% for most classes, 6% for the frauds of creditcard_fraud.
        end_share: Least share of the first and last value of a range, in units of a count's noise.
            Samples would not span the range otherwise. Set by hand.
        shortfall_doubt: Some records have no code if counts fall short of the records by this many
            standard deviations. Set by hand.
        false_share: Rate of false discoveries among kept categories (Benjamini and Hochberg).
            Smaller values suit hundreds of categories, larger ones a few. Flat between .05 and .5.
        effect_sizes: Prior standard deviations of effects on log odds; counts weigh them.
        effect_weights: Prior weights of ``effect_sizes``. Larger weights of small effects lost the
            effects of sixty columns in noise (AUC .84 for .87).
        smooth_parts: Smooth fraction of the effect variance, and correlation length as a fraction
            of the column. Two or five kinds do as well; lengths of .5 and 2 lost where bins are
            few.
        prior_curves: Weight of the prior, as a number of curves. Flat between 1 and 5.
        correlation_doubt: Evidence for correlations counts only beyond this many standard
            deviations of the noise. Set by hand.
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
    most_bins: int = 64
    spike: float = 3.0
    spike_reach: int = 3
    spike_noise: float = 2.0
    least_entropy: float = 0.1
    most_entropy: float = 1.0
    weight_power: float = 0.25
    weight_clip: float = 1.5
    size_doubt: float = 0.05
    end_share: float = 0.1
    shortfall_doubt: float = 3.0
    false_share: float = 0.2
    effect_sizes: tuple[float, ...] = (0.05, 0.2, 0.5, 1.0, 2.0)
    effect_weights: tuple[float, ...] = (0.05, 0.1, 0.25, 0.4, 0.2)
    smooth_parts: tuple[tuple[float, float], ...] = ((0.0, 1.0), (0.9, 0.2), (0.98, 0.5))
    prior_curves: float = 5.0
    correlation_doubt: float = 2.0
    clip: float = 1.5
    count_weight: float = 0.3
    most_unclipped: float = 2.0
    shrink: bool = True
