"""Partition: each class is cut into components, by private expectation maximisation.

It may read scored private records, as sums through :mod:`~sdv_threea.privacy`. Centroids are
released numbers; which one a record belongs to depends on no other record.

* :mod:`~sdv_threea.partition.em`: how many components, their first centroids, the rounds of EM,
* :mod:`~sdv_threea.partition.constants`: what was chosen by measurement.
"""
