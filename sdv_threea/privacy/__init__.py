"""Privacy: the only place where noise is added, and the account of it.

What comes in are exact sums over private rows. It must not know what the sums are for: no column,
no class, no stage is named here. An auditor reads this room after :mod:`~sdv_threea.rows`.

* :mod:`~sdv_threea.privacy.door`: the way of sums to the noise, and back with a receipt,
* :mod:`~sdv_threea.privacy.mechanism`: Gaussian noise, and stability thresholds,
* :mod:`~sdv_threea.privacy.discrete`: the discrete Gaussian, sampled exactly,
* :mod:`~sdv_threea.privacy.spending`: the running account of one release.
"""
