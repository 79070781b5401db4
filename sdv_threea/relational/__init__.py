"""Relational: several tables that refer to each other, released for a unit of privacy.

It may read the private tables and their foreign keys, each unit by itself, and release sums of them
through :mod:`~sdv_threea.privacy` and :mod:`~sdv_threea.pipeline`. It must not keep anything but a
:class:`~sdv_threea.relational.release.DatabaseRelease`, which may be published. It must not know
how tables are stored, nor SDV.

* :mod:`~sdv_threea.relational.sizes`: how many rows to draw of each table,
* :mod:`~sdv_threea.relational.layout`: the columns that are released of a table,
* :mod:`~sdv_threea.relational.magnitudes`: how many units have how many rows,
* :mod:`~sdv_threea.relational.rows_per_unit`: how many rows of a unit to look at,
* :mod:`~sdv_threea.relational.estimates`: how many rows a table has, estimated,
* :mod:`~sdv_threea.relational.siblings`: what rows of one parent have in common,
* :mod:`~sdv_threea.relational.plan`: the columns, bounds and budget of every table,
* :mod:`~sdv_threea.relational.pipeline`: the release of a database, table by table,
* :mod:`~sdv_threea.relational.model`: what is released of one table, and rows drawn from it,
* :mod:`~sdv_threea.relational.foreign_keys`: which sampled row refers to which,
* :mod:`~sdv_threea.relational.release`: what is released of a database, and samples of it.
"""
