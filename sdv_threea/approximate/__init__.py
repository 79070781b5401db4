"""Approximate: the density of every class (step 1 of 3A, arXiv 2307.01875).

It may read encoded private records, as sums through :mod:`~sdv_threea.privacy`: histograms of the
columns, histograms by class, second moments of normal scores. Everything else here is
post-processing of those three releases, and must not see a record. ``docs/notation.md`` has the
symbols.

* :mod:`~sdv_threea.approximate.counts`: the two releases of histograms,
* :mod:`~sdv_threea.approximate.moments`: the release of moments of normal scores,
* :mod:`~sdv_threea.approximate.density`: the steps, and how finely classes are counted,
* :mod:`~sdv_threea.approximate.bins`: the coarse bins of a column,
* :mod:`~sdv_threea.approximate.histograms`: the histogram of a column over all classes,
* :mod:`~sdv_threea.approximate.odds`: how the chances of the classes vary along it,
* :mod:`~sdv_threea.approximate.scores`: normal scores: codes to normals, and back,
* :mod:`~sdv_threea.approximate.gaussian`: the correlations behind the moments,
* :mod:`~sdv_threea.approximate.constants`: what was chosen by measurement.
"""
