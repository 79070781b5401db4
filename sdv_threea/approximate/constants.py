"""The constants of the densities: what was chosen, why, and what moving it did.

"Flat" says that ``benchmarks/constants.py`` moved the constant, and that no change was clear beyond
chance at both budgets (``docs/lab/constants.md``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ApproximateConstants:
    """The constants of the stage *approximate*.

    Args:
        least_bins: Least number of bins of an ordered column that classes are counted in. Noise
            adds up over bins: three gained over eight in tables that are wide or have few rows.
            Flat between 2 and 8.
        most_bins: The most such bins. Between the two, their number grows as the root of the
            records per noise, which beat fixed numbers and the power 2/3. Flat between 32 and 128.
        spike: A code is a spike if it is heavier than this many times the median of the codes
            around it. Set by hand.
        spike_reach: How far "around" goes on either side, in codes. Set by hand.
        spike_noise: A spike is also heavier than this many times the noise of a count by class.
            Set by hand.
        least_entropy: Added to the entropy of a column, in nats, which is its mean squared weight.
            A constant column still counts. Flat between .03 and .3.
        most_entropy: Entropies above this weigh no more. Set by hand.
        weight_power: What a record adds to the count of a bin in its class is in proportion to the
            share of the bin to minus this power. Flat between .15 and .35; 0 costs .005 of AUC on
            Adult at epsilon 1.
        weight_clip: Squared norms of what a record adds to all counts are clipped this many
            standard deviations above their mean. Flat between .5 and 3.
        size_doubt: What counts in bins say of the size of a class is believed up to this share of
            the size, as records of one class may be shortened more. They are off by 1 % of most
            classes, and by 6 % of the frauds of creditcard_fraud.
        end_share: Share of a count's noise that the first and last value of a range have at least.
            Samples would not span the range otherwise. Set by hand.
        shortfall_doubt: Counts must fall short of the records by this many standard deviations to
            say that some records have no code. Set by hand.
        false_share: Share of false discoveries among the categories that are kept (Benjamini and
            Hochberg). Smaller is better in columns of hundreds of categories, larger in those of a
            few. Flat between .05 and .5.
        effect_sizes: Standard deviations that the effects of a column on the log odds of a class
            may have. Counts tell which are likely.
        effect_weights: How likely each of them is before anything is seen. Small ones were once
            the likelier: then what each of sixty columns tells of a class is lost in its noise (AUC
            .84 for .87).
        smooth_parts: The part of the variance of effects that is smooth along an ordered column,
            and the part of the column over which its correlation falls by ``e``. Counts tell which
            are likely. Two or five kinds do as well; lengths of half a column and of two did worse
            where columns have few bins.
        prior_curves: What is known before anything is seen counts as much as this many curves of a
            class along a column. Flat between 1 and 5.
        correlation_doubt: Evidence for correlations counts beyond this many standard deviations
            of the noise. Set by hand.
        clip: Squared norms of scores are clipped this many standard deviations above their mean.
            1.5 loses little, and correlations get much less noise. A constant factor on the mean
            hurt tables of few columns.
        count_weight: The constant in a record's vector of scores, as a share of the radius. The
            larger it is, the better are counts and means, and the worse are products. Set by hand.
        most_unclipped: Squares are scaled up by at most this to undo clipping, as noise rather
            than clipping may have shortened them. Set by hand.
        shrink: Whether noisy values are shrunk and smoothed at all. Without, they are taken at
            their word (the ablation "no shrinkage").
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
