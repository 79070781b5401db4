"""Storage: private tables as users bring them, and synthetic tables as users get them.

These modules may hold the private table, and check it under :func:`~sdv_threea.rows.guard.guarded`.
Only :mod:`~sdv_threea.rows.intake` reads its cells. The modules must not learn a dtype, a format or
a value from private rows.

* :mod:`~sdv_threea.storage.metadata`: SDV's metadata as a public domain,
* :mod:`~sdv_threea.storage.sequences`: a table of sequences as two tables,
* :mod:`~sdv_threea.storage.table`: the storage of the columns of one table,
* :mod:`~sdv_threea.storage.processing`: SDV's data processor, fitted on the proxy table, and fast
  generators of ids,
* :mod:`~sdv_threea.storage.writing`: dtypes of synthetic columns, the proxy table, and sampled
  values as users store them,
* :mod:`~sdv_threea.storage.reading`: private tables, in memory or not,
* :mod:`~sdv_threea.storage.division`: databases that are not in memory, in groups of whole units,
* :mod:`~sdv_threea.storage.references`: foreign keys checked, as positions of rows, and back,
* :mod:`~sdv_threea.storage.database_terms`: the user's statements about a whole database,
* :mod:`~sdv_threea.storage.files`: sampled rows and synthesizers in files, and their version,
* :mod:`~sdv_threea.storage.release_files`: releases in files that hold no code,
* :mod:`~sdv_threea.storage.release_kinds`: the names of released classes in files,
* :mod:`~sdv_threea.storage.ledger_files`: a file per data set, to which all of its fits add.
"""

# SDV loads its plug-ins, which need this folder, during its import: import SDV completely before.
import sdv.single_table  # noqa: F401
