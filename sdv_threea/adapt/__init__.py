"""Adapt: the target given the other columns is fitted to a model's loss (step 2 of 3A).

The label solve of kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050) fits labels to
the logistic loss, and numbers to the squared loss. These modules may read encoded private records,
as sums that :mod:`~sdv_threea.privacy` releases; all else is post-processing. Only
:mod:`~sdv_threea.adapt.kernels` uses JAX.

At ``alpha=1`` nothing is adapted. Otherwise the predictable part of a target is multiplied by
``tau = alpha + (1 - alpha) T``, which minimises ``alpha (tau - 1)^2 + (1 - alpha) (tau - T)^2``:
the best factor for the density is one, and for the loss ``T``, because models learn more from
targets that are easier to predict. Log odds of standard deviation ``s`` have ``T = log_odds_spread
/ s``, between one and ``most_stretch``; numbers have ``T = number_stretch``, and their residuals
shrink.

* :mod:`~sdv_threea.adapt.stage`: the stage, which runs the other modules,
* :mod:`~sdv_threea.adapt.constants`: constants chosen by measurement,
* :mod:`~sdv_threea.adapt.evidence`: weights of evidence of single columns,
* :mod:`~sdv_threea.adapt.ntk`: the neural tangent kernel of a ReLU network,
* :mod:`~sdv_threea.adapt.kernels`: kernels of users,
* :mod:`~sdv_threea.adapt.features`: finite features of a kernel, computed row by row,
* :mod:`~sdv_threea.adapt.model`: the model of the labels, from evidence and features,
* :mod:`~sdv_threea.adapt.slopes`: the slope of the logistic loss, summed over private rows,
* :mod:`~sdv_threea.adapt.moments`: second moments of features over private rows,
* :mod:`~sdv_threea.adapt.belief`: the posterior of weights given a noisy slope,
* :mod:`~sdv_threea.adapt.span`: fewer coordinates of weights, where columns outnumber draws,
* :mod:`~sdv_threea.adapt.fit`: steps from released slopes and moments, and from draws,
* :mod:`~sdv_threea.adapt.labels`: the private fit of the labels,
* :mod:`~sdv_threea.adapt.trees`: trees that predict a number as the density does,
* :mod:`~sdv_threea.adapt.terms`: sums of residuals in bins of columns and of pairs,
* :mod:`~sdv_threea.adapt.numbers`: the model of a number, from trees, terms and features,
* :mod:`~sdv_threea.adapt.ridge`: the private ridge regression of a number on features,
* :mod:`~sdv_threea.adapt.regression`: the private fit of a number.
"""
