"""Anonymize: a noisy mixture of Gaussians replaces the records of each component (step 3 of 3A).

This room must not read private rows. Its input is the released moments of
:func:`sdv_threea.approximate.moments.release_score_moments`.

* :mod:`~sdv_threea.anonymize.mixing`: from released moments to a mixture,
* :mod:`~sdv_threea.anonymize.mixture`: the mixture of Gaussians, and samples from it,
* :mod:`~sdv_threea.anonymize.constants`: constants chosen by measurement.
"""
