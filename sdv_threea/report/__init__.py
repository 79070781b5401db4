"""Report: the quality of a release, measured on real data, and a page about it.

A report reads real rows, and its results are not differentially private. A comparison with real
data discloses something about the real data, and no budget pays for that. Results are therefore for
readers who may see the real data, and nothing here may be used inside a fit.

* :mod:`~sdv_threea.report.making`: the report, in one call,
* :mod:`~sdv_threea.report.result`: the report as a value,
* :mod:`~sdv_threea.report.inputs`: the tables that are compared, checked and read,
* :mod:`~sdv_threea.report.utility`: models trained on synthetic rows, tested on real ones, and the
  curves behind their scores,
* :mod:`~sdv_threea.report.epsilons`: utility against epsilon, on public rows, by Plotly,
* :mod:`~sdv_threea.report.quality`: similarity of columns and pairs of columns, by SDMetrics,
* :mod:`~sdv_threea.report.distributions`: columns in common bins, as shares of rows and as codes,
* :mod:`~sdv_threea.report.fidelity`: errors of columns and pairs, compared with other real rows,
  and rows with two values that no real row has together,
* :mod:`~sdv_threea.report.risk`: distances to the closest real row, and the attacks of anonymeter,
* :mod:`~sdv_threea.report.verdict`: grades, losses and advice,
* :mod:`~sdv_threea.report.page`: the HTML page,
* :mod:`~sdv_threea.report.columns_page`: its sections on columns and pairs,
* :mod:`~sdv_threea.report.database`: the picture of a database, and numbers of rows that refer to
  each row.
"""

from sdv_threea.report.database import compare_cardinalities, draw_schema
from sdv_threea.report.epsilons import PrivacyCurve, privacy_curve
from sdv_threea.report.fidelity import Fidelity, measure_fidelity
from sdv_threea.report.making import make_report
from sdv_threea.report.quality import Quality, measure_quality
from sdv_threea.report.result import Report
from sdv_threea.report.risk import measure_risk
from sdv_threea.report.utility import Utility, measure_utility, train_synthetic_test_real
from sdv_threea.report.verdict import Grade, Verdict

__all__ = [
    'Fidelity',
    'Grade',
    'PrivacyCurve',
    'Quality',
    'Report',
    'Utility',
    'Verdict',
    'compare_cardinalities',
    'draw_schema',
    'make_report',
    'measure_fidelity',
    'measure_quality',
    'measure_risk',
    'measure_utility',
    'privacy_curve',
    'train_synthetic_test_real',
]
