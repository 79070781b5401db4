"""Conditions: rows with values that a user asks for, drawn from the release.

Values of conditions may be private, so no message shows them. No private row is read.

* :mod:`~sdv_threea.conditions.sampler`: draws that meet conditions, and reasons for refusals,
* :mod:`~sdv_threea.conditions.translation`: the codes of conditions, and values written into rows.
"""

# SDV loads its plug-ins, which need this folder, during its import. So SDV is imported first.
import sdv.single_table  # noqa: F401
