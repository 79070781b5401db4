"""Maths: formulas on plain arrays that several folders share.

Inputs are released or public numbers. The modules import only constants from other folders.

* :mod:`~sdv_threea.maths.shrinkage`: noisy values averaged, or shrunk toward zero,
* :mod:`~sdv_threea.maths.smoothing`: noisy counts of neighbours, smoothed at every resolution,
* :mod:`~sdv_threea.maths.buckets`: the number and sizes of values, from noisy counts of buckets,
* :mod:`~sdv_threea.maths.uneven`: many noisy counts, shrunk toward equal ones,
* :mod:`~sdv_threea.maths.neighbours`: noisy correlations of ordered columns, smoothed,
* :mod:`~sdv_threea.maths.positive`: symmetric matrices with bounded eigenvalues,
* :mod:`~sdv_threea.maths.mixtures`: frequencies of the components of a mixture,
* :mod:`~sdv_threea.maths.simplex`: the nearest point of a simplex,
* :mod:`~sdv_threea.maths.tracking`: progress of long loops,
* :mod:`~sdv_threea.maths.threads`: linear algebra in one thread.
"""
