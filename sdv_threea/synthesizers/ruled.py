"""Rules between tables, and constraints on sequences.

Rules read sampled rows and public facts, and no private row. The rows of a sampled database obey
them. A constraint on sequences goes to the table of the sequences, or to that of their rows.
"""

from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any

import pandas as pd
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SynthesizerInputError

from sdv_threea.arrays import Wholes
from sdv_threea.constraints.between import BetweenTables, Distinct, Relations
from sdv_threea.constraints.constraint_set import BUILT_IN, read_constraint
from sdv_threea.constraints.linked import Linked, Name
from sdv_threea.constraints.moves import Move
from sdv_threea.constraints.planning import (
    keep_rules,
    list_computed,
    list_names,
    list_numbered,
    plan,
)
from sdv_threea.schema import Link
from sdv_threea.storage.database_terms import NOT_PLAIN
from sdv_threea.storage.relationships import as_columns, connect
from sdv_threea.storage.sequences import Sequences
from sdv_threea.synthesizers.arguments import COERCE
from sdv_threea.synthesizers.statement import list_public_facts

#: The error for a constraint on columns of both tables of sequences.
APART = (
    "The constraint '{}' is about columns that are released apart: {} do not vary in a sequence, "
    "{} do. State an order as After('{table}.high', '{table}.low'), or leave the constraint out."
)


def check_rules(synthesizer: Any, tables: dict[str, pd.DataFrame]) -> None:
    """Raise a ``ConstraintNotMetError`` if rows of synthetic tables break a rule."""
    for rule in synthesizer._rules:
        for name, valid in rule.is_valid(tables, synthesizer._terms.metadata).items():
            if not valid.all():
                raise ConstraintNotMetError(f"Rows of the table '{name}' break {rule!r}.")


def plan_rules(
    synthesizer: Any, rules: tuple[BetweenTables, ...], constraints: list[Any]
) -> tuple[Move, ...]:
    """Return steps after which sampled tables obey rules and constraints on single tables."""
    terms = synthesizer._terms
    schema = terms.read_schema()
    rising = {
        Name(table, index): ((table, owner.columns),)
        for table, index in terms.read_orders(schema).items()
        if index is not None and (owner := schema.owners[table]) is not None
    }
    for name in rising:
        own = [each for each in constraints if each.table_name == name.table]
        if any(name.column in list_names(each) for each in own):
            raise SynthesizerInputError(NOT_PLAIN.format(name=name.table, index=name.column))
    return plan(rules, constraints, terms.metadata, schema.public, rising)


def adopt_rules(synthesizer: Any, rules: tuple[BetweenTables, ...] = ()) -> None:
    """Add copies of rules; a fit then leaves out the columns that rules compute."""
    synthesizer._rules += tuple(map(deepcopy, rules))
    moves = plan_rules(synthesizer, synthesizer._rules, synthesizer._single_table_constraints)
    for name, each in synthesizer._table_synthesizers.items():
        own = each.preprocessor.constraints
        own.written, own.computed = list_computed(moves, name)


def list_keys(synthesizer: Any, numbered: Collection[str] = ()) -> dict[str, list[tuple[str, ...]]]:
    """List keys of several columns by table, without primary keys of ``numbered`` tables."""
    keys: dict[str, list[tuple[str, ...]]] = {}
    for name, table in synthesizer._terms.metadata.tables.items():
        own = as_columns(table.primary_key)
        keys[name] = [own] if len(own) > 1 and name not in numbered else []
    relations = Relations(synthesizer._terms.metadata)
    for rule in synthesizer._rules:
        if isinstance(rule, Distinct):
            table, columns = rule.read(relations)
            keys[table].append(columns)
    return keys


def list_fixed(synthesizer: Any) -> set[str]:
    """List the columns, as ``table.column``, that rules, constraints or orders may be about."""
    stated = [*synthesizer._rules, *synthesizer._single_table_constraints]
    named = set().union(*map(list_names, stated))
    programmed = any(not hasattr(each, 'get_constraint_dict') for each in stated)
    return {
        f'{name}.{column}'
        for name, table in synthesizer._terms.metadata.tables.items()
        for column in table.columns
        if programmed or column == table.sequence_index or {column, f'{name}.{column}'} & named
    }


def connect_tables(
    synthesizer: Any,
    tables: Mapping[str, pd.DataFrame],
    parents: Mapping[Link, Wholes],
    dtypes: Mapping[str, Mapping[str, Any]],
) -> dict[str, pd.DataFrame]:
    """Write foreign keys into sampled tables, and make them obey the rules."""
    metadata = synthesizer._terms.metadata
    moves = plan_rules(synthesizer, synthesizer._rules, synthesizer._single_table_constraints)
    keys = list_keys(synthesizer, list_numbered(moves, metadata))
    schema, fixed = synthesizer._model.schema, list_fixed(synthesizer)
    connected = connect(tables, parents, schema, metadata, dtypes, keys, fixed)
    linked = Linked(connected, metadata, dtypes)
    keep_rules(moves, linked)
    return linked.tables


def list_public(synthesizer: Any) -> tuple[str, ...]:
    """List the public facts of a database, in words."""
    tables = synthesizer._table_synthesizers
    facts = list_public_facts(
        public_metadata=synthesizer.public_metadata,
        constrained=bool(synthesizer._single_table_constraints),
        bounded=synthesizer._terms.is_bounded,
        coerced=synthesizer.invalid_cells == COERCE,
        counted=any(one.preprocessor.counts_known for one in tables.values()),
    )
    rules = ', '.join(map(repr, synthesizer._rules))
    return (*facts, f'the rules between tables, which samples keep: {rules}') if rules else facts


def place_constraint(constraint: Any, sequences: Sequences) -> Any:
    """Return a copy of a constraint for the table in which its columns are released.

    Columns that do not vary in a sequence are in the table of sequences, named by the sequence key.
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
