"""The constants of adapting: what was chosen, why, and what moving it did.

"Flat" says that ``benchmarks/constants.py`` moved the constant, and that no change was clear beyond
chance at both budgets (``docs/constants.md``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AdaptConstants:
    """The constants of the stage *adapt*: of evidence, of the labels, of the support points.

    Args:
        prior_records: The histogram of a class counts beside this many records that are distributed
            as all classes together, so that few records are weak evidence. Flat between 1 and 100.
        largest_evidence: Weights of evidence are kept within this, either way, so that no single
            code decides a label. Flat between 2 and 8.
        label_steps: Steps of Fisher scoring on the private rows; they share the price. One in place
            of three costs .005 of AUC at epsilon 8. Five are no better.
        weight_spread: How far all weights of a class are expected to lie from where they start: the
            standard deviation of each is this over the root of their number. Tables of many columns
            gained when it was made to fall with their number. Flat between 1 and 4.
        most_weight_spread: That standard deviation is no more than this. Flat between .25 and 1.
        start_weight_spread: The standard deviation of weights around zero, where they are fitted
            to draws. Flat between .3 and 3; ten times as much lost.
        longest_step: No step changes log odds by more than this, in the root mean square. Far from
            where curvature was measured a longer one would overshoot. Set by hand.
        smoothing: Share of a drawn label that counts for the other classes. Evidence that is
            certain in the draws is not so in the private rows. Flat between .01 and .2.
        unclipped_slopes: Share of the drawn records of each class whose slopes are not clipped.
            Shorter slopes need less noise, but rare classes have the longest. Flat between .75
            and .97; the median is better still at epsilon 1, and rare classes suffer.
        least_curvature: The least curvature of a record, as a share of what it is before any
            evidence. Steps would be too long where the draws are too sure. Flat between .005 and
            .08.
        log_odds_spread: The standard deviation that log odds are stretched to, where nothing but
            the loss counts: ``alpha`` takes its share off. At an ``alpha`` of one half it gives 3;
            spreads of 2, 3 and 4 did not differ on five tables, 1 was worse.
        most_stretch: Log odds are stretched by no more than this factor: what hardly follows from
            anything stays open. Set by hand.
        landmarks: Landmarks of the kernel's features, at most. Set by hand.
        rank: Features of the kernel, at most: the noise of the release grows with them. Set by
            hand.
        unclipped_features: Share of the landmarks whose features are not clipped. Set by hand.
        ridge: Regularisation of the kernel ridge regression, per support point. Set by hand.
        point_steps: Steps by which support points move. Set by hand.
        learning_rate: Length of such a step, in normal scores. Set by hand.
    """

    prior_records: float = 10.0
    largest_evidence: float = 4.0
    label_steps: int = 3
    weight_spread: float = 2.0
    most_weight_spread: float = 0.5
    start_weight_spread: float = 1.0
    longest_step: float = 1.0
    smoothing: float = 0.05
    unclipped_slopes: float = 0.9
    least_curvature: float = 0.02
    log_odds_spread: float = 6.0
    most_stretch: float = 5.0
    landmarks: int = 128
    rank: int = 32
    unclipped_features: float = 0.9
    ridge: float = 1e-3
    point_steps: int = 200
    learning_rate: float = 0.02
