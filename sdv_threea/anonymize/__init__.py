"""Anonymize: the records of a component are replaced by their noisy mixture (step 3 of 3A).

It must not touch a private row: the moments come released, from
:func:`sdv_threea.approximate.moments.release_score_moments`.

* :mod:`~sdv_threea.anonymize.mixing`: released moments to a density,
* :mod:`~sdv_threea.anonymize.mixture`: the density: a mixture of Gaussians per class,
* :mod:`~sdv_threea.anonymize.constants`: what was chosen by measurement.
"""
