"""Sampling: records drawn from released distributions. This is post-processing; no row is read.

* :mod:`~sdv_threea.sampling.asked`: conditions on rows, and pools to draw rows from,
* :mod:`~sdv_threea.sampling.draws`: the interface of models, and draws with a wanted target,
* :mod:`~sdv_threea.sampling.chained`: the model if pairs of columns are released,
* :mod:`~sdv_threea.sampling.gaussians`: the model if pairs are not released,
* :mod:`~sdv_threea.sampling.truncated`: normals that are truncated to intervals.
"""
