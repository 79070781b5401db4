"""Constraints: SDV's rules about the columns of a row, met without learning from private rows.

These modules may map private records, each by itself, to derived columns, and check them under
:func:`~sdv_threea.rows.guard.guarded`. User code learns from synthetic rows alone.

* :mod:`~sdv_threea.constraints.constraint_set`: the constraints on a table, and the sampled rows
  that meet them,
* :mod:`~sdv_threea.constraints.rules`: the rules that can be built into columns together,
* :mod:`~sdv_threea.constraints.derivations`: columns from which a rule follows,
* :mod:`~sdv_threea.constraints.differences`: ordered numbers as one of them and differences,
* :mod:`~sdv_threea.constraints.stated`: formulas, conditional values and programmed rules, stated
  like SDV's constraints,
* :mod:`~sdv_threea.constraints.expressions`: arithmetic of columns,
* :mod:`~sdv_threea.constraints.outcomes`: numbers that follow by a formula, and values that other
  columns fix,
* :mod:`~sdv_threea.constraints.between`: rules between tables, stated as SDV's constraints are,
* :mod:`~sdv_threea.constraints.planning`: the order in which such rules are met,
* :mod:`~sdv_threea.constraints.moves`: steps that write columns of sampled tables such that a rule
  holds,
* :mod:`~sdv_threea.constraints.linked`: sampled tables that refer to each other.
"""

# SDV loads its plug-ins, which need this folder, during its import: import SDV completely before.
import sdv.single_table  # noqa: F401

from sdv_threea.constraints.between import (
    After,
    Distinct,
    ExactlyOne,
    Ranks,
    SameAs,
    TotalOf,
    Within,
)
from sdv_threea.constraints.stated import Formula, IfThen

__all__ = [
    'After',
    'Distinct',
    'ExactlyOne',
    'Formula',
    'IfThen',
    'Ranks',
    'SameAs',
    'TotalOf',
    'Within',
]
