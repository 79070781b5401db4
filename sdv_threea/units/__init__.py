"""Units: which rows belong to one unit of privacy. The promise of a database rests on this room.

It may read key cells, as the user stored them, and nothing else of private rows. It must not see
what becomes of a key cell by a constraint, a stated fact or a transformer, and nothing that it
returns may depend on rows of other units, up to the numbers that rows have.

* :mod:`~sdv_threea.units.schema`: the graph of tables, and which table owns whose rows,
* :mod:`~sdv_threea.units.references`: key cells, read once: rows by number from then on,
* :mod:`~sdv_threea.units.membership`: the unit of privacy of every row, and bounds on its rows.
"""
