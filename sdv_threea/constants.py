"""All constants of the algorithm that were chosen by hand or by measurement, stage by stage.

Quantities that follow from noise, counts and units are computed where they are used. Each constant
here has its meaning, and the figure that it was chosen by. "Flat" means: no change in
``docs/lab/constants.md`` had a clear effect at both budgets. Other figures without a command come
from throw-away fits with the code of their time. :class:`~sdv_threea.settings.Settings` passes
these constants down, so a benchmark can replace one of them; its module also defines the ``SHARES``
of the budget. The folder ``joint`` has its own constants. Limits of numbers, memory and time,
formats and page layouts stay next to the code that needs them.
"""

import math
from dataclasses import dataclass

from scipy.special import ndtri

# Describe and encode: numbers

#: A column with fewer steps in its range than this has a code for each value. Set by hand.
MAX_LATTICE = 128

#: Any other numerical column has this many bins, because estimates from their counts are smoothed.
#: With 128 the histograms of pima_diabetes and bike_sharing at epsilon 8 were off by .067 and .022
#: instead of .062 and .020 (four and two fits).
MOST_BINS = 96

#: The share of records that deserves a code of its own: a quarter of a bin's share. A heavy single
#: number has at least this share; a bin of the public grid counts as at least this share. Set by
#: hand.
OWN_CODE = 1 / (4 * MOST_BINS)

#: Evident bins form separate clusters if the gap between them is at least this part of their joint
#: width. Set by hand.
FAR_OFF = 1 / 3

#: A cluster of fewer than half as many bins is narrow, and is split until it has this many. Set by
#: hand.
SPLIT_BINS = 12

#: Up to this many frequent single numbers of a step do not count as evidence of rounding. Set by
#: hand.
MOST_ALONE = 2

#: A tail begins this many codes before the last place beyond which records are significant, so that
#: its slope can be seen. With none, a column that ends at once gets a value beyond its end.
MORE = 3

#: Candidate shapes of tails: exponents of the share of records beyond a given value. Set by hand.
SHAPES = (1.0, 2.0, 4.0, 8.0, math.inf, -4.0, -2.0)

#: The share of records, with rare codes or rare values, whose value noise may mask. Set by hand.
MISSED = 0.02

#: Columns are alike if their squared distance is surely at most this part of the squared counts of
#: each. Set by hand.
MOST_UNLIKE = 0.1

# Approximate

#: Candidate standard deviations of all priors whose spread is not known: each twice the one before.
#: They are relative to the sum of both halves for details of a histogram (compared with a single
#: James-Stein factor, the error of the histograms of ten tables is .87 times as large at epsilon 1,
#: and .93 times at 8), and in log odds for effects of codes, in units of their targets for weights
#: of terms and features, and in the logarithm of rows for rows and references per unit.
SPREADS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)

# Databases

#: The prior probability that all units are of one kind (at .5 some tables became larger), and the
#: relative deviation of counts of units from those of a distribution. Set by hand.
NOTHING_BEYOND, MISFIT = 0.8, 0.3

#: Public rows: the share of the smallest group, and of the rarest value that is used. Set by hand.
RAREST = 1 / 64

# Shares of the budget

#: What two shares are, if no figure says that one needs more than the other: the share of
#: *describe* of a table with few records is at most this (of .23, .4, .55 and .7, the middle two
#: were best on four tables of 400 to 900 rows at epsilon .5, 1 and 3), and triples that are counted
#: without a look get this part of the remaining price (.3 and .7 did as well on nltcs and acs). If
#: pairs are counted, too, counts by class keep this part of their share (.4 and .7 were no better
#: than .6); the first count of all pairs has this part of the pairs' share, and the rest is for
#: pairs that look like functions, and for a second count. Counts of likely sums cost at most this
#: part of what is left. Finer bins are kept if the significant ones contain at least this part of
#: the records in significant coarser bins.
HALF = 0.5

#: With an unnamed target, counts by class and labels keep these parts of their shares. With twice
#: as much, models learn as much of compas and default_credit, .002 more of Adult and .01 of
#: telco_churn, and marginals of three columns are off by 1 to 6 % more.
CLASSES_ASIDE, LABELS_ASIDE = 0.1, 0.25

