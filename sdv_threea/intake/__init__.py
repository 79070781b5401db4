"""Intake: the only place where private cells are read. Each becomes a canonical scalar.

A *cell* is a value of a table as the user stored it. A *canonical* column holds float64 with NaN,
or plain booleans, numbers, texts and dates with ``None``; the rooms above this one see no other.
What a cell becomes depends on that cell and on what is public (sdtype, dtype, format, stated ranges
and values), but never on other rows. So nothing is inferred from a whole column, nothing is
remembered from one call to the next, nothing is hashed but plain values of Python's, and no object
of the user's is kept.

It may read private rows. It must not warn, log, or put a value into a message.

* :mod:`~sdv_threea.intake.scalars`: one cell as a canonical scalar,
* :mod:`~sdv_threea.intake.dates`: dates, and texts that spell dates,
* :mod:`~sdv_threea.intake.cells`: the cells of a column, out of any storage,
* :mod:`~sdv_threea.intake.columns`: one column, read,
* :mod:`~sdv_threea.intake.parts`: parts of a table, refused if they are stored differently,
* :mod:`~sdv_threea.intake.facts`: what is public of a column, and cells that break it,
* :mod:`~sdv_threea.intake.keys`: keys and references, compared,
* :mod:`~sdv_threea.intake.table`: one table, read, and reasons why it cannot be fitted.
"""
