"""A user's table prepared for the model, and the transformers that prepare it.

These modules may translate private records, each by itself, with transformers that act record by
record. The modules must not fit a transformer to anything but public or released facts.

* :mod:`~sdv_threea.transforms.preprocessor`: a user's table to modelled columns, and back,
* :mod:`~sdv_threea.transforms.transformer_set`: the transformers of a table,
* :mod:`~sdv_threea.transforms.allowed`: the transformers that a user may choose, and their calls,
* :mod:`~sdv_threea.transforms.steps`: a user's transformer as a step before the encoding,
* :mod:`~sdv_threea.transforms.texts`: numbers stored as texts,
* :mod:`~sdv_threea.transforms.pseudonyms`: private values as buckets, and back as made-up names.
"""

# SDV loads its plug-ins, which need this folder, during its own import: complete that first.
import sdv.single_table  # noqa: F401
