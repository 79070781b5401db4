"""The constants of joint densities, with their reasons and the effects of other values."""

from dataclasses import dataclass

import numpy as np

from sdv_threea.constants import ApproximateConstants, Evidence

#: A relation holds for a column if at least this share of the records obeys it, and as many codes
#: of a functional pair are expected to have one value. On 177 tables of codes of joins and real
#: tables .98, .9 and .7 are alike (.0356, .0349, .0346 off in total variation).
NEARLY = 0.9

#: Candidates for the extra precision of pairs of columns with rare values, largest first. Below
#: 1.5, so many columns would share the precision that it improves none.
STRESSES = np.linspace(3, 1.5, 16)

#: Candidates for the count of a bin, relative to its count under independence. Set by hand.
RATIOS = np.append(0.0, np.geomspace(1 / 64, 64, 25))

#: A bin up to this ratio counts as empty; with noise a bin of a triple keeps it. With zero alone,
#: pair tables of the bank's payments at epsilon 1 are off by .130 instead of .122, and those of
#: adult and telco_churn by .0004 more.
EMPTY = 1 / 40

#: Candidates for the correlation of neighbouring bins of an ordered column. Without candidates,
#: pair tables of six data sets are off by up to .001 more; .85 alone does as well.
LIKENESS = (0.7, 0.93)

#: Share of a bin's variance that is independent of similar bins. With 0, pair tables of six data
#: sets are off by up to .0004 more.
OWN_PART = 0.05

#: The least share of the records that can show a relation. A pair is not a function if whole codes
#: of the parent can hold less than this share of the records that lie outside the child's most
#: frequent value: with 0, relations keep .0005 and .0009 less at epsilon 1 and 8; with .5, .017
#: less at 1. A sum or part of a date is counted only if at least this share of the records has
#: values in all its columns, or noise would exceed the count. If as many have the child's most
#: frequent value, a pair is also examined without it: without this rule, relations keep .005 more
#: at epsilon 1 and .015 less at 8; from .05 on, .027 and .009 less.
LEAST_SHOWN = 0.25

#: Values follow the order of codes if counts differ from a monotone table by at most this part of
#: its energy, beyond noise, and clearly if noise masks at most this part. With 0, yearly pay does
#: not determine monthly pay if there is no noise; with .2, relations keep .003 less at epsilon 8.
#: A column depends on its parent alone if the parent leaves less than this share of the column's
#: entropy: with .25, 8 % of the rows of census_kdd at epsilon 8 contradict the tax filing status.
SLACK = 0.05

#: A pair's weight falls with this power of its number of bins. Set by hand.
POWER = 1 / 6

#: Candidates for the part of the price that triples get. Set by hand.
TRIPLE_PARTS = (0.15, 0.3, 0.5, 0.7)

#: How far single columns of a relation may be apart, because their counts have noise. A column may
#: be a function of a number if their total variation distance is at most this part of the column's
#: distance from its most frequent value: in throw-away fits at epsilon 1, true functions are mostly
#: within .05, and a dozen false ones within .2. The means of a total and of its added parts differ
#: by at most this part of the total: with .1, 10 of 40 fits of 4,000 bills at epsilon 1 did not add
#: up; now all do.
APART = 0.2

#: The least correlation of a likely sum with its added parts. Set by hand.
SUM_CORRELATION = 0.7

#: The largest factor by which a weight of two columns together changes in a round. If a triple and
#: a pair together exclude all values of a record, this small factor makes the pair decide. Set by
#: hand.
TRIPLE_STEP = 3.0


