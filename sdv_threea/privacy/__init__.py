"""Privacy: how private rows are read, and the only place where noise is added.

It may touch private rows, as sums over all of them. It must not know what the sums are for: no
column, no class, no stage is named here. An auditor reads this room first.

* :mod:`~sdv_threea.privacy.rows`: private rows in chunks, of which only sums are read,
* :mod:`~sdv_threea.privacy.statistics`: counts and second moments, and their sensitivities,
* :mod:`~sdv_threea.privacy.clipping`: vectors clipped to a norm,
* :mod:`~sdv_threea.privacy.mechanism`: Gaussian noise, and stability thresholds,
* :mod:`~sdv_threea.privacy.sums`: statistics that declare their sensitivity, and their release,
* :mod:`~sdv_threea.privacy.discrete`: the discrete Gaussian, sampled exactly,
* :mod:`~sdv_threea.privacy.spending`: the running account of one release,
* :mod:`~sdv_threea.privacy.guard`: blocks warnings, logs and errors that could show private cells.
"""
