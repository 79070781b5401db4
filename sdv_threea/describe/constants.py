"""The constants of the stage *describe*: their values, reasons, and the effect of other values.

No benchmark moves them one at a time, because that of ``docs/lab/constants.md`` takes ranges as
public. They were set by hand, mostly on Adult and a little on four other tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdv_threea.maths.evidence import Evidence


@dataclass(frozen=True, kw_only=True)
class DescribeConstants(Evidence):
    """The constants of the stage *describe*.

    Args:
        fewest: Fewer records are no evidence, however small the noise: of a heavy number, or of a
            wider range. Without noise a share of 200 rows would be less than one, and each of their
            numbers a code; a constant would not stay constant at a large epsilon.
        minor: Weight of a question about one fact of a column (is a cell missing, how round are
            numbers, which are heavy), relative to questions about all of its values. Noise is
            inversely proportional to weights. With .25 bike_sharing at epsilon 8 lost heavy numbers
            of ``atemp``, whose histogram was .108 off in place of .066 (two fits).
        few_records: Records at which the budget of *describe* is what the settings say, in units of
            the noise of its counts: with fewer records it grows with their inverse square.
        share_of_few: The largest share of *describe*. Of .23, .4, .55 and .7, the middle two were
            best on four tables of 400 to 900 rows at epsilon .5, 1 and 3.
        least_for_classes: Least share of the question about classes, relative to all others. At .18
            two fits in three of parts of covtype_compact at epsilon 1 lost a class of 115 of 24,000
            records (AUC .851 for .904), at .3 one in ten. german_credit, compas, telco_churn and
            adult learn as much at .3, and adult less at .4.
        first_look: Share of a first look at values or numbers; the rest is for a second one at
            rarer values, or at tails. Of .7, .5, .35 and .2, the last two are best on mushroom at
            epsilon 1, which lost a value of one row in fifty in 4 of 22 columns, with a single look
            in 8.5. With two looks SDMetrics' quality of Adult without a target is .981 at epsilon 1
            and private metadata, with one .947; ranges do as well with .25 or .4.
        runs: Lengths of the tested runs, in bins of the public grid. Powers of two find values
            however widely they are spread. Set by hand.
        usual_octaves: Numbers usually lie between these powers of two; beyond, more evidence is
            needed. Set by hand.
        usual_times: The same for times, in seconds from 2000 on: from half a year to 50 years. Set
            by hand.
        per_octave: Log-likelihood penalty of an octave beyond the usual ones; the fullest run of
            noise gains six or seven. Set by hand.
        negative: Log-likelihood penalty of a negative number. Set by hand.
        bulk_widths: Standard deviations of the humps that a bulk may form, in bins. Set by hand.
        tail: Share of a bulk beyond each of its likely ends, and probability that an end lies
            beyond that of a bin, or of an extrapolated range. With .08 beyond a bulk, tables of 400
            rows lost half as many columns more than with .04; an end within a bin that lies too
            near with a probability of .5 cut off 10 % of the real rows in place of 4.
        coarse_evidence: Numbers are counted in octaves, not in quarters of them, up to this many
            records, in noise scales of a bin: a bin four times as wide has more records and no more
            noise. At epsilon 1, octaves lost half as many columns of 398 rows, and were no worse on
            5,000.
        reach: Probability that a column ends before the likely end of its tail. On ten columns of
            4,165 rows at epsilon 1, sure ends alone cut off 6.8 % of the rows and let .1 % of the
            samples lie outside; .7 cuts off 2.0 %, with .5 % outside (``benchmarks/ends.py``).
        wide: A stated range of few values is too wide if the records, in noise scales of histograms
            of all columns at the whole budget, are fewer than this times the root of the number of
            values. At 8 the columns of titanic with ranges four times too wide were .89 alike
            instead of .93, at epsilon 1.
        most_wide: The most columns whose stated ranges may be estimated anew. With all of sixty,
            which predict a class of a thousand records only together, the AUC was .82 instead of
            .85.
        vast: A stated range this many times as wide as the occupied one is a mere bound, because
            noise would fill its empty parts. Without it labels of eeg_eye_state with public
            metadata learn less at epsilon 1 (AUC .74 for .78).
    """

    fewest: float = 5.0
    minor: float = 0.35
    few_records: float = 100.0
    share_of_few: float = 0.5
    least_for_classes: float = 0.3
    first_look: float = 0.25
    runs: tuple[int, ...] = (1, 2, 4, 8, 16)
    usual_octaves: tuple[float, float] = (-4.0, 10.0)
    usual_times: tuple[float, float] = (24.0, 30.5)
    per_octave: float = 1.0
    negative: float = 3.0
    bulk_widths: tuple[float, ...] = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
    tail: float = 0.05
    coarse_evidence: float = 250.0
    reach: float = 0.7
    wide: float = 16.0
    most_wide: int = 32
    vast: float = 8.0
