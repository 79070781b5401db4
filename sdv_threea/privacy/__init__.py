"""Privacy: how private rows are read, and the one door of noise. What an auditor reads first.

It may touch private rows, as sums over all of them. It must not know what the sums are for: no
column, no class, no stage is named here.

* :mod:`~sdv_threea.privacy.rows`: private rows in chunks, of which nothing but sums is read,
* :mod:`~sdv_threea.privacy.statistics`: counts and second moments, and their sensitivities,
* :mod:`~sdv_threea.privacy.clipping`: vectors that are shortened to a norm,
* :mod:`~sdv_threea.privacy.mechanism`: the one door of noise, and thresholds,
* :mod:`~sdv_threea.privacy.sums`: statistics that say how far a record moves them,
* :mod:`~sdv_threea.privacy.discrete`: the discrete Gaussian, drawn exactly,
* :mod:`~sdv_threea.privacy.spending`: the running account of one release,
* :mod:`~sdv_threea.privacy.guard`: keeps what libraries say of private rows from getting out.
"""
