"""Joint: dependence between columns. A part of the stage *approximate*.

These modules read encoded private records only as sums through :mod:`~sdv_threea.privacy`:
interactions of columns, pairs and triples; counts of codes and digits of pairs that look
functional; distances of triples from the tables that their pairs imply; and counts of rows that
obey a sum or a part of a date. All other computations are post-processing and must not see a
record. If noise would exceed the pair counts, no joint count is released.

* :mod:`~sdv_threea.joint.pair_bins`: which pairs are counted, in which bins, and whether counting
  pays,
* :mod:`~sdv_threea.joint.interactions`: the release of interactions, of columns, pairs and triples,
* :mod:`~sdv_threea.joint.functions`: which pairs are counted code by code,
* :mod:`~sdv_threea.joint.pricing`: the prices of code counts of pairs,
* :mod:`~sdv_threea.joint.pairs`: the release of code counts of pairs,
* :mod:`~sdv_threea.joint.triples`: the release of how far triples are from their pairs,
* :mod:`~sdv_threea.joint.interplay`: which triples are released, and their distributions,
* :mod:`~sdv_threea.joint.determined_values`: numbers that a category determines to the last digit,
* :mod:`~sdv_threea.joint.column_sums`: numbers that are sums of others, which samples compute,
* :mod:`~sdv_threea.joint.date_parts`: columns that are parts of a date or of a numerical column,
* :mod:`~sdv_threea.joint.counting`: the stage that makes the joint releases, in order,
* :mod:`~sdv_threea.joint.prior`: pair tables that follow from the released correlations,
* :mod:`~sdv_threea.joint.departures`: shrinkage of noisy tables toward expected ones,
* :mod:`~sdv_threea.joint.tables`: probabilities of bins from noisy counts,
* :mod:`~sdv_threea.joint.missing_together`: values that are missing only with those of another
  column,
* :mod:`~sdv_threea.joint.code_tables`: probabilities of codes from noisy counts,
* :mod:`~sdv_threea.joint.runs`: values that hold for a run of codes,
* :mod:`~sdv_threea.joint.column_order`: the order in which columns are drawn,
* :mod:`~sdv_threea.joint.terms`: the tables that one column of the chain is fitted to,
* :mod:`~sdv_threea.joint.chain`: a distribution over all columns that has the estimated tables,
* :mod:`~sdv_threea.joint.levelling`: an adjustment of probabilities to the margin of a column,
* :mod:`~sdv_threea.joint.inside`: draws of codes inside bins,
* :mod:`~sdv_threea.joint.places`: draws of values inside the intervals of codes,
* :mod:`~sdv_threea.joint.estimates`: distributions of columns and pairs, from all releases,
* :mod:`~sdv_threea.joint.density`: the fitted joint distribution,
* :mod:`~sdv_threea.joint.joint_constants`: the constants of joint densities.
"""
