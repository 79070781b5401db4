"""Partition: each class is cut into components by private expectation maximisation (EM).

This room may read scored private records, as sums through :mod:`~sdv_threea.privacy`.

* :mod:`~sdv_threea.partition.em`: number of components, starting centroids, rounds of EM,
* :mod:`~sdv_threea.partition.constants`: constants chosen by measurement.
"""
