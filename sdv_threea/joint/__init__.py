"""Joint: what columns say together. A part of the stage *approximate*.

It may read encoded private records, as sums through :mod:`~sdv_threea.privacy`: the interactions of
all pairs of columns, in coarse bins; histograms code by code of pairs that look like functions, and
of the digits of numbers that categories have; how far triples are from what pairs say of them; and
the interactions of triples that are worth it.
Everything after that is post-processing of these releases and must not see a record. Where noise
would drown the pairs, nothing is asked, and the density is that of normal scores alone.

* :mod:`~sdv_threea.joint.bins`: the bins in which pairs are counted, and whether it pays,
* :mod:`~sdv_threea.joint.interactions`: the release of interactions, of columns, pairs and triples,
* :mod:`~sdv_threea.joint.functions`: which pairs are counted code by code, and at which price,
* :mod:`~sdv_threea.joint.pairs`: the release of these counts,
* :mod:`~sdv_threea.joint.triples`: the look at triples, and at which,
* :mod:`~sdv_threea.joint.interplay`: which triples are worth releasing, and what they say,
* :mod:`~sdv_threea.joint.values`: the number that a category has, to the last digit,
* :mod:`~sdv_threea.joint.counting`: the order in which columns are counted, and who pays,
* :mod:`~sdv_threea.joint.prior`: what the released correlations say of the pairs,
* :mod:`~sdv_threea.joint.departures`: what noisy interactions say beyond the noise,
* :mod:`~sdv_threea.joint.tables`: noisy counts of bins to probabilities,
* :mod:`~sdv_threea.joint.codes`: noisy counts of codes to probabilities,
* :mod:`~sdv_threea.joint.lines`: numbers on a line with others,
* :mod:`~sdv_threea.joint.runs`: values that follow one another along an order,
* :mod:`~sdv_threea.joint.order`: the order in which columns are drawn,
* :mod:`~sdv_threea.joint.terms`: tables that a column is fitted to,
* :mod:`~sdv_threea.joint.chain`: a distribution over all columns that has these tables,
* :mod:`~sdv_threea.joint.levelling`: chances of bins that have the margin of their column,
* :mod:`~sdv_threea.joint.inside`: codes inside bins,
* :mod:`~sdv_threea.joint.places`: values inside the intervals of codes,
* :mod:`~sdv_threea.joint.estimates`: what is known of columns and of pairs of them,
* :mod:`~sdv_threea.joint.density`: what is released, and the chain that is fitted to it,
* :mod:`~sdv_threea.joint.constants`: the constants of the room.
"""
