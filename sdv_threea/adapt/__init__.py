"""Adapt: fit the target, given the other columns, to the loss of a model (step 2 of 3A).

One noisy generalised linear model predicts labels and numbers (:mod:`~sdv_threea.adapt.fit` has its
formulas). These modules read encoded private records only as sums that
:mod:`~sdv_threea.privacy` releases; all else is post-processing. Only
:mod:`~sdv_threea.adapt.kernels` uses JAX.

At ``alpha=1`` nothing is adapted. Otherwise the predictable part of a target is multiplied by
``tau = alpha + (1 - alpha) T``, which minimises ``alpha (tau - 1)^2 + (1 - alpha) (tau - T)^2``:
the best factor is one for the density, and ``T`` for the loss, because models learn more from
targets that are easier to predict. For log odds of standard deviation ``s``, ``T`` is
``sure_odds / s``, between one and ``most_stretch``; for numbers ``T`` is ``number_stretch``.

* :mod:`~sdv_threea.adapt.target_stage`: the stage, which runs the other modules,
* :mod:`~sdv_threea.adapt.labels`: the label model, and its private fit,
* :mod:`~sdv_threea.adapt.regression`: the model of a numerical target, and its private fit,
* :mod:`~sdv_threea.adapt.fit`: the fit of both, step by step,
* :mod:`~sdv_threea.adapt.link_functions`: the target of a linear predictor: classes, or a number,
* :mod:`~sdv_threea.adapt.design`: the inputs of a linear predictor: evidence, or bins,
* :mod:`~sdv_threea.adapt.features`: further inputs: kernel features, computed row by row,
* :mod:`~sdv_threea.adapt.belief`: the posterior of the weights, updated by noisy slopes,
* :mod:`~sdv_threea.adapt.slopes`: the slope of the loss, summed over private rows,
* :mod:`~sdv_threea.adapt.ntk`: the neural tangent kernel of a ReLU network,
* :mod:`~sdv_threea.adapt.kernels`: user-defined kernels,
* :mod:`~sdv_threea.adapt.trees`: trees that predict a numerical column as the density does,
"""
