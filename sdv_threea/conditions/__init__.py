"""Conditions: rows with values that a user asks for, drawn from the release.

Values of conditions may be private, so no message shows them. No private row is read.

* :mod:`~sdv_threea.conditions.sampler`: rows that meet conditions, drawn until all are complete;
  and the reasons why conditions cannot be met,
* :mod:`~sdv_threea.conditions.reading`: conditions to codes of the released model, and back.
"""

# SDV loads its plug-ins, which need this folder, during its import: import SDV completely before.
import sdv.single_table  # noqa: F401
