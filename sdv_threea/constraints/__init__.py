"""Constraints: SDV's rules about the columns of a row, met without learning from private rows.

It may map private records, each by itself, to derived columns, and check them under
:func:`~sdv_threea.privacy.guard.guarded`. User code learns from synthetic rows alone.

* :mod:`~sdv_threea.constraints.constraint_set`: the constraints on a table, and the sampled rows
  that meet them,
* :mod:`~sdv_threea.constraints.rules`: the rules that can be built into columns together,
* :mod:`~sdv_threea.constraints.derivations`: columns from which a rule follows,
* :mod:`~sdv_threea.constraints.differences`: ordered numbers as one of them and differences,
* :mod:`~sdv_threea.constraints.own`: constraints that users program.
"""

# SDV loads its plug-ins, which need this room, during its import: import SDV completely before.
import sdv.single_table  # noqa: F401
