"""Sampling: records drawn from released distributions, which is post-processing.

No private row is read: all inputs were released.

* :mod:`~sdv_threea.sampling.asked`: what is known of each row, and pools to draw rows from,
* :mod:`~sdv_threea.sampling.draws`: the interface of models, and draws for a wanted target,
* :mod:`~sdv_threea.sampling.chained`: the model where pairs of columns are released,
* :mod:`~sdv_threea.sampling.gaussians`: the model where they are not,
* :mod:`~sdv_threea.sampling.truncated`: normals that are truncated to intervals.
"""
