"""Adapt: what was approximated is fitted to the loss of a classifier (step 2 of 3A).

The labels are fitted by private Fisher scoring on the logistic loss: the values of a categorical
target follow from what columns say one by one, and from features of a neural tangent kernel, which
see columns together. It is the label solve of kernel inducing points (Nguyen, Chen, Lee 2020, arXiv
2011.00050).

Of a numerical target the expected number is fitted to the squared loss over the private rows,
beside what the density expects of it already: by bins of columns and of pairs, and by a ridge
regression on features of that kernel.

This room may read encoded private records, as sums that :mod:`~sdv_threea.privacy` releases.
Whatever follows is post-processing: it must see released and public numbers only. JAX is met in
:mod:`~sdv_threea.adapt.kernels` alone, which is imported where a user brings a kernel, and nowhere
else. ``docs/notation.md`` has the symbols.

* :mod:`~sdv_threea.adapt.constants`: what was chosen by measurement, and why,
* :mod:`~sdv_threea.adapt.trade`: what ``alpha`` does, to labels and to numbers,
* :mod:`~sdv_threea.adapt.evidence`: weights of evidence, of one column at a time,
* :mod:`~sdv_threea.adapt.ntk`: the neural tangent kernel of a ReLU network,
* :mod:`~sdv_threea.adapt.kernels`: kernels that users bring,
* :mod:`~sdv_threea.adapt.features`: finite features of a kernel, of each row by itself,
* :mod:`~sdv_threea.adapt.model`: the model of the labels, of evidence and features,
* :mod:`~sdv_threea.adapt.slopes`: the slope of the logistic loss, summed over private rows,
* :mod:`~sdv_threea.adapt.moments`: second moments of features over private rows,
* :mod:`~sdv_threea.adapt.belief`: what a noisy slope says of weights,
* :mod:`~sdv_threea.adapt.span`: fewer coordinates of weights, where columns outnumber draws,
* :mod:`~sdv_threea.adapt.fit`: steps by slopes and moments, read off draws otherwise,
* :mod:`~sdv_threea.adapt.labels`: the model, fitted in private steps,
* :mod:`~sdv_threea.adapt.trees`: trees that say what the density expects of a number,
* :mod:`~sdv_threea.adapt.terms`: what bins of columns and of pairs add, summed over private rows,
* :mod:`~sdv_threea.adapt.numbers`: the model of a number, of trees, terms and features,
* :mod:`~sdv_threea.adapt.ridge`: what features say of a number, summed over private rows,
* :mod:`~sdv_threea.adapt.regression`: the model of a number, fitted in private steps.
"""
