"""The quality of a release, measured on real data, and a page about it.

A report reads real rows, and its results are not differentially private: a comparison with real
data discloses something about them, and no budget pays for that. Results are therefore for readers
who may see the real data, and nothing here may be used inside a fit.

* :mod:`~sdv_threea.report.making`: the report, in one call,
* :mod:`~sdv_threea.report.result`: the report as a value,
* :mod:`~sdv_threea.report.inputs`: the compared tables, checked and read,
* :mod:`~sdv_threea.report.utility`: scores of models trained on synthetic rows, tested on real
  ones,
* :mod:`~sdv_threea.report.epsilons`: such scores for several epsilons, on public rows,
* :mod:`~sdv_threea.report.quality`: similarity of columns and pairs of columns, by SDMetrics,
* :mod:`~sdv_threea.report.distributions`: columns of two tables in common bins,
* :mod:`~sdv_threea.report.fidelity`: errors of columns and pairs, and impossible rows,
* :mod:`~sdv_threea.report.risk`: distances to the closest real row, and attacks by anonymeter,
* :mod:`~sdv_threea.report.verdict`: grades, losses and advice,
* :mod:`~sdv_threea.report.page`: the HTML page,
* :mod:`~sdv_threea.report.columns_page`: its sections on columns and pairs,
* :mod:`~sdv_threea.report.database`: the picture of a database, and numbers of rows per parent row.
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
