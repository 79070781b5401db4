"""Constraints of sequences, placed in the tables of a database: that of sequences, and their rows.

Constraints are public, and no row is read.
"""

from copy import deepcopy
from typing import Any

from sdv.errors import SynthesizerInputError

from sdv_threea.constraints.constraint_set import BUILT_IN, read_constraint
from sdv_threea.constraints.planning import list_names
from sdv_threea.storage.sequences import Sequences

#: The error for a constraint on columns that are released apart.
APART = (
    "The constraint '{}' is about columns that are released apart: {} do not vary in a sequence, "
    "{} do. State an order as After('{table}.high', '{table}.low'), or leave the constraint out."
)


def place_constraint(constraint: Any, sequences: Sequences) -> Any:
    """Return a copy of a constraint for the table that its columns are released in.

    Columns that do not vary in a sequence are released in the table of sequences, which the user
    names by the sequence key.
    """
    if type(constraint) not in BUILT_IN:
        raise SynthesizerInputError(
            f"'{type(constraint).__name__}' may read any column, and columns that do not vary in a "
            'sequence are released apart from the others: use the constraints of SDV, or those of '
            'sdv_threea.constraints.'
        )
    spelled = deepcopy(constraint.get_constraint_dict())
    parameters, table, parent = spelled['parameters'], sequences.table, sequences.parent
    if not constraint._is_single_table:
        moved = {f'{table}.{name}': f'{parent}.{name}' for name in sequences.context}
        above = {'parent_table_name': parent} if parameters.get('parent_table_name') else {}
        renamed = {name: moved.get(each, each) for name, each in _list_texts(parameters)}
        if above and parameters['parent_table_name'] not in (sequences.key, parent):
            raise SynthesizerInputError(
                f"The parent_table_name of '{type(constraint).__name__}' must be the sequence key "
                f'{sequences.key!r}: rows are numbered, or chosen, within a sequence.'
            )
        return read_constraint({**spelled, 'parameters': {**parameters, **renamed, **above}})
    if parameters.get('table_name') not in (None, table):
        raise SynthesizerInputError(
            f"The table of the sequences is '{table}', and the constraint "
            f"'{type(constraint).__name__}' names '{parameters['table_name']}'."
        )
    found = list_names(constraint) & set(sequences.columns)
    constant = sorted(found & set(sequences.context))
    varying = sorted(found - set(sequences.context))
    if constant and varying:
        raise SynthesizerInputError(
            APART.format(type(constraint).__name__, constant, varying, table=table)
        )
    placed = {**parameters, 'table_name': parent if constant else table}
    return read_constraint({**spelled, 'parameters': placed})


def _list_texts(parameters: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, each) for name, each in parameters.items() if isinstance(each, str)]
