"""Storage: tables as users keep them, on the way in and on the way out.

It may hold the private table, unread, and check it under
:func:`~sdv_threea.privacy.guard.guarded`; cells are read by :mod:`~sdv_threea.intake` alone. It
must not learn a dtype, a format or a value from private rows.

* :mod:`~sdv_threea.storage.metadata`: SDV's metadata as a public domain,
* :mod:`~sdv_threea.storage.table`: how the columns of one table are stored,
* :mod:`~sdv_threea.storage.processing`: SDV's data processor, fitted on the proxy table,
* :mod:`~sdv_threea.storage.dtypes`: the dtypes of synthetic columns, and the proxy table,
* :mod:`~sdv_threea.storage.reading`: the private table: in memory, in Parquet files, Dask's,
* :mod:`~sdv_threea.storage.writing`: sampled values as users store them,
* :mod:`~sdv_threea.storage.ids`: made-up ids, a million at a time,
* :mod:`~sdv_threea.storage.references`: foreign keys as positions of rows, and back,
* :mod:`~sdv_threea.storage.database_terms`: what the user says of a whole database,
* :mod:`~sdv_threea.storage.children`: how many rows may refer to one row,
* :mod:`~sdv_threea.storage.database`: checks of a whole database,
* :mod:`~sdv_threea.storage.parquet`: synthetic rows in several files of one schema,
* :mod:`~sdv_threea.storage.files`: sampled rows and synthesizers in files,
* :mod:`~sdv_threea.storage.release_files`: releases in files that hold no code,
* :mod:`~sdv_threea.storage.release_kinds`: the names of released classes in files,
* :mod:`~sdv_threea.storage.memory`: what would not fit into memory,
* :mod:`~sdv_threea.storage.version`: the version a synthesizer was made with.
"""

# SDV loads its plug-ins, which need this room, while it is imported: it has to be complete by then.
import sdv.single_table  # noqa: F401
