"""The constants of the stage *describe*: what was chosen, why, and what moving it did.

No benchmark moves them one at a time, because that of ``docs/lab/constants.md`` takes ranges as
public. They were set by hand, mostly on Adult and a little on four other tables.
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
        question_weights: Weight of one column in each question; its noise is inversely
            proportional. Ranges and categories weigh most, because all bins of a number follow from
            its range, and a category below its threshold is lost: at .75 a table of many categories
            and 700 rows lost .08 of AUC at epsilon 1, and others gained nothing. The others were
            set by hand.
        few_records: A table has few records up to this many, in units of the noise that histograms
            of all columns would have at the whole budget. Tables of 300 to 1,000 rows at epsilon 1
            have 20 to 90.
        many_records: From here on a table has many records. Tables of 5,000 rows have 300 to 350.
        share_of_few: Share of the budget for *describe* where records are few. Of .23, .4, .55 and
            .7, the middle two were best on four tables of 400 to 900 rows at epsilon .5, 1 and 3,
            and no better than .23 from 5,000 rows on.
        least_for_classes: Least share of the question about classes, relative to all others. At .18
            two fits in three of parts of covtype_compact at epsilon 1 lost a class of 115 of 24,000
            records (AUC .851 for .904), at .3 one in ten. german_credit, compas, telco_churn and
            adult learn as much at .3, and adult less at .4.
        least_for_classes_of_few: The same where records are few, as values of other columns are
            lost there first. Set by hand: on eleven small tables the difference is below chance.
        evidence_for_classes: Records are few for that purpose below this many times the noise of
            counts of all columns at the price of the stage. Set by hand.
        first_look: Share of the categories' budget for common values; the rest is for rarer ones.
            Of .7, .5, .35 and .2, the last two are best on mushroom at epsilon 1, which lost a
            value of one row in fifty in 4 of 22 columns, with a single look in 8.5. On
            german_credit at epsilon 3 .35 is best.
        bulk_look: Share of the ranges' budget for the bulk; the rest is for the tails. With two
            looks SDMetrics' quality of Adult without a target is .981 at epsilon 1 and private
            metadata, with one .947. Of .25 and .4 neither was better on ten tables.
        least_for_tails: Least number of columns with an open range for the second look, which gains
            nothing with fewer. Where all ranges are stated it only cuts them, and worse: models
            learn .940 and .944 of creditcard_fraud with public metadata at epsilon 1 and 8 with two
            looks, .9445 and .9525 with one (medians of five and six fits, to .005).
        heavy_share: Share of a column's records from which a single number is heavy, and gets a
            code of its own. Set by hand.
        fewest_heavy: A single number of fewer records is not heavy. Without noise .002 of 200 rows
            would be less than one, and each of their numbers a code. Set by hand.
        believed: Missing values, and numbers finer than a step, count as real above this many noise
            scales. Set by hand.
        evident_rest: Values that were not released get a code of their own above this many noise
            scales. At 2.5, one in 160 columns with all values released showed missing cells that it
            does not have.
        false_alarm: Probability that noise alone makes any run of bins of any column significant.
            Set by hand.
        runs: Lengths of the tested runs, in bins of the public grid. Powers of two find values
            however widely they are spread. Set by hand.
        outermost: Least evidence for the outermost bins of a significant run, in noise scales. Set
            by hand.
        usual_octaves: Numbers usually lie between these powers of two; beyond, more evidence is
            needed. Set by hand.
        usual_times: The same for times, in seconds from 2000 on: from half a year to 50 years. Set
            by hand.
        heavy_zero: Zeros above this evidence are released by themselves, and are no part of the
            bulk of :func:`~sdv_threea.describe.bulk.likely_ends`. Set by hand.
        evident_bulk: A bulk has more records than this many noise scales of their number. Set by
            hand.
        bulk_widths: Standard deviations of the humps that a bulk may form, in bins. Set by hand.
        bulk_tail: Share of a bulk beyond each of its ends. At .08 tables of 400 rows lost half as
            many columns more than at .04.
        end_in_bin: Probability that values end before the end estimated in the last bin of a likely
            range. On six tables at epsilon 1, .95 halved the samples beyond the real ends (2.1 to
            1.0 %), and cut off 4.3 % of the real rows instead of 4.0 %; .5 cut off 10 %.
        worth_guessing: Likely ends are used where more than this share of the records lies beyond
            sure ends, or noise masks as many. Set by hand.
        coarse_evidence: Numbers are counted in octaves, not in quarters of them, up to this many
            records, in noise scales of a bin: a bin four times as wide has more records and no more
            noise. At epsilon 1, octaves lost half as many columns of 398 rows, and were no worse on
            5,000.
        round_evidence: Multiples of ten, of a hundred, of five cents are tried above this many
            records, in noise scales of a count. With fewer, a few fits in a hundred would lose the
            finer numbers of a column of which a fifth are finer.
        per_octave: Log-likelihood penalty of an octave beyond the usual ones; the fullest run of
            noise gains six or seven. Set by hand.
        negative: Log-likelihood penalty of a negative number. Set by hand.
        next_bin: Evidence that a single bin next to the range needs to join it, in noise scales.
            Set by hand.
        next_run: The same for a longer run of bins, per root of its length. Set by hand.
        run_length: The longest such run. Set by hand.
        least_at_end: With noise, a range does not grow for fewer records than this, so a constant
            stays constant at a large epsilon. Set by hand.
        overshoot: Probability that any sure end lies beyond the values of its column.
        reach: Probability that a column ends before the likely end of its tail. On ten columns of
            4,165 rows at epsilon 1, sure ends alone cut off 6.8 % of the rows and let .1 % of the
            samples lie outside; .7 cuts off 2.0 %, with .5 % outside (``benchmarks/ends.py``).
        reach_far: The same for extrapolated ranges: 1.2 % and 1.0 %.
        wide: A stated range of few values is too wide if the records, in units of ``few_records``,
            are fewer than this times the root of the number of values; the noise of all values is
            then about a quarter of the records. At 8 the columns of titanic with ranges four times
            too wide were .89 alike instead of .93, at epsilon 1.
        most_wide: The most columns whose stated ranges may be estimated anew. With all of sixty,
            which predict a class of a thousand records only together, the AUC was .82 instead of
            .85.
        vast: A stated range this many times as wide as the occupied one is a mere bound, because
            noise would fill its empty parts. Without it labels of eeg_eye_state with public
            metadata learn less at epsilon 1 (AUC .74 for .78).
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
    fewest_heavy: float = 5.0
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
    least_at_end: float = 3.0
    overshoot: float = 0.01
    reach: float = 0.7
    reach_far: float = 0.95
    wide: float = 16.0
    most_wide: int = 32
    vast: float = 8.0