@dataclass(frozen=True, kw_only=True)
class JointConstants(Evidence):
    """The constants of pairs and triples of columns.

    In a functional pair, one column (the parent) seems to determine the other (the child). Figures
    come from throw-away fits with the code of their time. *Relations keep* a share of records:
    those whose value would be right with exact counts of the functions that are found, averaged
    over the true relations of 33 releases of joins and real tables.

    Args:
        least_bins_of_number: With an adapted numerical target and mostly columns of many values,
            pairs are counted only if noise allows this many bins. 9 costs models .03 on
            california_housing at epsilon 1; more than 13 costs .01 to .04 on protein_casp, with
            marginals of three columns off by .35 instead of .28.
        most_bins: Maximum number of bins of an ordered column. Tables of 64 are fitted much worse.
            Each value of a categorical column has a bin of its own if the column has at most this
            many values, or at most twice as many as an ordered column has bins; others are packed
            into up to as many bins. A column of at most twice as many values counts as one of few
            values. A table of three columns has no more bins than the largest one of two.
        records_per_noise: A bin of two columns is expected to hold this many times the noise. At
            epsilon 1, R2 of bike_sharing is .47 with 6 and .55 with 3. With 2, R2 is .595 if ranges
            are public, no better otherwise, and marginals of three numbers are 1 % worse.
        most_columns: Wider tables have too many pairs to be counted. Set by hand.
        least_unlike: Pairs of a column are counted if the records outside its most frequent value
            exceed this many times the noise. With 40, half of the columns of telco_churn and
            mushroom are left out at epsilon 1, and marginals of three columns are off by .20 and
            .22 instead of .12. An unnamed target with fewer records outside its largest class gets
            a part of the pairs' price for counts by class.
        least_rare: Columns that add few pairs need only this many times the noise. With 1.5, one of
            three fits misses the rare class of creditcard_fraud; with .75, none of six.
        most_added: The largest share of pairs that columns with rare values add. With .25, a
            seventh of the rows of telco_churn contradict themselves at epsilon 1 with a target.
        most_stressed: Extra precision for pairs of rare values may add this share to the variance
            of all pairs. With .33, marginals of three columns of mushroom are 8 % worse at epsilon
            1.
        emptiness: A bin is multiplied by this power of the probability that it is not empty. With
            2, impossible pairs vanish; shrinkage alone leaves a tenth of their mass.
        least_told: The least information of a function, in nats: its likeness times the entropy of
            the child. With .3, relations keep .009 less at epsilon 8; with 0, .001 less.
        sure: A pair of this likeness, or one whose values follow an order, counts as certain. Other
            pairs are worth less, by the squared ratio of their likeness to this. With .5,
            relations keep .002 and .012 less at epsilon 1 and 8; with 1, .017 and .013 less.
        indirect: Penalty, in nats, of parents whose codes are intervals, and for each factor e by
            which the parent has more codes than the child: a kind then follows from the product,
            and neither from its price nor from the shop. Without the first, relations keep .002 and
            .003 less at epsilon 1 and 8, and 93 instead of 97 in a hundred hold; without the
            second, .002 more and .002 less, and a tenth more pairs is counted.
        most_noise: Functional pairs with more than this many times their tolerable noise are left
            out. Without this limit, 8 instead of 5 % of the rows of telco_churn contradict
            themselves at epsilon 1 with a target.
        least_spent: The least part of the remaining price that functional pairs get.
        most_weighed: The largest weight of a functional pair, in units of the least. Without it, a
            pair of few records costs all others their price.
        one_code: A categorical column may determine a numerical one if it leaves at most this many
            nats, and this share, of the entropy of the numerical codes. Set by hand.
        particles: Number of records that a chain is fitted with. With fewer, the chain fits their
            noise, too, and single columns are further off.
        rounds: The largest number of rounds of iterative proportional fitting for a column.
            Impossible pairs need more than two; eight over-fit the particles.
        triple_records: A bin of three columns is expected to hold this many times the noise of a
            single table. With 8.5, models lose .04 on tables of numbers at epsilon 8.
        look_part: The part of the remaining price that distances of triples cost. Set by hand.
        look_slack: The share of records that is subtracted from the distance of a triple, because
            noise of pairs increases the distance. With 0, triples on Adult at epsilon 8 make
            marginals of three columns worse.
        few_directions: Triples are counted without releasing their distances first if their
            interactions have at most this many directions on average; three flags have one. Set by
            hand.
        most_triples: The largest number of triples that are counted. With 96, models gain .02
            without noise, but the chain over-fits its particles, and single columns are further
            off.
        noise_left: The part of a triple's noise that shrinkage leaves. With .5, models lose .01 on
            tables of numbers; .15 does as well there, but with .2 relations break in 46 instead of
            42 % of the rows of the join of northwind's orders at epsilon 8.
        pair_worth: Weight of the noise of pairs against the error of triples. With .8, models lose
            .07 on protein_casp and bike_sharing at epsilon 8; with .1, marginals of three columns
            are further off on telco_churn.
    """

    #: Pairs and triples need at least as many bins as counts by class: with fewer, a table contains
    #: no more than a correlation, which is cheaper.
    least_bins = ApproximateConstants.least_bins
    least_bins_of_number: int = 13
    most_bins: int = 32
    records_per_noise: float = 3.0
    most_columns: int = 128
    least_unlike: float = 10.0
    least_rare: float = 0.75
    most_added: float = 0.33
    most_stressed: float = 0.25
    emptiness: float = 2.0
    least_told: float = 0.15
    sure: float = 0.75
    indirect: float = 0.1
    most_noise: float = 2.0
    least_spent: float = 0.2
    most_weighed: int = 8
    one_code: float = 0.3
    particles: int = 24_000
    rounds: int = 4
    triple_records: float = 17.0
    look_part: float = 0.05
    look_slack: float = 0.01
    few_directions: float = 2.0
    most_triples: int = 48
    noise_left: float = 0.3
    pair_worth: float = 0.2
