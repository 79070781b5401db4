"""Encoding: records as codes. One transformer of RDT's per column, one code per record and column.

It may map private records, each by itself. It must not sum them, nor learn from them: transformers
are made of what is public or was released by :mod:`~sdv_threea.describe`.

* :mod:`~sdv_threea.encoding.records`: a table to codes and classes,
* :mod:`~sdv_threea.encoding.transformers`: the codes of numbers and categories, and back,
* :mod:`~sdv_threea.encoding.encoder`: what all transformers share,
* :mod:`~sdv_threea.encoding.edges`: where a numerical column is cut,
* :mod:`~sdv_threea.encoding.classes`: the classes that everything is conditioned on,
* :mod:`~sdv_threea.encoding.support`: which codes can occur, once the histograms are released,
* :mod:`~sdv_threea.encoding.constants`: what was chosen by measurement.
"""
