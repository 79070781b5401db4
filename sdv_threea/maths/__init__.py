"""Maths: formulas on plain arrays that several folders share.

These modules get released and public numbers only. From other modules they import only constants.

* :mod:`~sdv_threea.maths.shrinkage`: noisy values averaged, or shrunk toward zero,
* :mod:`~sdv_threea.maths.smoothing`: noisy counts of neighbours, smoothed at every resolution,
* :mod:`~sdv_threea.maths.buckets`: noisy bucket counts, read as values and their sizes,
* :mod:`~sdv_threea.maths.uneven`: noisy counts of many rows, as uneven as they show,
* :mod:`~sdv_threea.maths.neighbours`: noisy pairs of ordered columns, smoothed,
* :mod:`~sdv_threea.maths.positive`: symmetric matrices with bounded eigenvalues,
* :mod:`~sdv_threea.maths.mixtures`: frequencies of the components of a mixture,
* :mod:`~sdv_threea.maths.simplex`: the nearest point of a simplex,
* :mod:`~sdv_threea.maths.steps`: the steps of long loops, counted for a progress bar,
* :mod:`~sdv_threea.maths.threads`: products of small matrices, in one thread.
"""
