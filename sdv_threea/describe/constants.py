"""The constants of describing: what was chosen, why, and what moving it did.

No benchmark moves them one at a time: that of ``docs/constants.md`` takes ranges for public.
They were set by hand, looking mostly at Adult and a little at four other tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def _weigh_questions() -> dict[str, float]:
    return {
        'classes': 1.0,
        'ranges': 1.4,
        'categories': 1.5,
        'spikes': 0.5,
        'nulls': 0.35,
        'steps': 0.25,
    }


@dataclass(frozen=True, kw_only=True)
class DescribeConstants:
    """The constants of the stage *describe*.

    Args:
        question_weights: Weight of one column in each question. The noise of a question is
            inversely proportional to its weight. Ranges weigh much, because all bins of a number
            follow from them; categories do, because a value below its threshold is lost. At .75 a
            table of many categories and 700 rows lost .08 of AUC at epsilon 1, and other tables
            gained nothing. The others were set by hand.
        few_records: A table has few records if it has at most this many, in units of the noise
            that the histograms of all its columns would have if they got the whole budget. Tables
            of 300 to 1,000 rows at epsilon 1 have 20 to 90.
        many_records: From here on a table has many. Those of 5,000 rows have 300 to 350.
        share_of_few: Share of the budget that describing gets where records are few: what is not
            found cannot be modelled. Of .23, .4, .55 and .7, the middle two were best on four
            tables of 400 to 900 rows at epsilon .5, 1 and 3; on tables of 5,000 rows and more they
            were no better than .23.
        least_for_classes: Share of the budget that the question about classes has at least,
            relative to all others. It is about one column among perhaps hundreds, and everything
            is fitted inside the classes. At .18 two fits in three of parts of covtype_compact at
            epsilon 1 lost a class of 115 of 24,000 records (AUC .851 for .904), at .3 one in ten;
            german_credit, compas, telco_churn and adult learn as much at .3, and adult less at .4.
        least_for_classes_of_few: The same where records are few, as values of other columns are
            lost there first. Set by hand: on eleven small tables the difference is below chance.
        evidence_for_classes: Records are few below this many times the noise that counts of all
            columns would have at the price of the stage. Set by hand.
        first_look: Share of the budget of the question about categories that goes to finding common
            values; the rest goes to rarer ones. With a single look, 8.5 of 22 columns of mushroom
            lost a value of one row in fifty at epsilon 1. Of .7, .5, .35 and .2, the last two are
            the best there (4 columns lost), and .35 on german_credit at epsilon 3.
        bulk_look: Share of the budget of the question about ranges that goes to finding where most
            numbers lie; the rest goes to how far the others reach. At epsilon 1 and private
            metadata, without a target, SDMetrics' quality of Adult is .981 with two looks and .947
            with one. Of .25 and .4 neither was better on ten tables.
        least_for_tails: With fewer columns than this of which a range is to be found, the second
            look would be no closer. Where all ranges are stated it only tells where to cut them,
            and tells it worse: models learn .940 and .944 of creditcard_fraud with public metadata
            at epsilon 1 and 8 with two looks, and .9445 and .9525 with one (medians of five and
            six fits, to .005).
        heavy_share: Share of a column's records from which a single number counts as heavy, and
            gets a code by itself. Set by hand.
        believed: Missing values, and numbers finer than a step, are believed in if their count
            exceeds this many noise scales. Set by hand.
        evident_rest: Values that were not released are shown as something of their own if their
            count exceeds this many noise scales. At 2.5, one in 160 columns of which all values
            were released showed missing cells that it does not have.
        false_alarm: Chance that noise alone makes any run of bins of any column stand out. Set by
            hand.
        runs: Lengths of the runs of bins that are looked at, in bins of the public grid. Powers of
            two find values however widely they are spread. Set by hand.
        outermost: Least evidence for the outermost bins of a run that stands out, in noise scales.
            Set by hand.
        usual_octaves: Numbers are taken to lie between these powers of two, as most do, and
            beyond them only on more evidence. Set by hand.
        usual_times: The same for times, in seconds from 2000 on: from half a year to 50 years.
            Set by hand.
        heavy_zero: Zeros of this much evidence are found by themselves, and are no part of the bulk
            whose ends :func:`~sdv_threea.describe.bulk.likely_ends` looks for. Set by hand.
        evident_bulk: The records of a bulk exceed this many standard deviations of the noise of
            their number. Set by hand.
        bulk_widths: Standard deviations of the humps that a bulk may be, in bins. Set by hand.
        bulk_tail: Share of a bulk that lies beyond each of its ends. At .08 tables of 400 rows
            lost half as many columns more than at .04.
        end_in_bin: Chance that the values end before the end that the closer look gives to the last
            bin of a likely range. On six tables at epsilon 1, .95 halved the samples beyond the
            real ends (2.1 to 1.0 %), and no more of the real rows lay beyond theirs (4.0 to 4.3 %);
            at .5 it was 10 %.
        worth_guessing: The likely ends of a bulk count where more than this share of the records
            lies beyond ends that are sure, or noise hides as many. Set by hand.
        coarse_evidence: Numbers are looked for in octaves, and not in quarters of them, if there
            are at most this many records, in units of the noise of a bin: a bin that is four times
            as wide has four times as many records and no more noise. At epsilon 1, octaves lost
            half as many columns of 398 rows, and were no worse on 5,000.
        round_evidence: Multiples of ten, of a hundred, of five cents are looked for if there are
            more than this many records, in units of the noise of a count. With fewer, noise would
            hide too many numbers that are finer: of a column of which a fifth are, a few fits in a
            hundred would lose these.
        per_octave: What an octave beyond costs, as the logarithm of a likelihood. A run of noise
            that looks fullest gains six or seven. Set by hand.
        negative: What a negative number costs likewise. Set by hand.
        next_bin: Evidence that a single bin next to the range needs to belong to it, in noise
            scales. Set by hand.
        next_run: The same for a longer run of bins next to the range, per root of its length. Set
            by hand.
        run_length: The longest such run. Set by hand.
        generous: Factor on ``next_bin`` and ``next_run`` where each value has a code by itself and
            is looked at once more. Set by hand.
        thin: A tail is extended beyond the last bin only if the count of that bin is below this
            many noise scales. Set by hand.
        least_at_end: Where there is noise, a range does not grow for fewer records than this, so a
            constant stays one at a large epsilon. Set by hand.
        overshoot: Chance that any range ends beyond the values of its column. A sampled value
            outside the real range is an invalid one; but ranges that end early cost the scores of
            pairs. At epsilon 1 ranges of Adult miss .47 % of the real numbers in place of .52 %
            with .01, and on five small tables no more samples lie outside.
        extrapolated_overshoot: The same where ranges are extrapolated anyway: the expected number
            of such ranges, which may exceed one. Set by hand.
        wide: A stated range of few values is too wide if the records, in the units of
            ``few_records``, are fewer than this times the root of the number of its values: the
            noise of all its values is then about a quarter of the records. At 8 the columns of
            titanic were .89 alike in place of .93 with ranges four times too wide, at epsilon 1.
        most_wide: The most columns whose stated ranges may be found anew. If all of sixty were,
            which tell a class of a thousand records only together, they told it worse (AUC .82 for
            .85).
        vast: A stated range this many times as wide as where records were found is a mere
            bound, as noise would give its empty parts records. Without it labels of eeg_eye_state
            with public metadata learn less at epsilon 1 (AUC .74 for .78).
    """

    question_weights: Mapping[str, float] = field(default_factory=_weigh_questions)
    few_records: float = 100.0
    many_records: float = 300.0
    share_of_few: float = 0.5
    least_for_classes: float = 0.3
    least_for_classes_of_few: float = 0.18
    evidence_for_classes: float = 300.0
    first_look: float = 0.35
    bulk_look: float = 0.25
    least_for_tails: int = 4
    heavy_share: float = 0.002
    believed: float = 4.0
    evident_rest: float = 4.0
    false_alarm: float = 0.002
    runs: tuple[int, ...] = (1, 2, 4, 8, 16)
    outermost: float = 1.0
    usual_octaves: tuple[float, float] = (-4.0, 10.0)
    usual_times: tuple[float, float] = (24.0, 30.5)
    heavy_zero: float = 6.0
    evident_bulk: float = 4.0
    bulk_widths: tuple[float, ...] = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
    bulk_tail: float = 0.05
    end_in_bin: float = 0.95
    worth_guessing: float = 0.05
    coarse_evidence: float = 250.0
    round_evidence: float = 25.0
    per_octave: float = 1.0
    negative: float = 3.0
    next_bin: float = 1.4
    next_run: float = 3.0
    run_length: int = 12
    generous: float = 0.3
    thin: float = 8.0
    least_at_end: float = 3.0
    overshoot: float = 0.1
    extrapolated_overshoot: float = 2.0
    wide: float = 16.0
    most_wide: int = 32
    vast: float = 8.0
