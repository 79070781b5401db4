"""Constants of adapting; "Flat" means without a clear effect (``docs/lab/constants.md``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AdaptConstants:
    """Constants of the stage *adapt*.

    Args:
        largest_evidence: Bound of evidence, so that no code decides alone. Flat between 2 and 8.
        label_steps: Steps of Fisher scoring, which share the price. One costs .005 of AUC at
            epsilon 8; five are no better than three.
        weight_spread: Prior standard deviation of weights around their start, times the root of
            their number. Tables of many columns gained by the root. Flat between 1 and 4.
        most_weight_spread: Upper limit of that standard deviation. Flat between .25 and 1.
        start_weight_spread: Prior deviation of weights at the start. Flat from .3 to 3; 10 lost.
        start_trust: Factor on covariances inside a class for draws of one Gaussian per class. With
            1, labels of isolet have an AUC of .87 at epsilon 8 in place of .886.
        longest_step: Limit on the change of log odds in one step (root mean square): the curvature
            holds only near the current weights. Set by hand.
        smoothing: Part of a label given to other classes: draws are too sure. Flat from .01 to .2.
        unclipped_slopes: Share of each class's draws with unclipped slopes. Shorter slopes need
            less noise but clip rare classes. Flat between .75 and .97; .5 gains at epsilon 1, but
            not in rare classes.
        least_curvature: Least curvature of a record, relative to that without evidence.
            Overconfident draws make steps too long. Flat between .005 and .08.
        log_odds_spread: Standard deviation of log odds wanted by the loss
            (:mod:`~sdv_threea.adapt`), over classes; for two classes, half of the deviation
            between them.
        most_stretch: Largest factor on log odds: targets hard to predict stay open. Set by hand.
        landmarks: Landmarks, unless there are more features. Twice as many gained nothing.
        most_features: Most features on small tables. 256 cost labels .013 of AUC on eeg_eye_state
            at epsilon 8, and nothing clear elsewhere.
        fewest_most: Most features on large tables, to save time.
        much_known: Above this ``mu n`` or ``mu n / C`` the limit of entries grows with its cube
            root. Set by hand: 25,000 rows (numbers) or 50,000 (two classes) reach it at epsilon 8.
        most_patience: Largest factor on entries; its cube root applies to features. Without noise,
            8 takes nine times the time of epsilon 1 on adult (4 takes 4.2 times, 3 twice) for no
            gain; models of eeg_eye_state gain .009 of AUC compared with 2, of three and two fits
            whose AUC varies by .013.
        label_features: Features of labels per ``(mu n / C)^(2/3)``, see
            :func:`~sdv_threea.adapt.features.num_features`. Labels at epsilon 1 have an AUC of .75,
            .765, .77, .71 with 56, 118, 256, 512 features on eeg_eye_state (default 235), of .893,
            .8987, .901, .900, .888 with 14, 29, 58, 128, 512 on walking_activity (58).
        least_features: Fewer features than this are not worth their budget. Set by hand.
        unclipped_features: Share of draws with unclipped features; a few are very long. .9 costs
            labels .005 of AUC on eeg_eye_state, .004 on walking_activity at epsilon 8 (.002 at 1);
            .98 costs two thirds of the gain for numbers at 1; .3 gains .005 on eeg_eye_state at 8.
        feature_length: Norm of features relative to evidence, which share the noise. 1 costs .022
            of AUC on eeg_eye_state at epsilon 1 (.745 for .767) and gains nothing.
        least_promise: Features are dropped below this expected information on their weights, in
            nats. At epsilon 1 it is .2 on creditcard_fraud (models gain .009 without), .8 on
            isolet, 1.5 on german_credit, 6 on telco_churn, 10 to 280 elsewhere.
        count_weight: Constant beside features in moments, relative to the radius. Set by hand.
        evidence_share: Price share of steps of evidence alone, if there are features.
        moment_share: Price share of the moments of features. .33, with .2 for evidence, costs .01
            to .02 of AUC on eeg_eye_state at epsilon 1 and .001 to .003 elsewhere.
        feature_steps: Steps with features, which share the rest. Two cost labels .012 of AUC on
            eeg_eye_state at epsilon 8, .005 on default_credit and .009 on telco_churn at 1. Four to
            eight gain labels, but not models, .001 to .005 on three tables at 8; four cost .017 on
            telco_churn at 1.
        feature_spreads: Candidate prior standard deviations of feature weights.
        feature_doubt: Least log likelihood gain of features. 1 costs models .001 on several tables
            at epsilon 8; 0 fits noise (diabetes130_died at 1: labels have an AUC of .874 for .88).
        number_draws: Draws that train the trees.
        trees: Number of trees. Set by hand, as all that follows on trees.
        tree_rate: Learning rate.
        tree_leaves: Most leaves of a tree.
        tree_depth: Most comparisons before a leaf.
        leaf_draws: Fewest draws in a leaf.
        single_bins: Bins of an ordered column in terms of one. 8 cost models .02 of R2 on
            bike_sharing at epsilon 1 (.63 for .65); 24 gain nothing.
        pair_bins: Bins of an ordered column in terms of two. 6 cost models .04 of R2 on
            bike_sharing at epsilon 8 (.80 for .84); 4 cost more.
        largest_residual: Limit of residuals, in standard deviations. 1.3 and 2.5 are no better.
        least_records: Records per unit of noise that terms of columns need. Set by hand.
        pair_records: The same for pairs, which gain .08 of R2 on bike_sharing at epsilon 1 and .1
            at 8. 300 excluded them at 1.
        single_share: Price share of the first release of columns, if pairs follow; else half.
        pair_share: Price share of the release of all pairs.
        term_spreads: Candidate prior standard deviations of bin weights, relative to residuals.
        term_doubt: Least log likelihood gain of terms. Set by hand.
        pair_doubt: The same for each pair. Set by hand.
        single_reach: Correlation length of bin weights, relative to the column. Independent weights
            cost .015 of R2 on bike_sharing at epsilon 1.
        pair_reach: The same for each column of a pair. Set by hand.
        most_weights: Most weights of a fit: it bounds the time. Set by hand.
        number_stretch: Factor on predictions wanted by the loss (:mod:`~sdv_threea.adapt`).
            Larger values leave smaller residuals.
        least_left: Least standard deviation of residuals, relative to the number's. .3, more than
            the true residuals, costs .013 of R2 on bike_sharing; .15 gains nothing.
        number_jitter: Normal part of the residual, in standard deviations, which gives conditions
            on the number a smooth likelihood. Set by hand.
        least_deviation: Least standard deviation assumed of residuals. Set by hand.
        ridge_worth: Terms are released again, instead of features, if they promise this reduction
            of the residual variance; features gain .01 to .1. At epsilon 1 terms promise .025 to .1
            on bike_sharing, where features cost .04 of R2, and .01 to .025 on protein_casp, where
            they gain .03. With .05 bike_sharing loses .014.
        ridge_steps: Steps of the ridge regression. R2 of 1, 2, 3, 4 steps: protein_casp .332, .372,
            .365, .36 at epsilon 1, .443, .463, .463, .463 at 8; california_housing .7195, .716,
            .726, .723 and .784, .782, .788, .782.
        ridge_moment_share: Share of the moments in the price of the ridge regression. .3 costs .003
            to .008 of R2 at epsilon 8 (one step).
        ridge_spreads: Candidate prior standard deviations of weights, relative to residuals.
        ridge_features: Features of numbers per ``(mu n)^(2/3)``. At epsilon 1 protein_casp has 184
            and california_housing 105; a third cost .006 to .014 of R2, twice as many .015 on the
            former. At 8 they have 512 and 357; 187 cost .013 of R2 on the former (one step).
    """

    largest_evidence: float = 5.0
    label_steps: int = 3
    weight_spread: float = 2.0
    most_weight_spread: float = 0.5
    start_weight_spread: float = 1.0
    start_trust: float = 0.5
    longest_step: float = 2.0
    smoothing: float = 0.05
    unclipped_slopes: float = 0.9
    least_curvature: float = 0.02
    log_odds_spread: float = 5.0
    most_stretch: float = 9.0
    landmarks: int = 128
    most_features: int = 512
    fewest_most: int = 128
    much_known: float = 2e4
    most_patience: float = 3.0
    label_features: float = 3.9
    least_features: int = 8
    unclipped_features: float = 0.5
    feature_length: float = 3.0
    least_promise: float = 0.5
    count_weight: float = 0.3
    evidence_share: float = 0.1
    moment_share: float = 0.1
    feature_steps: int = 3
    feature_spreads: tuple[float, ...] = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
    feature_doubt: float = 0.5
    number_draws: int = 20_000
    trees: int = 80
    tree_rate: float = 0.1
    tree_leaves: int = 15
    tree_depth: int = 6
    leaf_draws: int = 40
    single_bins: int = 16
    pair_bins: int = 8
    largest_residual: float = 2.0
    least_records: float = 100.0
    pair_records: float = 80.0
    single_share: float = 0.35
    pair_share: float = 0.4
    term_spreads: tuple[float, ...] = (0.03, 0.06, 0.12, 0.25, 0.5)
    term_doubt: float = 2.0
    pair_doubt: float = 3.0
    single_reach: float = 0.2
    pair_reach: float = 0.25
    most_weights: int = 900
    number_stretch: float = 1.24
    least_left: float = 0.2
    number_jitter: float = 0.5
    least_deviation: float = 0.01
    ridge_worth: float = 0.025
    ridge_steps: int = 3
    ridge_moment_share: float = 0.15
    ridge_spreads: tuple[float, ...] = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
    ridge_features: float = 0.8
