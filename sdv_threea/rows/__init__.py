"""Rows: how private rows are read. ``docs/lab/private_rows.md`` lists other code that sees them.

These modules import only :mod:`~sdv_threea.accounting` of this package and the graph of tables,
:mod:`~sdv_threea.schema`, and do not know for what rows are read. The modules return exact sums, to
which :mod:`~sdv_threea.privacy.door` adds noise. An auditor reads this folder first.

* ``intake/``: the one way in, every private cell read by itself,
* ``units/``: references, and the unit of privacy of every row,
* :mod:`~sdv_threea.rows.guard`: blocks warnings, logs and errors that could show private cells,
* :mod:`~sdv_threea.rows.chunks`: private rows in chunks, of which only sums are read,
* :mod:`~sdv_threea.rows.partitions`: rows of a DataFrame of Dask's, by partitions,
* :mod:`~sdv_threea.rows.sums`: statistics that declare their sensitivity, and their sums,
* :mod:`~sdv_threea.rows.statistics`: counts and second moments,
* :mod:`~sdv_threea.rows.records`: records as codes, places and scores,
* :mod:`~sdv_threea.rows.derived`: columns that replace others, row by row,
* :mod:`~sdv_threea.rows.codes`: cells as codes, and records as codes and classes,
* :mod:`~sdv_threea.rows.tables`: what records add to tables of columns,
* :mod:`~sdv_threea.rows.scores`: scores of records, and the moments they add to,
* :mod:`~sdv_threea.rows.clipping`: vectors clipped to a norm.
"""
