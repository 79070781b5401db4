"""Adapt: what was approximated is tuned to the loss of a classifier (step 2 of 3A).

It may read encoded private records, as sums through :mod:`~sdv_threea.privacy`. Two things are
adapted: the labels, by private Fisher scoring on the logistic loss; and the centroids that cut
classes into components, by kernel inducing points with a neural tangent kernel (Nguyen, Chen, Lee
2020, arXiv 2011.00050). Everything after the sums is post-processing and must not see a record.

Import the modules where they are used: some load JAX, and this package must not.

* :mod:`~sdv_threea.adapt.constants`: its constants, and why they are as they are,
* :mod:`~sdv_threea.adapt.labels`: the labels, fitted in private steps,
* :mod:`~sdv_threea.adapt.evidence`: weights of evidence, and the model of the labels,
* :mod:`~sdv_threea.adapt.slopes`: the pass over private rows that a step needs,
* :mod:`~sdv_threea.adapt.centroids`: the centroids, moved,
* :mod:`~sdv_threea.adapt.inducing`: support points moved downhill, candidates compared,
* :mod:`~sdv_threea.adapt.ridge`: the loss of support points, read from released moments,
* :mod:`~sdv_threea.adapt.problem`: the same in a few shapes, so that XLA compiles few programs,
* :mod:`~sdv_threea.adapt.moments`: the release of kernel moments,
* :mod:`~sdv_threea.adapt.rows`: the pass over private rows that it needs,
* :mod:`~sdv_threea.adapt.relu`: the default kernel,
* :mod:`~sdv_threea.adapt.ntk`: kernels that users bring,
* :mod:`~sdv_threea.adapt.features`: finite features of a kernel,
* :mod:`~sdv_threea.adapt.nystrom`: how they are made,
* :mod:`~sdv_threea.adapt.exact`: the features of each row by itself, bit for bit,
* :mod:`~sdv_threea.adapt.engine`: JAX, as this room uses it.
"""
