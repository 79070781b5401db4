"""The command line ``sdv-threea``: files in, one release, files out.

* :mod:`~sdv_threea.cli.commands`: what can be asked for,
* :mod:`~sdv_threea.cli.options`: what several commands take,
* :mod:`~sdv_threea.cli.saved`: synthesizers in files, and their statements,
* :mod:`~sdv_threea.cli.comparison`: the report,
* :mod:`~sdv_threea.cli.trial`: the audit,
* :mod:`~sdv_threea.cli.tables`: tables in files, read by the types that the metadata states,
* :mod:`~sdv_threea.cli.outputs`: files that appear whole, or not at all,
* :mod:`~sdv_threea.cli.steps`: progress,
* :mod:`~sdv_threea.cli.errors`: errors and warnings as one line each, without values of rows.
"""
