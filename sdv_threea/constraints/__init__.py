"""SDV's rules about the columns of a row, and rules between tables; no rule learns private facts.

These modules may map each private record by itself to derived columns, and may check records under
:func:`~sdv_threea.rows.guard.guarded`. User code learns only from synthetic rows.

* :mod:`~sdv_threea.constraints.constraint_set`: the constraints on one table,
* :mod:`~sdv_threea.constraints.rules`: choice of the rules that are built into columns,
* :mod:`~sdv_threea.constraints.derivations`: derived columns from which a rule follows,
* :mod:`~sdv_threea.constraints.differences`: ordered numbers as one number and differences,
* :mod:`~sdv_threea.constraints.stated`: formulas, conditional values and programmed rules,
* :mod:`~sdv_threea.constraints.expressions`: arithmetic of columns,
* :mod:`~sdv_threea.constraints.outcomes`: results of formulas and conditional values in samples,
* :mod:`~sdv_threea.constraints.between`: rules between tables,
* :mod:`~sdv_threea.constraints.planning`: the order of steps that make samples obey these rules,
* :mod:`~sdv_threea.constraints.moves`: these steps, each of which writes one column,
* :mod:`~sdv_threea.constraints.linked`: sampled tables that refer to each other.
"""

# SDV loads its plug-ins, which need this folder, during its own import: complete that first.
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
