"""Joint: dependence between columns. A part of the stage *approximate*.

These modules may read encoded private records, as sums through :mod:`~sdv_threea.privacy`:
interactions of columns, pairs and triples; counts of codes and digits of pairs that look
functional; distances of triples from the tables that their pairs imply; and counts of rows in which
numbers add up or parts of dates hold. Everything after that is post-processing and must not see a
record. If noise exceeds the pair counts, nothing is released here.

* :mod:`~sdv_threea.joint.bins`: which pairs are counted, in which bins, and whether counting pays,
* :mod:`~sdv_threea.joint.interactions`: the release of interactions, of columns, pairs and triples,
* :mod:`~sdv_threea.joint.functions`: which pairs are counted code by code,
* :mod:`~sdv_threea.joint.pricing`: the prices of these counts,
* :mod:`~sdv_threea.joint.pairs`: the release of these counts,
* :mod:`~sdv_threea.joint.triples`: the release of how far triples are from their pairs,
* :mod:`~sdv_threea.joint.interplay`: which triples are released, and their distributions,
* :mod:`~sdv_threea.joint.values`: the numerical column that a category determines, to the last
  digit,
* :mod:`~sdv_threea.joint.sums`: numbers that are sums of others, which samples compute,
* :mod:`~sdv_threea.joint.parts`: columns that are parts of a date or of a numerical column,
* :mod:`~sdv_threea.joint.counting`: the order of these releases, and their prices,
* :mod:`~sdv_threea.joint.prior`: pair tables that follow from the released correlations,
* :mod:`~sdv_threea.joint.departures`: how far noisy tables depart from expected ones,
* :mod:`~sdv_threea.joint.tables`: noisy counts of bins to probabilities,
* :mod:`~sdv_threea.joint.codes`: noisy counts of codes to probabilities,
* :mod:`~sdv_threea.joint.runs`: values that hold for a run of codes,
* :mod:`~sdv_threea.joint.order`: the order in which columns are drawn,
* :mod:`~sdv_threea.joint.terms`: tables that a column is fitted to,
* :mod:`~sdv_threea.joint.chain`: a distribution over all columns that has these tables,
* :mod:`~sdv_threea.joint.levelling`: probabilities of bins that have the margin of their column,
* :mod:`~sdv_threea.joint.inside`: codes inside bins,
* :mod:`~sdv_threea.joint.places`: values inside the intervals of codes,
* :mod:`~sdv_threea.joint.estimates`: distributions of columns and pairs, from all releases,
* :mod:`~sdv_threea.joint.density`: the chain that is fitted to these distributions,
* :mod:`~sdv_threea.joint.constants`: the constants of joint densities.
"""
