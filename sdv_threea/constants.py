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
    """

    describe: DescribeConstants = DescribeConstants()
    encoding: EncodingConstants = EncodingConstants()
    approximate: ApproximateConstants = ApproximateConstants()
    joint: JointConstants = JointConstants()
    partition: PartitionConstants = PartitionConstants()
    adapt: AdaptConstants = AdaptConstants()
    anonymize: AnonymizeConstants = AnonymizeConstants()
