"""Adapt: tune what was approximated, so that a model trained on it loses little on the real rows.

The yardstick is kernel ridge regression with a neural tangent kernel (Nguyen, Chen, Lee 2020,
arXiv 2011.00050; step 2 of 3A, arXiv 2307.01875). The private rows enter it once, through two noisy
matrices; everything after that is post-processing and costs no privacy.

* :mod:`~sdv_threea.adapt.relu`: the kernel, :mod:`~sdv_threea.adapt.ntk`: those of users,
* :mod:`~sdv_threea.adapt.features`: finite features of it, made by
  :mod:`~sdv_threea.adapt.nystrom`,
* :mod:`~sdv_threea.adapt.rows`: the one pass over private rows, whose sums add up; it takes the
  default kernel from :mod:`~sdv_threea.adapt.exact`,
* :mod:`~sdv_threea.adapt.moments`: the one release of those sums,
* :mod:`~sdv_threea.adapt.ridge`: the loss of a support set, read from that release,
* :mod:`~sdv_threea.adapt.inducing`: support points moved downhill, candidates compared, in shapes
  of :mod:`~sdv_threea.adapt.problem`,
* :mod:`~sdv_threea.adapt.engine`: JAX, as this room uses it.

Import the modules where they are used: most load JAX, and this package must not. The pass over rows
loads it for the kernels of users alone.
"""
