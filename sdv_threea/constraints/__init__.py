"""Constraints: SDV's rules about the columns of a row, met without learning from private rows.

It may map private records, each by itself, to derived columns, and check them under
:func:`~sdv_threea.privacy.guard.guarded`. User code learns from synthetic rows alone.

* :mod:`~sdv_threea.constraints.constraint_set`: the constraints on a table: copied, built in,
  checked, taught; rows that break them repaired or rejected,
* :mod:`~sdv_threea.constraints.rules`: which of them can be built into columns together,
* :mod:`~sdv_threea.constraints.derivations`: columns from which a rule follows,
* :mod:`~sdv_threea.constraints.differences`: ordered numbers as one of them and differences,
* :mod:`~sdv_threea.constraints.own`: constraints that users program.
"""

# SDV loads its plug-ins, which need this room, while it is imported: it has to be complete by then.
import sdv.single_table  # noqa: F401
