"""The command line ``sdv-threea``: files in, one release, files out.

It may hold private tables while a command runs, and print and write released numbers. It must not
guess a type from the cells of a file, unless they are declared public, and must not show a value of
a private row in a message.

* :mod:`~sdv_threea.cli.commands`: the commands and their help,
* :mod:`~sdv_threea.cli.options`: options that several commands share,
* :mod:`~sdv_threea.cli.detecting`: the command ``detect``,
* :mod:`~sdv_threea.cli.estimating`: the commands ``check``, ``estimate`` and ``ledger``,
* :mod:`~sdv_threea.cli.fitting`: the command ``fit``,
* :mod:`~sdv_threea.cli.drawing`: the commands ``sample``, ``losses`` and ``datasheet``,
* :mod:`~sdv_threea.cli.saved`: synthesizers: made, loaded and sampled; and their statements,
* :mod:`~sdv_threea.cli.comparison`: the command ``report``,
* :mod:`~sdv_threea.cli.trial`: the command ``audit``,
* :mod:`~sdv_threea.cli.files`: files of tables, found, the format of CSV, and names in metadata,
* :mod:`~sdv_threea.cli.table_files`: tables in files, read by the types that the metadata states,
* :mod:`~sdv_threea.cli.outputs`: output files, checked before the work, complete after it,
* :mod:`~sdv_threea.cli.steps`: the progress bar,
* :mod:`~sdv_threea.cli.errors`: one-line errors and warnings, in the words of the command line.
"""
