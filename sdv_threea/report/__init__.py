"""What a release is worth, measured on real data: usefulness, likeness, and a page about both.

Nothing in this room is private. To score synthetic data against real data discloses something about
the real data that no budget pays for, so the results stay with whoever holds it.
"""

from sdv_threea.report.cardinalities import compare_cardinalities, draw_cardinalities
from sdv_threea.report.curve import PrivacyCurve, privacy_curve
from sdv_threea.report.making import make_report
from sdv_threea.report.quality import Quality, measure_quality
from sdv_threea.report.result import Report
from sdv_threea.report.schema import draw_schema
from sdv_threea.report.utility import Utility, measure_utility, train_synthetic_test_real

__all__ = [
    'PrivacyCurve',
    'Quality',
    'Report',
    'Utility',
    'compare_cardinalities',
    'draw_cardinalities',
    'draw_schema',
    'make_report',
    'measure_quality',
    'measure_utility',
    'privacy_curve',
    'train_synthetic_test_real',
]
