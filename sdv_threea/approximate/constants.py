"""The constants of the densities: what was chosen, why, and what moving it did.

"Flat" says that ``benchmarks/constants.py`` moved the constant, and that no change was clear beyond
chance at both budgets (``docs/constants.md``).
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
        least_entropy: Added to the entropy of a column, in nats, which is its squared weight. A
            constant column still counts. Flat between .03 and .3.
        most_entropy: Entropies above this weigh no more. Set by hand.
        end_share: Share of a count's noise that the first and last value of a range have at least.
            Samples would not span the range otherwise. Set by hand.
        shortfall_doubt: Counts must fall short of the records by this many standard deviations to
            say that some records have no code. Set by hand.
        false_share: Share of false discoveries among the categories that are kept (Benjamini and
            Hochberg). Smaller is better in columns of hundreds of categories, larger in those of a
            few. Flat between .05 and .5.
        likely_departure: Likely variance of the relative departures of a class where the noise of
            the mechanism hides them. Flat between .1 and 3.
        likely_sampled_departure: The same where only sampling hides them, in the finer bins that
            little noise allows. Flat between .02 and .3.
        departure_spread: How sure these two are: the standard deviation of the variance around
            its likely value. At .5, few noisy counts overrule it, which cost .002 to .004 of AUC.
        departure_doubt: Evidence that a class departs counts beyond this many standard deviations
            of the noise. .7 gained over 1.5 in most tables; 0 is no worse.
        certain_departure: A single departure beyond this many standard deviations stays, even
            where all others say that classes are alike. Columns with spikes that decide the class
            need it. Flat between 2 and 3.5.
        least_left: Share of the expected records, or of their noise if that is less, that a class
            keeps in every bin. A classifier takes an empty bin for certain evidence. Flat between
            0 and .5.
        raking_rounds: Rounds in which classes are made to add up to the whole. Flat between 0 and
            6.
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
    end_share: float = 0.1
    shortfall_doubt: float = 3.0
    false_share: float = 0.2
    likely_departure: float = 1.0
    likely_sampled_departure: float = 0.08
    departure_spread: float = 0.06
    departure_doubt: float = 0.7
    certain_departure: float = 2.5
    least_left: float = 0.2
    raking_rounds: int = 3
    correlation_doubt: float = 2.0
    clip: float = 1.5
    count_weight: float = 0.3
    most_unclipped: float = 2.0
    shrink: bool = True
