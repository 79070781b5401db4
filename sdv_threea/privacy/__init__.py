"""Privacy: the only place where noise is added, and the account of what it costs.

Exact sums over private rows come in. These modules must not know what the sums are for: they name
no column, no class and no stage. An auditor reads this folder after :mod:`~sdv_threea.rows`.

* :mod:`~sdv_threea.privacy.door`: adds noise to the sums of a statistic, and returns them with a
  receipt,
* :mod:`~sdv_threea.privacy.mechanism`: Gaussian noise, and stability thresholds,
* :mod:`~sdv_threea.privacy.discrete`: the discrete Gaussian, sampled exactly,
* :mod:`~sdv_threea.privacy.spending`: the running account of one release.
"""
