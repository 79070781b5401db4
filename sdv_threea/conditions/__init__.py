"""Conditions: rows that a user asks for by values, drawn from the release.

Values of conditions may be private, so no message shows them. No private row is touched.

* :mod:`~sdv_threea.conditions.sampler`: rows that meet conditions, drawn until all are there,
* :mod:`~sdv_threea.conditions.reading`: from conditions to codes of the released model, and back,
* :mod:`~sdv_threea.conditions.zones`: in which time zone a date is that says none,
* :mod:`~sdv_threea.conditions.explanations`: why conditions cannot be met.
"""

# SDV loads its plug-ins, which need this room, while it is imported: it has to be complete by then.
import sdv.single_table  # noqa: F401
