"""Private tables as users bring them, and synthetic tables as users get them.

These modules may hold the private table, and check it under :func:`~sdv_threea.rows.guard.guarded`.
Only :mod:`~sdv_threea.rows.intake` reads its cells. The modules must not learn a dtype, a format or
a value from private rows.

* :mod:`~sdv_threea.storage.metadata`: SDV's metadata as a public domain,
* :mod:`~sdv_threea.storage.table_storage`: metadata and dtypes of the columns of one table,
* :mod:`~sdv_threea.storage.reading`: private tables, in memory or not,
* :mod:`~sdv_threea.storage.division`: databases that are not in memory, in groups of whole units,
* :mod:`~sdv_threea.storage.relationships`: checks of foreign keys, and their values in samples,
* :mod:`~sdv_threea.storage.sequences`: a table of sequences as two tables,
* :mod:`~sdv_threea.storage.database_terms`: the user's statements about a whole database,
* :mod:`~sdv_threea.storage.writing`: dtypes and values of synthetic tables, and the proxy table,
* :mod:`~sdv_threea.storage.processing`: SDV's data processor, and fast generators of ids,
* :mod:`~sdv_threea.storage.files`: sampled rows and synthesizers in files, and their version,
* :mod:`~sdv_threea.storage.release_files`: releases in files without code,
* :mod:`~sdv_threea.storage.release_kinds`: the names of released classes in files,
* :mod:`~sdv_threea.storage.ledger_files`: a file per data set that counts the budgets of its fits.
"""

# SDV loads its plug-ins, which need this folder, during its own import: complete that first.
import sdv.single_table  # noqa: F401
