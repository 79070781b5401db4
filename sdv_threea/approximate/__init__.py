"""Approximate: the density of every class (step 1 of 3A, arXiv 2307.01875).

These modules read encoded private records only as sums through :mod:`~sdv_threea.privacy`: column
histograms, histograms by class, and second moments of normal scores. All other computations are
post-processing and must not read a record.

* :mod:`~sdv_threea.approximate.column_stage`: the stage, which runs the other modules,
* :mod:`~sdv_threea.approximate.counts`: the two releases of histograms,
* :mod:`~sdv_threea.approximate.mixture`: the Gaussians of classes, and samples from them,
* :mod:`~sdv_threea.approximate.moments`: the release of moments of normal scores,
* :mod:`~sdv_threea.approximate.marginals`: the post-processing from counts to normal scores,
* :mod:`~sdv_threea.approximate.bins`: the coarse bins of a column,
* :mod:`~sdv_threea.approximate.histograms`: the histogram of a column over all classes,
* :mod:`~sdv_threea.approximate.logits`: class probabilities in each bin of a column,
* :mod:`~sdv_threea.approximate.scores`: the map from codes to normal scores, and its inverse,
* :mod:`~sdv_threea.approximate.gaussian`: correlations of the normals behind the scores,
"""
