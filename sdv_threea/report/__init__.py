"""Report: what a release is worth, measured on real data, and a page about it.

It may read real rows, and nothing it returns is private: to score synthetic data against real data
discloses something about the real data that no budget pays for, so results stay with whoever holds
it. It must not be used inside a fit.

* :mod:`~sdv_threea.report.making`: the report, in one call,
* :mod:`~sdv_threea.report.result`: the report as a value,
* :mod:`~sdv_threea.report.tables`: what is compared,
* :mod:`~sdv_threea.report.utility`: a model trained on synthetic rows, tried on real ones,
* :mod:`~sdv_threea.report.curves`: the curves behind its scores,
* :mod:`~sdv_threea.report.curve`: what each epsilon would buy,
* :mod:`~sdv_threea.report.quality`: likeness, by SDMetrics,
* :mod:`~sdv_threea.report.distances`: distances to the closest real row,
* :mod:`~sdv_threea.report.cardinalities`: how many rows refer to each row,
* :mod:`~sdv_threea.report.distributions`: columns as shares that can be drawn,
* :mod:`~sdv_threea.report.joint`: two columns at once,
* :mod:`~sdv_threea.report.page`: the HTML page,
* :mod:`~sdv_threea.report.fragments`: pieces of it,
* :mod:`~sdv_threea.report.figures`: its pictures,
* :mod:`~sdv_threea.report.diagram`: the picture of a database.
"""

from sdv_threea.report.cardinalities import compare_cardinalities, draw_cardinalities
from sdv_threea.report.curve import PrivacyCurve, privacy_curve
from sdv_threea.report.diagram import draw_schema
from sdv_threea.report.making import make_report
from sdv_threea.report.quality import Quality, measure_quality
from sdv_threea.report.result import Report
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
