"""Transforms: a user's table made ready for the model, and the transformers that take part in it.

It may translate private records, each by itself, and call transformers on them that act record by
record. It must not fit a transformer to anything but public or released facts.

* :mod:`~sdv_threea.transforms.preprocessor`: from a user's table to the columns that are modelled,
  and back,
* :mod:`~sdv_threea.transforms.transformer_set`: the transformers of a table,
* :mod:`~sdv_threea.transforms.allowed`: which of them a user may choose, and why not others,
* :mod:`~sdv_threea.transforms.generators`: those of columns that are not modelled,
* :mod:`~sdv_threea.transforms.local`: called record by record,
* :mod:`~sdv_threea.transforms.steps`: what one of them does to a column before its codes,
* :mod:`~sdv_threea.transforms.outer`: all such steps of a table,
* :mod:`~sdv_threea.transforms.dates`: dates as codes.
"""

# SDV loads its plug-ins, which need this room, while it is imported: it has to be complete by then.
import sdv.single_table  # noqa: F401
