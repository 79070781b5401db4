"""Encoding: records as codes. One RDT transformer per column, one code per record and column.

These modules map private records, each by itself. They must not sum records, nor learn from them:
transformers are made from facts that are public or were released by :mod:`~sdv_threea.describe`.

* :mod:`~sdv_threea.encoding.encoders`: the codes of numbers and categories, and back,
* :mod:`~sdv_threea.encoding.edges`: the borders of the bins of a numerical column,
* :mod:`~sdv_threea.encoding.classes`: the classes, and the map from records to codes and classes,
* :mod:`~sdv_threea.encoding.support`: which codes can occur, given the released histograms,
* :mod:`~sdv_threea.encoding.codes_in_use`: which codes of alike columns occur.
"""
