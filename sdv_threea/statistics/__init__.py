"""The statistics that are released: an auditor reads here what a record adds to each.

It knows what the sums are for, and touches no row itself: a stage hands it the map that is summed.

* :mod:`~sdv_threea.statistics.kind`: a kind of statistic, as data,
* :mod:`~sdv_threea.statistics.sensitivities`: how far a record moves each, and the proofs,
* :mod:`~sdv_threea.statistics.describe`: those of the stage *describe*,
* :mod:`~sdv_threea.statistics.registry`: all kinds, each registered once.
"""
