"""Privacy: the only place where noise is added, and the account of its cost.

The input is exact sums over private rows. These modules do not depend on the purpose of a sum: they
name no column, no class and no stage. An auditor reads this folder after :mod:`~sdv_threea.rows`.

* :mod:`~sdv_threea.privacy.door`: noisy sums of a statistic, with a receipt,
* :mod:`~sdv_threea.privacy.mechanism`: Gaussian noise, and stability thresholds,
* :mod:`~sdv_threea.privacy.discrete`: the discrete Gaussian, sampled exactly,
* :mod:`~sdv_threea.privacy.spending`: the running account of one release.
"""
