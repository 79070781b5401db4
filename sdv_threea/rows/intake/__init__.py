"""Intake: the only place where private cells are read. Each becomes a canonical scalar.

A *cell* is a value of a table as the user stored it. A *canonical* column holds float64 with NaN,
or plain booleans, numbers, texts and dates with ``None``; other folders see only such columns. A
cell's scalar depends on the cell and on public facts (sdtype, dtype, format, stated ranges and
values), but never on other rows. So nothing is inferred from a whole column or remembered between
calls, only plain Python values are hashed, and no object of the user is kept.

These modules must not warn, log, or put a value into a message.

* :mod:`~sdv_threea.rows.intake.scalars`: one cell as a canonical scalar,
* :mod:`~sdv_threea.rows.intake.dates`: dates, and texts that spell dates,
* :mod:`~sdv_threea.rows.intake.cells`: the cells of a column, from any storage,
* :mod:`~sdv_threea.rows.intake.columns`: one canonical column,
* :mod:`~sdv_threea.rows.intake.parts`: parts of a table, refused if they are stored differently,
* :mod:`~sdv_threea.rows.intake.facts`: public facts of a column, and cells that break them,
* :mod:`~sdv_threea.rows.intake.keys`: keys and references, compared,
* :mod:`~sdv_threea.rows.intake.table`: one canonical table, and reasons why it cannot be fitted.
"""
