"""Adapt: tune what was approximated, so that a model trained on it loses little on the real rows.

The yardstick is kernel ridge regression with a neural tangent kernel (Nguyen, Chen, Lee 2020,
arXiv 2011.00050; step 2 of 3A, arXiv 2307.01875). The private rows enter it once, through two noisy
matrices; everything after that is post-processing and costs no privacy.

* :mod:`~sdv_threea.adapt.ntk`: the kernel,
* :mod:`~sdv_threea.adapt.features`: finite features of it,
* :mod:`~sdv_threea.adapt.moments`: the one release that reads private rows,
* :mod:`~sdv_threea.adapt.ridge`: the loss of a support set, read from that release,
* :mod:`~sdv_threea.adapt.inducing`: support points moved downhill, candidates compared.

Import the modules where they are used: they load JAX, and this package must not.
"""
