"""Relational: several tables that refer to each other, released for a unit of privacy.

* :mod:`~sdv_threea.relational.schema`: the graph of tables, and who owns whose rows,
* :mod:`~sdv_threea.relational.units`: the unit of every row, and bounds on its rows,
* :mod:`~sdv_threea.relational.sizes`: how many rows to draw, within what is public of children,
* :mod:`~sdv_threea.relational.layout`: the columns under which the rows of a table are released,
* :mod:`~sdv_threea.relational.magnitudes`: how many units have how many rows,
* :mod:`~sdv_threea.relational.bounds`: how many rows of a unit to look at,
* :mod:`~sdv_threea.relational.estimates`: how large a table is,
* :mod:`~sdv_threea.relational.siblings`: what rows of one parent have in common,
* :mod:`~sdv_threea.relational.plan`: columns, bounds and budget of every table,
* :mod:`~sdv_threea.relational.pipeline`: one release per table, in the context of its owner,
* :mod:`~sdv_threea.relational.model`: what is released of one table, and rows drawn from it,
* :mod:`~sdv_threea.relational.keys`: which row refers to which,
* :mod:`~sdv_threea.relational.release`: what is released, and rows and keys drawn from it.
"""