#: A named numerical target gets this many times the share of labels. Compared with one share,
#: models at epsilon 1 learn .01 to .02 more of bike_sharing, california_housing and protein_casp,
#: and marginals are off by 1 to 4 % more; half as much again gained nothing.
TIMES_FOR_NUMBERS = 1.8

#: Records per noise of a count, from which on something can be learned of them. A class needs as
#: many, which limits the classes of a numerical target; if labels are adapted and records are
#: fewer, counts by class get a part of the pairs' price (without it, models lose .017 of AUC on
#: eeg_eye_state and .01 on covtype_compact; it costs .005 on compas). Sums of residuals need as
#: many for a release of terms: pairs gain .08 of R2 on bike_sharing at epsilon 1 and .1 at 8; 300
#: excluded pairs at 1. With fewer, in noise of counts of all columns at the whole budget, the share
#: of *describe* grows with the inverse square of records, up to ``HALF``.
RECORDS_PER_NOISE = 100.0

#: Constant entry of a record's vector of scores or features, as a share of the radius. Larger
#: values improve counts and means but worsen products. Set by hand.
COUNT_WEIGHT = 0.3


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Limits on how often noise is mistaken for records, in every stage.

    Args:
        false_alarm: Probability that noise alone is mistaken for records in one kind of decision.
            The kinds are: any run of bins is significant, any column has missing cells, any range
            reaches too far. All tests of a kind share this probability. Set by hand.
    """

    false_alarm: float = 0.002

    def clear_of_noise(self, num_tests: int = 1) -> float:
        """Return the standard deviations that noise exceeds by a false alarm in any of these tests.

        The tests share the probability evenly (Bonferroni).
        """
        return -float(ndtri(self.false_alarm / max(num_tests, 1)))


@dataclass(frozen=True, kw_only=True)
class DescribeConstants(Evidence):
    """The constants of the stage *describe*.

    These constants were set mostly on Adult and a little on four other tables. No benchmark moves
    them one at a time, because the one of ``docs/lab/constants.md`` uses public ranges.

    Args:
        fewest: Fewer records than this are not evidence of a heavy number or of a wider range,
            however small the noise. Without noise, the least share of 200 rows would be less than
            one row, and each number would have a code.
        minor: Weight of a question about one fact of a column (is a cell missing, how round are
            numbers), relative to questions about all of its values. Noise is inversely proportional
            to weights. With .35 german_credit at epsilon 1 had two more columns of a single value.
        spikes: Weight of the question about heavy numbers. With .25 bike_sharing at epsilon 8 lost
            the heavy numbers of ``atemp``, and its histogram was off by .108 instead of .066 (two
            fits).
        least_for_classes: Least share of the question about classes, relative to all others. At .18
            two fits in three of parts of covtype_compact at epsilon 1 lost a class of 115 of 24,000
            records (AUC .851 instead of .904), at .3 one in ten. german_credit, compas, telco_churn
            and adult learn as much at .3, and adult less at .4.
        first_look: Share of the first count of values or numbers; the rest is for a second count,
            of rarer values or of tails. Of .7, .5, .35 and .2, the last two are best on mushroom at
            epsilon 1: 4 of 22 columns lost a value of one row in fifty, with a single look 8.5.
            SDMetrics' quality of Adult without a target, at epsilon 1 with private metadata, is
            .981 with two looks and .947 with one. Ranges do as well with .25 or .4.
        runs: Lengths of the tested runs, in bins of the public grid. Powers of two find values
            however widely they are spread. The hump of a bulk may have these lengths, too: two
            standard deviations on either side. Set by hand.
        usual_octaves: Numbers usually lie between these powers of two; beyond, more evidence is
            needed. Set by hand.
        usual_times: Times usually lie between these powers of two, in seconds from 2000 on: from
            half a year to 50 years. Noise alone moves no end of a range beyond 2050, or before
            1900. Set by hand.
        tail: Share of a bulk beyond each of its likely ends, and probability that numbers lie
            beyond the estimated end of a column (within a bin, or extrapolated). With .08 for a
            bulk, tables of 400 rows lost half again as many columns as with .04. With .5 for an end
            within a bin, 10 instead of 4 % of the real rows were cut off.
        coarse_evidence: With fewer records than this, in noise scales of a bin, numbers are counted
            in whole octaves, not in quarters: a bin four times as wide has more records and no more
            noise. At epsilon 1, octaves lost half as many columns of 398 rows, and were no worse on
            5,000.
        reach: Probability that a column ends before the likely end of its tail. On ten columns of
            4,165 rows at epsilon 1, significant ends alone cut off 6.8 % of the rows, and .1 % of
            the samples were outside; .7 cuts off 2.0 %, with .5 % outside (``benchmarks/ends.py``).
        wide: A stated range of few values is too wide if the records, in noise scales of histograms
            of all columns at the whole budget, are fewer than this times the root of the number of
            values. At 8, columns of titanic with ranges four times too wide had a similarity of .89
            instead of .93, at epsilon 1.
        most_wide: The largest number of columns whose stated ranges may be estimated again. With
            sixty columns, which predict a class of a thousand records only together, the AUC was
            .82 instead of .85.
        vast: A stated range this many times as wide as the occupied one serves only as a bound,
            because noise would fill its empty parts. Without this rule the AUC on eeg_eye_state
            with public metadata is .74, not .78, at epsilon 1.
    """

    fewest: float = 5.0
    minor: float = 0.2
    spikes: float = 0.35
    least_for_classes: float = 0.3
    first_look: float = 0.25
    runs: tuple[int, ...] = (1, 2, 4, 8, 16)
    usual_octaves: tuple[float, float] = (-4.0, 10.0)
    usual_times: tuple[float, float] = (24.0, 30.5)
    tail: float = 0.05
    coarse_evidence: float = 250.0
    reach: float = 0.7
    wide: float = 16.0
    most_wide: int = 32
    vast: float = 8.0


@dataclass(frozen=True, kw_only=True)
class EncodingConstants:
    """The constants of classes.

    Args:
        most_classes: The largest number of classes of a numerical target. Set by hand.
    """

    most_classes: int = 20


@dataclass(frozen=True, kw_only=True)
class ApproximateConstants(Evidence):
    """Constants of the stage *approximate*.

    Args:
        least_bins: Fewest bins of an ordered column in the counts by class. Three beat eight in
            tables that are wide or have few rows. Flat between 2 and 8.
        spike: A spike exceeds this many times the median of neighbouring codes. Set by hand.
        size_doubt: Assumed relative error of class sizes summed over bins, due to clipping. The
            true error is 1% for most classes, 6% for the frauds of creditcard_fraud.
        smooth_parts: Smooth fraction of the effect variance, and correlation length as a fraction
            of the column. Two or five kinds are as good; lengths of .5 and 2 lost with few bins.
        clip: Squared norms of scores are clipped this many standard deviations above their mean.
            1.5 loses little and greatly reduces noise. A constant factor on the mean hurt narrow
            tables.
        shrink: Whether noisy values are shrunk and smoothed, or used as they are (the ablation "no
            shrinkage").
    """

    least_bins: int = 3
    spike: int = 3
    size_doubt: float = 0.05
    smooth_parts: tuple[tuple[float, float], ...] = ((0.0, 1.0), (0.9, 0.2), (0.98, 0.5))
    clip: float = 1.5
    shrink: bool = True


@dataclass(frozen=True, kw_only=True)
class AdaptConstants:
    """Constants of the stage *adapt*.

    Args:
        sure_odds: Log odds that count as sure: the bound of a code's evidence, so that no code
            decides alone (flat between 2 and 8), and the standard deviation over classes that the
            loss wants (:mod:`~sdv_threea.adapt`); for two classes, half of their difference.
        steps: Number of steps of labels with evidence alone, and of steps with features, which
            share the remaining price. One with evidence alone costs .005 of AUC at epsilon 8; five
            are no better than three. Two with features cost labels .012 of AUC on eeg_eye_state at
            epsilon 8, .005 on default_credit and .009 on telco_churn at 1; four cost .017 on
            telco_churn at 1. One costs numbers .04 of R2 on protein_casp at 1.
        start_trust: Factor on covariances inside a class for draws of one Gaussian per class. With
            1, labels of isolet have an AUC of .87 at epsilon 8, not .886.
        overconfidence: Part of a label of a draw given to other classes, and least curvature of a
            record relative to that without evidence, because draws are overconfident. Flat from .01
            to .2, and between .005 and .08.
        unclipped_slopes: Share of each class's draws with unclipped slopes. Shorter slopes need
            less noise but clip rare classes. Flat between .75 and .97; .5 gains at epsilon 1, but
            not in rare classes.
        most_stretch: Largest factor on log odds: a target that is hard to predict stays uncertain.
        most_features: Most features on small tables. 256 cost labels .013 of AUC on eeg_eye_state
            at epsilon 8, and nothing clear elsewhere.
        label_features: Features of labels per ``(mu n / C)^(2/3)``, see
            :func:`~sdv_threea.adapt.features.num_features`. Labels at epsilon 1 have an AUC of .75,
            .765, .77, .71 with 56, 118, 256, 512 features on eeg_eye_state (default 235), of .893,
            .8987, .901, .900, .888 with 14, 29, 58, 128, 512 on walking_activity (58).
        number_features: Features of numbers per ``(mu n)^(2/3)``. At epsilon 1 protein_casp has 184
            and california_housing 105; a third cost .006 to .014 of R2, twice as many .015 on the
            former. At epsilon 8 they have 512 and 357; 187 cost .013 of R2 on the former.
        unclipped_features: Share of draws with unclipped features; a few are very long. .9 costs
            labels .005 of AUC on eeg_eye_state, .004 on walking_activity at epsilon 8 (.002 at 1);
            .98 costs two thirds of the gain for numbers at 1; .3 gains .005 on eeg_eye_state at 8.
        feature_length: Norm of features relative to other inputs, which share the noise. 1 costs
            .022 of AUC on eeg_eye_state at epsilon 1 (.745 for .767) and gains nothing.
        early_share: Part of the price for steps with evidence alone, and for moments of features.
            .33 and .2 cost .01 to .02 of AUC on eeg_eye_state at epsilon 1 and .001 to .003
            elsewhere.
        doubt: Least gain of log likelihood of weights over none, and least expected information on
            those of features, in nats. A gain of 1 costs models .001 on several tables at epsilon
            8; 0 fits noise (diabetes130_died at 1: labels have an AUC of .874 for .88).
        single_bins: Bins of an ordered column in terms of one column. 8 cost models .02 of R2 on
            bike_sharing at epsilon 1 (.63 instead of .65); 24 gain nothing. Terms of two columns
            have half as many bins; with 6 instead of 8 models lose .04 at 8 (.80 instead of .84).
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

    sure_odds: float = 5.0
    steps: int = 3
    start_trust: float = 0.5
    overconfidence: float = 0.02
    unclipped_slopes: float = 0.9
    most_stretch: float = 9.0
    most_features: int = 512
    label_features: float = 3.9
    number_features: float = 0.8
    unclipped_features: float = 0.5
    feature_length: float = 3.0
    early_share: float = 0.1
    doubt: float = 0.5
    single_bins: int = 16
    reach: float = 0.2
    number_stretch: float = 1.24
    least_left: float = 0.2
    features_worth: float = 0.025


@dataclass(frozen=True, kw_only=True)
class RelationalConstants(Evidence):
    """The constants of several tables that refer to each other.

    These constants were set by hand, in a few runs on made databases and on those of
    ``benchmarks/relational.py`` (``docs/lab/lab_notes.md``).

    Args:
        part_of_counts: Share of a table's budget for each kind of count that has little noise:
            *magnitudes*, units by number of rows (without them sizes were arbitrary if few units
            have most rows); pairs of rows of a unit; foreign keys to private rows of other units.
            Rows without an owner, and repeated public keys, get the share of a table's size.
        magnitudes_noise: With few units, magnitudes get more budget, so that the noise of a count
            is this part of the number of units, but at most ``HALF``. At .1, noise masked the 243
            units of berka's ``trans``; with less than half, tables of 60 to 90 units came out empty
            at epsilon 1.
    """

    part_of_counts: float = 0.05
    magnitudes_noise: float = 0.05
