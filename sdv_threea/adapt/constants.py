"""The constants of adapting: what was chosen, why, and what moving it did.

"Flat" says that ``benchmarks/constants.py`` moved the constant, and that no change was clear beyond
chance at both budgets (``docs/lab/constants.md``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AdaptConstants:
    """The constants of the stage *adapt*: of evidence, of the labels, of features of the kernel.

    Args:
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
        start_trust: Share of the covariances inside a class that the draws have, where they are of
            one Gaussian per class. With all of them labels of isolet at epsilon 8 have an AUC of
            .87 in place of .886.
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
            the loss counts (:mod:`~sdv_threea.adapt.trade`): in the root mean square over classes;
            of two classes, half of that of the log odds between them.
        most_stretch: Log odds are stretched by no more than this factor: what hardly follows from
            anything stays open. Set by hand.
        landmarks: Landmarks of the kernel's features, unless there are more features. Twice as many
            gained nothing.
        most_features: Features of the kernel, at most, on tables of few rows. With 256 labels of
            eeg_eye_state have .013 less of AUC at epsilon 8; nothing else was told from chance.
        fewest_most: Features of the kernel, at most, on tables of many rows, for the sake of time.
        much_known: If releases can tell more than this, ``mu n`` or ``mu n / C``, features may have
            more entries, in proportion to its cube root, and take longer. Set by hand: at epsilon 8
            tables of 25,000 rows reach it with a numerical target, and of 50,000 with two classes.
        most_patience: So many times as many entries at most, and twice as many features. Without
            noise models learn .947 of covtype_compact in place of .939, .9025 of eeg_eye_state in
            place of .896, .929 of diabetes130_died in place of .926, and as much as before on adult
            and default_credit.
        label_features: Features of labels, in units of ``(mu n / C)^(2/3)``, see
            :func:`~sdv_threea.adapt.features.num_features`. At epsilon 1 labels of eeg_eye_state,
            which have 235, have an AUC of .75 with 56, .765 with 118, .77 with 256 and .71 with
            512; those of walking_activity, which have 58, .893 with 14, .8987 with 29, .901 with
            58, .900 with 128 and .888 with 512.
        least_features: Fewer features than this say nothing of pairs of columns: the budget is
            better spent on evidence alone. Set by hand.
        unclipped_features: Share of the drawn records whose features are not shortened. A few
            features are very long. With .9 labels of eeg_eye_state have .005 less of AUC at epsilon
            8, those of walking_activity .004, and .002 at epsilon 1; with .98 what features tell of
            numbers at epsilon 1 is a third. With .3 all is the same but for eeg_eye_state (.005
            more at 8).
        feature_length: Length of the features of a record, in those of its evidence. Noise falls on
            both alike. With 1 in place of 3 features see less where columns only tell together
            (eeg_eye_state at epsilon 1: AUC .745 for .767), and nothing else gains.
        least_promise: Features are left out before anything is spent on them, if a slope is
            expected to tell less of their weights, in nats. At epsilon 1 it is .2 on
            creditcard_fraud, where models on samples learn .009 more without them, .8 on isolet,
            1.5 on german_credit, 6 on telco_churn, and 10 to 280 elsewhere.
        count_weight: The constant beside the features of a record, as a share of their radius, in
            the release of their moments. Set by hand.
        evidence_share: Share of the price of the labels for steps of evidence alone, where there
            are features.
        moment_share: Share of it for the moments of the features. With .33, and .2 for evidence,
            AUC is .01 to .02 lower on eeg_eye_state at epsilon 1, and .001 to .003 on others.
        feature_steps: Steps of evidence and features together; they share the rest. With two labels
            of eeg_eye_state have .012 less of AUC at epsilon 8, those of default_credit and
            telco_churn .005 and .009 less at 1. Four to eight have .001 to .005 more at 8 on three
            tables, of which models on samples learn nothing; with four labels of telco_churn have
            .017 less at 1.
        feature_spreads: Standard deviations that the weight of a feature may have. Of these the
            first slope tells which is likeliest.
        feature_doubt: Features are left out unless the slope is likelier with them by this factor,
            in logarithms. With 1 models learn .001 less on several tables at epsilon 8. Without any
            doubt noise is taken for weights: labels of diabetes130_died have .874 at epsilon 1, in
            place of .88.
        number_draws: Records that are drawn to learn what the density expects of a number.
        trees: Trees that learn it. Set by hand, as all of what follows on trees.
        tree_rate: What each of them adds is made smaller by this factor.
        tree_leaves: The most leaves of a tree.
        tree_depth: The most questions before a leaf.
        leaf_draws: The least draws in a leaf.
        single_bins: Bins of an ordered column in terms of one column. With 8 models learn less on
            bike_sharing at epsilon 1 (R2 .63 for .65); 24 gain nothing.
        pair_bins: Bins of an ordered column in terms of two. With 6 in place of 8 models learn less
            on bike_sharing at epsilon 8 (R2 .80 for .84); with 4 less still.
        largest_residual: Residuals are cut to this many of their standard deviations. 1.3 and 2.5
            do no better.
        least_records: Terms of single columns are fitted if there are this many records for each
            unit of noise. Set by hand.
        pair_records: The same for terms of pairs. They gain .08 of R2 on bike_sharing at epsilon 1,
            of which 300 left them out, and .1 at 8.
        single_share: Share of the price for the first look at single columns, where pairs are
            looked at too; else it is half.
        pair_share: Share of it for the look at all pairs.
        term_spreads: Standard deviations that weights of bins may have, in those of residuals. Of
            these the first slope tells which is likeliest.
        term_doubt: Nothing is adapted unless the slope is likelier with weights by this factor, in
            logarithms. Set by hand.
        pair_doubt: The same for each pair. Set by hand.
        single_reach: Weights of bins of an ordered column are expected to be alike over this share
            of its bins. Without any likeness R2 is .015 lower on bike_sharing at epsilon 1.
        pair_reach: The same for each column of a pair. Set by hand.
        most_weights: The most weights of a fit: it bounds the time. Set by hand.
        number_stretch: What is expected of numbers counts this many times where nothing but the
            loss does (:mod:`~sdv_threea.adapt.trade`). The more, the less is left open.
        least_left: What is left open of a number has this standard deviation at least, in units of
            the number's own. With .3, which is more than what is open of the real numbers there,
            R2 is .013 lower on bike_sharing; with .15 it is no higher, and the same elsewhere.
        number_jitter: The part of what is left open that is a normal, in standard deviations: it
            lets a condition on the number weigh records by how nearly they meet it. Set by hand.
        least_deviation: Residuals are taken to spread by no less than this. Set by hand.
        ridge_worth: The last look at a number is at features, unless another one at terms promises
            to leave this share of the residuals' variance less open. Features tell .01 to .1 of
            what terms leave. At epsilon 1 terms promise .025 to .1 on bike_sharing, where a look at
            features in their place loses .04 of R2, and .01 to .025 on protein_casp, where it gains
            .03. With .05 R2 is .014 lower on bike_sharing.
        ridge_steps: Steps of the ridge regression; they share the price that moments leave. What is
            expected of protein_casp at epsilon 1 has an R2 of .332 with one, .372 with two, .365
            with three and .36 with four; at epsilon 8 .443, .463, .463 and .463. That of
            california_housing is .7195, .716, .726 and .723, and .784, .782, .788 and .782.
        ridge_moment_share: Share of the last look's price for the moments of the features. With .3
            R2 is .003 to .008 lower at epsilon 8, of one step.
        ridge_spreads: Standard deviations that the weight of a feature may have, in those of
            residuals.
        ridge_features: Features of numbers, in units of ``(mu n)^(2/3)``. At epsilon 1
            protein_casp has 184 and california_housing 105; three times as few cost .006 to .014 of
            R2, twice as many .015 of the former. At epsilon 8 they have 512 and 357: of
            protein_casp is then expected .438 with one step, and .425 with 187 features.
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
    most_patience: float = 8.0
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
