"""Rows: the code that reads private rows. ``docs/lab/private_rows.md`` lists the exceptions.

These modules import nothing of this package except :mod:`~sdv_threea.accounting` and the graph of
tables, :mod:`~sdv_threea.schema`, and do not depend on the purpose of a sum. They return exact
sums, to which :mod:`~sdv_threea.privacy.door` adds noise. An auditor reads this folder first.

* ``intake/``: private cells, each read by itself,
* ``units/``: references, and the unit of privacy of every row,
* :mod:`~sdv_threea.rows.guard`: blocks warnings, logs and errors that could show private cells,
* :mod:`~sdv_threea.rows.chunks`: private rows in chunks, and sums over them,
* :mod:`~sdv_threea.rows.partitions`: partitions of a Dask DataFrame,
* :mod:`~sdv_threea.rows.sums`: statistics that declare their sensitivity, and their sums,
* :mod:`~sdv_threea.rows.statistics`: counts and second moments,
* :mod:`~sdv_threea.rows.records`: records as codes, places and scores,
* :mod:`~sdv_threea.rows.derived`: columns that replace others, row by row,
* :mod:`~sdv_threea.rows.codes`: cells as codes, and records as codes and classes,
* :mod:`~sdv_threea.rows.contingency_tables`: counts of records in tables of columns,
* :mod:`~sdv_threea.rows.score_moments`: scores of records, and their moments,
* :mod:`~sdv_threea.rows.clipping`: vectors clipped to a norm.
"""
