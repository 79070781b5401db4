"""Joint: what pairs of columns say together. A part of the stage *approximate*.

It may read encoded private records, as sums through :mod:`~sdv_threea.privacy`: one histogram for
each pair of columns, in coarse bins. Everything after that is post-processing of that release and
must not see a record. Where noise would drown the pairs there is one bin per column, nothing is
asked, and the density is that of normal scores alone.

* :mod:`~sdv_threea.joint.bins`: the bins in which pairs are counted, and whether it pays,
* :mod:`~sdv_threea.joint.pairs`: the release of the counts,
* :mod:`~sdv_threea.joint.prior`: what the released correlations say of the pairs,
* :mod:`~sdv_threea.joint.tables`: noisy counts to probabilities,
* :mod:`~sdv_threea.joint.chain`: a distribution over all columns that has these pairs,
* :mod:`~sdv_threea.joint.density`: the chain, with the codes inside the bins,
* :mod:`~sdv_threea.joint.constants`: the constants of the room.
"""
