"""Rows: how private rows are read. What else sees them is listed in ``docs/lab/private_rows.md``.

It imports nothing of ours but :mod:`~sdv_threea.accounting`. It must not know what rows are read
for, and what leaves it are exact sums, which :mod:`~sdv_threea.privacy.door` takes to the noise. An
auditor reads this room first.

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
