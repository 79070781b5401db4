"""All constants of the algorithm that are chosen by measurement, room by room.

They are passed down from :class:`~sdv_threea.settings.Settings`, so a benchmark moves one by
replacing a field. Shares of the budget are settings of their own. Numerical limits, such as those
of overflow and memory, stay beside the code that needs them.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.anonymize.constants import AnonymizeConstants
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.encoding.constants import EncodingConstants
from sdv_threea.joint.constants import JointConstants
from sdv_threea.partition.constants import PartitionConstants


@dataclass(frozen=True, kw_only=True)
class RelationalConstants:
    """The constants of several tables that refer to each other.

    They stand here, as the room of databases is built upon the settings. They were set by hand, in
    a few runs on made databases and on those of ``benchmarks/relational.py``
    (``docs/lab_notes.md``). ``benchmarks/constants.py`` measures labels of single tables, which
    none of them moves.

    Args:
        magnitudes_share: Share of a table's budget that pays for how many rows units have. Without
            these counts, the size of a table that few units have much of was hundreds or tens of
            thousands, by luck.
        siblings_share: Share of a table's budget that pays for what siblings have in common. Set by
            hand.
        orphans_share: Share of a table's budget that pays for how many rows have no owner. It is
            one count, so a little is enough. Set by hand.
        units_false_alarm: The chance that noise alone makes some units look larger than all units
            are. Set by hand.
        typical_share: The share of the rows in a typical bin of a histogram. The bound on the rows
            of a unit makes its error smallest. Set by hand.
        agreeing: Two estimates of one size agree if they differ by at most this many standard
            deviations of their noise. Set by hand.
        clear_of_noise: A noisy count is taken as it is above this many standard deviations of its
            noise, else for zero. Set by hand.
        most_shared: The largest part of the variance that the parent leaves open and that siblings
            may share. Below one, so that rows of one parent still differ. Set by hand.
        top_discount: The largest of many noisy shares is too large, most likely. Shares of
            references are capped at the largest one less this many standard deviations of the
            noise. Set by hand.
        most_lifted: Every row of a parent is referred to at least once, if that takes at most this
            share of the references. Otherwise rows whose share noise has hidden would never be
            referred to; lifting more of them lost.
    """

    magnitudes_share: float = 0.05
    siblings_share: float = 0.05
    orphans_share: float = 0.01
    units_false_alarm: float = 0.02
    typical_share: float = 0.02
    agreeing: float = 2.0
    clear_of_noise: float = 3.0
    most_shared: float = 0.95
    top_discount: float = 2.0
    most_lifted: float = 0.02


@dataclass(frozen=True, kw_only=True)
class Constants:
    """The constants of every room that has any.

    Args:
        describe: What decides where blanks of the domain are filled in.
        encoding: What decides how columns are cut into bins, and a numerical target into classes.
        approximate: What decides how densities are counted, smoothed and shrunk.
        joint: What decides how pairs of columns are counted, and joined.
        partition: What decides how many components a class has, and how they are found.
        adapt: What decides how labels are fitted to the loss of a classifier.
        anonymize: What decides how components become a mixture.
        relational: What decides how sizes, siblings and references of a database are found.
    """

    describe: DescribeConstants = DescribeConstants()
    encoding: EncodingConstants = EncodingConstants()
    approximate: ApproximateConstants = ApproximateConstants()
    joint: JointConstants = JointConstants()
    partition: PartitionConstants = PartitionConstants()
    adapt: AdaptConstants = AdaptConstants()
    anonymize: AnonymizeConstants = AnonymizeConstants()
    relational: RelationalConstants = RelationalConstants()
