"""Conditions: rows with values that a user asks for, drawn from the release.

Values of conditions may be private, so no message shows them. No private row is read.

* :mod:`~sdv_threea.conditions.sampler`: rows that meet conditions, drawn until all are complete,
* :mod:`~sdv_threea.conditions.reading`: conditions to codes of the released model, and back,
* :mod:`~sdv_threea.conditions.zones`: the time zones of dates that state none,
* :mod:`~sdv_threea.conditions.explanations`: the reasons why conditions cannot be met.
"""

# SDV loads its plug-ins, which need this folder, during its import: import SDV completely before.
import sdv.single_table  # noqa: F401
