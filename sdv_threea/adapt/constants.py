"""Constants of adapting; "Flat" means without a clear effect (``docs/lab/constants.md``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AdaptConstants:
    """Constants of the stage *adapt*.

    Args:
        largest_evidence: Bound of evidence, so that no code decides alone. Flat between 2 and 8.
        label_steps: Steps of labels with evidence. One costs .005 of AUC at epsilon 8; five are no
            better than three.
        weight_spread: Prior standard deviation of weights of evidence around their start, times the
            root of their number. Tables of many columns gained by the root. Flat between 1 and 4.
        start_weight_spread: Prior deviation of weights at the start. Flat from .3 to 3; 10 lost.
        start_trust: Factor on covariances inside a class for draws of one Gaussian per class. With
            1, labels of isolet have an AUC of .87 at epsilon 8 in place of .886.
        smoothing: Part of a label given to other classes: draws are too sure. Flat from .01 to .2.
        unclipped_slopes: Share of each class's draws with unclipped slopes. Shorter slopes need
            less noise but clip rare classes. Flat between .75 and .97; .5 gains at epsilon 1, but
            not in rare classes.
        least_curvature: Least curvature of a record, relative to that without evidence.
            Overconfident draws make steps too long. Flat between .005 and .08.
        log_odds_spread: Standard deviation of log odds wanted by the loss
            (:mod:`~sdv_threea.adapt`), over classes; for two classes, half of the deviation
            between them.
        most_stretch: Largest factor on log odds: targets hard to predict stay open.
        most_features: Most features on small tables. 256 cost labels .013 of AUC on eeg_eye_state
            at epsilon 8, and nothing clear elsewhere.
        label_features: Features of labels per ``(mu n / C)^(2/3)``, see
            :func:`~sdv_threea.adapt.features.num_features`. Labels at epsilon 1 have an AUC of .75,
            .765, .77, .71 with 56, 118, 256, 512 features on eeg_eye_state (default 235), of .893,
            .8987, .901, .900, .888 with 14, 29, 58, 128, 512 on walking_activity (58).
        number_features: Features of numbers per ``(mu n)^(2/3)``. At epsilon 1 protein_casp has 184
            and california_housing 105; a third cost .006 to .014 of R2, twice as many .015 on the
            former. At 8 they have 512 and 357; 187 cost .013 of R2 on the former.
        unclipped_features: Share of draws with unclipped features; a few are very long. .9 costs
            labels .005 of AUC on eeg_eye_state, .004 on walking_activity at epsilon 8 (.002 at 1);
            .98 costs two thirds of the gain for numbers at 1; .3 gains .005 on eeg_eye_state at 8.
        feature_length: Norm of features relative to other inputs, which share the noise. 1 costs
            .022 of AUC on eeg_eye_state at epsilon 1 (.745 for .767) and gains nothing.
        early_share: Price share of looks at evidence alone, and of moments of features. .33 and .2
            cost .01 to .02 of AUC on eeg_eye_state at epsilon 1 and .001 to .003 elsewhere.
        feature_steps: Steps with features, which share the rest. Two cost labels .012 of AUC on
            eeg_eye_state at epsilon 8, .005 on default_credit and .009 on telco_churn at 1; four
            cost .017 on telco_churn at 1. One costs numbers .04 of R2 on protein_casp at 1.
        spreads: Candidate prior standard deviations of weights whose prior is not known.
        doubt: Least gain of log likelihood of weights over none, and least expected information on
            those of features, in nats. A gain of 1 costs models .001 on several tables at epsilon
            8; 0 fits noise (diabetes130_died at 1: labels have an AUC of .874 for .88).
        single_bins: Bins of an ordered column in terms of one. 8 cost models .02 of R2 on
            bike_sharing at epsilon 1 (.63 for .65); 24 gain nothing. Terms of two have half of
            them; with 6 in place of 8 models lose .04 at 8 (.80 for .84).
        records_per_noise: Records per unit of noise that a look at terms needs. Pairs gain .08 of
            R2 on bike_sharing at epsilon 1 and .1 at 8; 300 excluded them at 1.
        reach: Correlation length of weights of bins, relative to the column. Independent weights
            cost .015 of R2 on bike_sharing at epsilon 1.
        number_stretch: Factor on predictions wanted by the loss (:mod:`~sdv_threea.adapt`).
            Larger values leave smaller residuals.
        least_left: Least standard deviation of residuals, relative to the number's. .3, more than
            the true residuals, costs .013 of R2 on bike_sharing; .15 gains nothing.
        features_worth: Terms are released again, without features, if they promise this reduction
            of the residual variance; features gain .01 to .1. At epsilon 1 terms promise .025 to .1
            on bike_sharing, where features cost .04 of R2, and .01 to .025 on protein_casp, where
            they gain .03. With .05 bike_sharing loses .014.
    """

    largest_evidence: float = 5.0
    label_steps: int = 3
    weight_spread: float = 2.0
    start_weight_spread: float = 1.0
    start_trust: float = 0.5
    smoothing: float = 0.05
    unclipped_slopes: float = 0.9
    least_curvature: float = 0.02
    log_odds_spread: float = 5.0
    most_stretch: float = 9.0
    most_features: int = 512
    label_features: float = 3.9
    number_features: float = 0.8
    unclipped_features: float = 0.5
    feature_length: float = 3.0
    early_share: float = 0.1
    feature_steps: int = 3
    spreads: tuple[float, ...] = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
    doubt: float = 0.5
    single_bins: int = 16
    records_per_noise: float = 80.0
    reach: float = 0.2
    number_stretch: float = 1.24
    least_left: float = 0.2
    features_worth: float = 0.025
