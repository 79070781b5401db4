"""The constants of adapting: what was chosen, why, and what moving it did.

"Flat" says that ``benchmarks/constants.py`` moved the constant, and that no change was clear beyond
chance at both budgets (``docs/constants.md``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AdaptConstants:
    """The constants of the stage *adapt*: of evidence, of the labels, of features of the kernel.

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
        landmarks: Landmarks of the kernel's features, unless there are more features. Twice as many
            gained nothing.
        most_features: Features of the kernel, at most, on tables of few rows; more gain where there
            is no noise. Set by hand.
        fewest_most: Features of the kernel, at most, on tables of many rows, for the sake of time.
        features_per_noise: Features for each unit of ``mu n / C``, see
            :func:`~sdv_threea.adapt.labels.num_features`.
        least_features: Fewer features than this say nothing of pairs of columns: the budget is
            better spent on evidence alone. Set by hand.
        unclipped_features: Share of the drawn records whose features are not shortened. Set by
            hand.
        feature_length: Length of the features of a record, in those of its evidence. Noise falls on
            both alike. With 1 in place of 3 features see less where columns only tell together
            (eeg_eye_state at epsilon 1: AUC .745 for .767), and nothing else gains.
        count_weight: The constant beside the features of a record, as a share of their radius, in
            the release of their moments. Set by hand.
        evidence_share: Share of the price of the labels for steps of evidence alone, where there
            are features.
        moment_share: Share of it for the moments of the features.
        feature_steps: Steps of evidence and features together; they share the rest.
        feature_spreads: Standard deviations that the weight of the first feature may have. Of these
            the first slope tells which is likeliest.
        feature_doubt: Features weigh nothing unless the slope is likelier with them by this factor,
            in logarithms. At 0 noise was taken for weights in tables that have none.
    """

    prior_records: float = 10.0
    largest_evidence: float = 4.0
    label_steps: int = 3
    weight_spread: float = 2.0
    most_weight_spread: float = 0.5
    start_weight_spread: float = 1.0
    longest_step: float = 2.0
    smoothing: float = 0.05
    unclipped_slopes: float = 0.9
    least_curvature: float = 0.02
    log_odds_spread: float = 6.0
    most_stretch: float = 5.0
    landmarks: int = 128
    most_features: int = 256
    fewest_most: int = 128
    features_per_noise: float = 0.25
    least_features: int = 8
    unclipped_features: float = 0.9
    feature_length: float = 3.0
    count_weight: float = 0.3
    evidence_share: float = 0.2
    moment_share: float = 0.33
    feature_steps: int = 3
    feature_spreads: tuple[float, ...] = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
    feature_doubt: float = 2.0
