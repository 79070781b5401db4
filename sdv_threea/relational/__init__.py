"""Relational: several tables that refer to each other, released for a unit of privacy.

These modules may read the private tables and their foreign keys, each unit by itself, and release
sums of them through :mod:`~sdv_threea.privacy` and :mod:`~sdv_threea.pipeline`. The modules must
keep nothing but a :class:`~sdv_threea.relational.database_release.DatabaseRelease`, which may be
published. The modules must not depend on SDV, nor on how tables are stored.

* :mod:`~sdv_threea.relational.sizes`: numbers of rows to draw of each table,
* :mod:`~sdv_threea.relational.layout`: the columns that are released of a table,
* :mod:`~sdv_threea.relational.order`: rows of one owner in the order of an index,
* :mod:`~sdv_threea.relational.magnitudes`: noisy counts of units by their number of rows,
* :mod:`~sdv_threea.relational.rows_per_unit`: the bound on the rows of a unit that are read,
* :mod:`~sdv_threea.relational.row_counts`: estimates of the number of rows of a table,
* :mod:`~sdv_threea.relational.transitions`: rows in the context of the row before them,
* :mod:`~sdv_threea.relational.table_plans`: the columns, bounds and budget of every table,
* :mod:`~sdv_threea.relational.task`: one table to release, and the release of its rows,
* :mod:`~sdv_threea.relational.allotment`: which part of its budget pays for what,
* :mod:`~sdv_threea.relational.context`: the columns of the rows above that a row depends on,
* :mod:`~sdv_threea.relational.following`: the release of rows in the context of the row before,
* :mod:`~sdv_threea.relational.agreement`: which value of a unit follows which,
* :mod:`~sdv_threea.relational.assortativity`: tables of which kind of row refers to which,
* :mod:`~sdv_threea.relational.degrees`: the release of references to rows of other units,
* :mod:`~sdv_threea.relational.kinds`: numbers of references between kinds of sampled rows,
* :mod:`~sdv_threea.relational.spreading`: such references of the sampled rows,
* :mod:`~sdv_threea.relational.databases`: the release of a database, table by table,
* :mod:`~sdv_threea.relational.model`: the released model of one table, and rows drawn from it,
* :mod:`~sdv_threea.relational.foreign_keys`: foreign keys of the sampled rows,
* :mod:`~sdv_threea.relational.likeness`: attributes and an order by which public rows are alike,
* :mod:`~sdv_threea.relational.attributes`: public rows chosen by the attributes of references,
* :mod:`~sdv_threea.relational.database_release`: the released model of a database, and its samples.
"""
