"""All constants of the algorithm that were chosen by measurement, folder by folder.

:class:`~sdv_threea.settings.Settings` passes them down, so a benchmark moves one by replacing a
field. Shares of the budget are settings of their own. Numerical limits, such as those of overflow
and memory, stay next to the code that needs them.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.encoding.constants import EncodingConstants
from sdv_threea.joint.constants import JointConstants


@dataclass(frozen=True, kw_only=True)
class RelationalConstants:
    """The constants of several tables that refer to each other.

    They are defined here because the folder ``relational`` depends on the settings. They were set
    by hand, in a few runs on made databases and on those of ``benchmarks/relational.py``
    (``docs/lab/lab_notes.md``). ``benchmarks/constants.py`` measures labels of single tables, which
    none of them moves.

    Args:
        magnitudes_share: Share of a table's budget for the counts of units by their number of rows.
            Without these counts, the size of a table in which few units have most rows was hundreds
            or tens of thousands, by chance.
        magnitudes_noise: With few units, magnitudes get more: the noise of a count is this part of
            the number of units. Set by hand.
        magnitudes_of_few: The most that this may take of the table's budget. Set by hand.
        magnitudes_of_hidden: If noise masks the number of units in a table's histograms, magnitudes
            get up to this share. With less, tables of 60 to 90 units came out empty at epsilon 1.
        agreement_share: Share of a table's budget for the values that two rows of a unit share
            (``relational/agreement.py``). Set by hand.
        links_share: Share of a table's budget for the foreign keys that lead to private rows of
            other units. Set by hand.
        repeats_share: Part of ``links_share`` for pairs of rows of a unit that refer to the same
            row. Set by hand.
        orphans_share: Share of a table's budget for the number of rows without an owner. It is a
            single count, so a small share is enough. Set by hand.
        units_false_alarm: The probability that noise alone makes some unit look larger than all
            units are. Set by hand.
        typical_share: The share of rows in a typical bin of a histogram. The bound on rows per unit
            minimises the error of such a bin. Set by hand.
        agreeing: Two estimates of one size agree if they differ by at most this many standard
            deviations of their noise. Set by hand.
        clear_of_noise: A noisy count below this many standard deviations of its noise is taken for
            zero. Set by hand.
        top_discount: The largest of many noisy shares is most likely too large, so shares of
            references are capped at the largest one minus this many standard deviations of the
            noise. Set by hand.
        most_lifted: Every row of a parent gets at least one reference, if that takes at most this
            share of the references. Otherwise rows whose share is masked by noise would never be
            referred to; larger values lost.
    """

    magnitudes_share: float = 0.05
    magnitudes_noise: float = 0.1
    magnitudes_of_few: float = 0.25
    magnitudes_of_hidden: float = 0.6
    agreement_share: float = 0.05
    links_share: float = 0.05
    repeats_share: float = 0.2
    orphans_share: float = 0.01
    units_false_alarm: float = 0.02
    typical_share: float = 0.02
    agreeing: float = 2.0
    clear_of_noise: float = 3.0
    top_discount: float = 2.0
    most_lifted: float = 0.02


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The constants of each folder that has any.

    Args:
        describe: How the blanks of the domain are filled in.
        encoding: How columns are cut into bins, and a numerical target into classes.
        approximate: How densities are counted, smoothed and shrunk.
        joint: How pairs of columns are counted and joined.
        adapt: How the target is fitted to the loss of a model.
        relational: How sizes, siblings and references of a database are found.
    """

    describe: DescribeConstants = DescribeConstants()
    encoding: EncodingConstants = EncodingConstants()
    approximate: ApproximateConstants = ApproximateConstants()
    joint: JointConstants = JointConstants()
    adapt: AdaptConstants = AdaptConstants()
    relational: RelationalConstants = RelationalConstants()
