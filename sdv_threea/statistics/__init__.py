"""The list of all released statistics, with their sensitivities, for auditors.

These modules name the statistics and touch no row: a stage passes the function that maps rows to
sums. :mod:`~sdv_threea.accounting.sensitivities` proves the sensitivities.

* :mod:`~sdv_threea.statistics.kind`: a kind of statistic, as data,
* :mod:`~sdv_threea.statistics.describe`: the statistics of the stage *describe*,
* :mod:`~sdv_threea.statistics.registry`: all statistics, each registered once.
"""
