"""Adapt: what was approximated is fitted to the loss of a classifier (step 2 of 3A).

Two things are adapted. The labels are fitted by private Fisher scoring on the logistic loss. The
centroids, which cut classes into components, are moved by kernel inducing points with a neural
tangent kernel (Nguyen, Chen, Lee 2020, arXiv 2011.00050).

This room may read encoded private records, as sums that :mod:`~sdv_threea.privacy` releases.
Whatever follows is post-processing: it must see released and public numbers only. JAX is met in
:mod:`~sdv_threea.adapt.kernels` alone, which is imported where a user brings a kernel, and nowhere
else. ``docs/notation.md`` has the symbols.

* :mod:`~sdv_threea.adapt.constants`: what was chosen by measurement, and why,
* :mod:`~sdv_threea.adapt.evidence`: weights of evidence, and the scorecard that adds them up,
* :mod:`~sdv_threea.adapt.slopes`: the slope of the logistic loss, summed over private rows,
* :mod:`~sdv_threea.adapt.labels`: the scorecard, fitted in private steps,
* :mod:`~sdv_threea.adapt.ntk`: the neural tangent kernel of a ReLU network,
* :mod:`~sdv_threea.adapt.kernels`: kernels that users bring,
* :mod:`~sdv_threea.adapt.features`: finite features of a kernel, of each row by itself,
* :mod:`~sdv_threea.adapt.moments`: their second moments over private rows, released,
* :mod:`~sdv_threea.adapt.inducing`: centroids, moved by kernel inducing points.
"""
