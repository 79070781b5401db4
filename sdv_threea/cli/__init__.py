"""The command line ``sdv-threea``: files in, one release, files out.

A command may hold private tables while it runs, and it prints and writes released numbers. A
command must not guess a type from the cells of a file unless the cells are declared public, and no
message may show a value of a private row.

* :mod:`~sdv_threea.cli.commands`: the commands and their help,
* :mod:`~sdv_threea.cli.options`: options that several commands share,
* :mod:`~sdv_threea.cli.detecting`: the command ``detect``,
* :mod:`~sdv_threea.cli.estimating`: the commands ``check``, ``estimate`` and ``ledger``,
* :mod:`~sdv_threea.cli.fitting`: the command ``fit``,
* :mod:`~sdv_threea.cli.drawing`: the commands ``sample``, ``losses`` and ``datasheet``,
* :mod:`~sdv_threea.cli.saved`: synthesizers from metadata and options, saved, loaded and sampled,
* :mod:`~sdv_threea.cli.measuring`: the commands ``report`` and ``audit``,
* :mod:`~sdv_threea.cli.sources`: files of tables, the format of CSV, names in the metadata,
* :mod:`~sdv_threea.cli.table_files`: tables in files, with the types that the metadata states,
* :mod:`~sdv_threea.cli.outputs`: output files, complete or absent, and the progress bar,
* :mod:`~sdv_threea.cli.refusals`: one-line errors and warnings, in the words of the command line.
"""
