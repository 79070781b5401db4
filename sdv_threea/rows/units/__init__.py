"""Units: the rows of each unit of privacy. The promise of a database depends on this room.

It may read key cells, as the user stored them, and what ``links`` compares, but no other private
cells. Nothing else that it returns for a unit may depend on other units, except row numbers.

* :mod:`~sdv_threea.rows.units.schema`: the graph of tables, and which table owns the rows of which,
* :mod:`~sdv_threea.rows.units.references`: key cells, read once and replaced by row numbers,
* :mod:`~sdv_threea.rows.units.membership`: the unit of every row, and bounds on the rows of a unit,
* :mod:`~sdv_threea.rows.units.links`: references to rows of other units.
"""
