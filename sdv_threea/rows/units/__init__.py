"""Units: the rows of each unit of privacy. The promise of a database depends on these modules.

These modules read no private cells except key cells, as the user stored them, and the cells that
``links`` compares. Their results for a unit must not depend on other units, except for row numbers
and ``links``.

* :mod:`~sdv_threea.rows.units.references`: key cells, read once and replaced by row numbers,
* :mod:`~sdv_threea.rows.units.membership`: the unit of every row, and bounds on the rows of a unit,
* :mod:`~sdv_threea.rows.units.links`: references to rows of other units.
"""
