"""The one way in: every private cell is read here, by itself, into a canonical immutable scalar.

What a cell becomes depends on that cell and on what is public (sdtype, dtype, format, stated
ranges and values), never on other rows. Code below this room sees canonical columns only: float64
with NaN, or plain booleans, numbers, texts and dates with ``None``. Nothing is inferred over a
column, nothing is hashed but plain values of Python's, nothing is remembered, and no object of the
user's is kept.

It may read private rows; it must not warn, log, or put a value into a message.

* :mod:`~sdv_threea.intake.scalars`: one cell,
* :mod:`~sdv_threea.intake.dates`: dates, texts that spell dates,
* :mod:`~sdv_threea.intake.cells`: the cells of a column in any storage,
* :mod:`~sdv_threea.intake.columns`: a column, read,
* :mod:`~sdv_threea.intake.parts`: parts of a table in one dtype,
* :mod:`~sdv_threea.intake.facts`: what is public of a column, and cells that break it,
* :mod:`~sdv_threea.intake.keys`: keys and references,
* :mod:`~sdv_threea.intake.table`: a table, and what keeps it from being fitted.
"""
