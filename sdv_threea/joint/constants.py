"""The constants of joint densities: what was chosen, why, and what moving it did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class JointConstants:
    """The constants of pairs of columns.

    Args:
        least_bins: Pairs are counted if the noise carries this many bins per column. With fewer a
            table says no more than a correlation, which is cheaper.
        least_bins_of_number: The same where a numerical target is adapted, whose trees are grown on
            draws, and most columns have many values; with fewer, a number that the user names has
            classes. Counted from 9 bins on, models learn .03 less of california_housing at epsilon
            1, and without classes .02 less of bike_sharing; not from 13 on, .01 to .04 less of
            protein_casp, whose marginals of three columns are then off by .35 in place of .28.
        least_bins_of_guess: A number is taken for the target that nobody names if pairs have this
            many bins beside it. With 3, models learn no more of the charges of telco_churn, and
            marginals of three columns are off by .136 in place of .113.
        few_values: A column has few values if it has at most as many. Set by hand.
        most_bins: The most bins of an ordered column. Tables of 64 are fitted much worse.
        own_values: Categories of up to this many values have a bin for each. Set by hand.
        most_values: So have categories of up to twice as many values as an ordered column has bins,
            and of no more than this many; else values share bins, of about the same mass. With 24 a
            hundredth of the rows of adult and of covtype_compact have an impossible pair without
            noise, and next to none with 64; marginals and models are the same.
        records_per_noise: A bin of two columns is expected to hold this many times the noise. With
            6 models learn less of numbers at epsilon 1 (R2 of bike_sharing .47 for .55, AUC of
            covtype_compact .871 for .889) and marginals of compas are worse by 4 %. With 2 models
            learn more of bike_sharing (.595) and california_housing (.633 for .62) with public
            ranges, and no more with private ones, and marginals of three columns are worse by 1 %
            on numbers. At epsilon 8 all do alike.
        records_per_class: Where labels are adapted and there are fewer than this many times as many
            records as noise for each class, classes get a part of the price of pairs. Without it
            models lose: .017 of AUC on eeg_eye_state at 45, .01 on covtype_compact at 50, which has
            .894 with 75 in place of 150. With it eeg_eye_state gains .02 at epsilon 1, compas loses
            .005, and telco_churn neither; rows of telco_churn that contradict themselves are 8 % in
            place of 60 % without pairs.
        most_columns: Pairs are not counted in tables of more columns: there are too many of them.
            Set by hand.
        least_unlike: Pairs of a column are counted if the records that do not have its most
            frequent value are more than this many times the noise. Others say little, and their
            pairs would add to the noise of all. With 40 half of the columns of telco_churn and
            mushroom were left out at epsilon 1, and marginals of three columns were off by .20 and
            .22, in place of .12.
        least_rare: Where they add few pairs to the others, this many times the noise are enough. So
            a model learns of a rare class that is not the target: of that of creditcard_fraud, with
            1.5 one fit of three did not have it, and an AUC of .5; with .75 none of six, and .88 to
            .92. Without the next bound it would cost compas.
        most_added: That is where they add no more than this share to the pairs. With .25 a seventh
            of the rows of telco_churn contradict themselves on whether there is a phone, at epsilon
            1 beside a target, where that column is the nineteenth of nineteen.
        most_stressed: For the sake of pairs of rare values the variance of all others grows by no
            more than this share. With .33 marginals of three columns of mushroom are worse by 8 %
            at epsilon 1.
        least_information: Tables whose mutual information, in nats, is smaller are left out.
            Set by hand.
        most_partners: A table is kept if it is among this many of most mutual information of one
            of its columns. It bounds the time that wide tables take. Set by hand.
        emptiness: Power of the chance that a bin is not empty, by which it is multiplied. Two
            takes impossible pairs away, where shrinkage alone leaves them a tenth of their mass.
        least_likeness: A pair looks like a function if what its counts depart by from independence
            is at least this share, squared, of what a function would. Chosen on Adult and on a
            generated table of dependencies.
        least_told: The least a function tells, in nats: its likeness times the entropy of the
            column that follows. Set by hand.
        sure: From this likeness on a pair counts as a function, and so does one whose values follow
            one another along an order, as far as noise tells; others count less, by the square of
            what is missing. Set by hand.
        nearness: What it costs of this that a column has e times as many codes as the one that
            follows from it. So a region follows from the city, and not from the store. Set by hand.
        blur: What it costs that the codes of a column are intervals: of two values in one of them
            that column says the same. Without it a kind followed from a price, and not from the
            product, of which each has one. Set by hand.
        most_cells: Pairs of more codes than this are not counted code by code. It bounds the time
            and the memory. Set by hand.
        records_per_error: Pairs that look like functions are counted with such noise that nearly
            all codes have this many times as many records, or with what is left to spend.
        left_out: The share of the records whose codes may have fewer.
        least_held: Such pairs are left out if their codes would have fewer than this many times as
            many records as noise. Without it 8 in place of 5 % of the rows of telco_churn deny
            themselves at epsilon 1 beside a target, as services are taken for functions of the
            charges.
        least_spent: The least part of what is left that goes to them, however little they need.
        most_needed: If they need more than this part of what is left, they get all of it. Set by
            hand.
        most_weighed: The most that such a pair weighs, in units of the least. Set by hand.
        settled: A column takes no heed of others than the one that it follows from, if what is
            left of its entropy is less than this share. With .25 kinds of households in census_kdd
            follow from their summary alone, and deny how taxes are filed in 8 % of the rows at
            epsilon 8.
        one_code: A category may have one number if it leaves fewer nats of its code open than this,
            and than this share of what is open without it. Set by hand.
        records_per_digit: Digits of numbers are counted with such noise that nearly all categories
            have this many times as many records. Set by hand.
        value_part: The part of what is left that they cost at most. With .15 more of the prices of
            small products are wrong on a generated table of dependencies.
        step: Values inside bins follow the other column's, if fewer nats than this are left open by
            it. Set by hand.
        particles: Records that a distribution is fitted with. With fewer, their chance is fitted
            too, and single columns are further off.
        rounds: The most rounds of iterative proportional fitting for a column. Impossible pairs
            need more than two; with eight the chance of the particles is fitted.
        least_triple_bins: Triples are looked at if the noise carries this many bins per column. Set
            by hand.
        most_triple_bins: The most bins of a column in a triple. Set by hand.
        few_triples: For the number of bins, this many triples are taken to be counted. Set by hand.
        triple_records: A bin of three columns is expected to hold this many times the noise. With 3
            models learn .04 less on tables of numbers at epsilon 8.
        most_looks: The most triples that are looked at. It bounds the time. Set by hand.
        look_part: The part of what pairs have left that the look costs. Set by hand.
        look_doubt: A triple counts as this many standard deviations of the noise less far off than
            it seems. Set by hand.
        look_slack: A triple counts as this share of the records less far off than it seems: noise
            of pairs puts it off too. With 0 triples are counted on
            Adult at epsilon 8 that make marginals of three columns worse.
        few_directions: Triples are counted without a look if their interactions have no more
            directions than this on average. Three flags have one. Set by hand.
        unseen_part: The part of what pairs have left that goes to them then. Set by hand: .3 and
            .7 did as well on nltcs and acs.
        most_triples: The most triples that are counted. With 96 models learn .02 more without
            noise, and single columns are further off, as the chance of the particles is fitted.
        noise_left: What shrinkage leaves of the noise of a triple. With .5 models learn .01 less on
            tables of numbers; with .15 as much.
        pair_worth: What noise of pairs counts against what triples are off by. With .8 next to no
            triples are counted at epsilon 1 and 8, and models learn .07 less on protein_casp and
            bike_sharing at 8; with .1 marginals of three columns are further off on telco_churn.
    """

    least_bins: int = 3
    least_bins_of_number: int = 13
    least_bins_of_guess: int = 5
    few_values: int = 48
    most_bins: int = 32
    own_values: int = 24
    most_values: int = 64
    records_per_noise: float = 3.0
    records_per_class: float = 150.0
    most_columns: int = 128
    least_unlike: float = 10.0
    least_rare: float = 0.75
    most_added: float = 0.33
    most_stressed: float = 0.25
    least_information: float = 1e-4
    most_partners: int = 16
    emptiness: float = 2.0
    least_likeness: float = 0.5
    least_told: float = 0.15
    sure: float = 0.75
    nearness: float = 0.2
    blur: float = 0.1
    most_cells: int = 2**20
    records_per_error: float = 12.0
    left_out: float = 0.02
    least_held: float = 2.0
    least_spent: float = 0.2
    most_needed: float = 0.95
    most_weighed: int = 8
    settled: float = 0.05
    one_code: float = 0.3
    records_per_digit: float = 6.0
    value_part: float = 0.25
    step: float = 1.0
    particles: int = 24_000
    rounds: int = 4
    least_triple_bins: int = 3
    most_triple_bins: int = 12
    few_triples: int = 8
    triple_records: float = 6.0
    most_looks: int = 500
    look_part: float = 0.05
    look_doubt: float = 2.0
    look_slack: float = 0.01
    few_directions: float = 2.0
    unseen_part: float = 0.5
    most_triples: int = 48
    noise_left: float = 0.3
    pair_worth: float = 0.2
