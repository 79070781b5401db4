"""The statistics that are released: an auditor reads here what a record adds to each.

These modules name the statistics and touch no row: a stage passes the function that maps rows to
sums. :mod:`~sdv_threea.accounting.sensitivities` proves how far a record moves each.

* :mod:`~sdv_threea.statistics.kind`: a kind of statistic, as data,
* :mod:`~sdv_threea.statistics.describe`: those of the stage *describe*,
* :mod:`~sdv_threea.statistics.registry`: all kinds, each registered once.
"""
