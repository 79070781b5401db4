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
* :mod:`~sdv_threea.cli.saved`: make, load and sample synthesizers, and write their statements,
* :mod:`~sdv_threea.cli.measuring`: the commands ``report`` and ``audit``,
* :mod:`~sdv_threea.cli.sources`: find the files of tables, read options on the format of CSV, and
  check names against the metadata,
* :mod:`~sdv_threea.cli.table_files`: read tables from files with the types that the metadata
  states,
* :mod:`~sdv_threea.cli.outputs`: output files, checked before the work and replaced by complete
  ones, and the progress bar,
* :mod:`~sdv_threea.cli.refusals`: one-line errors and warnings, in the words of the command line.
"""
