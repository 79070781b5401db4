"""The order in which rules between tables write columns; contradictions between rules."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea.constraints.between import BetweenTables, Relations
from sdv_threea.constraints.linked import Linked, Name, Path
from sdv_threea.constraints.moves import Bound, Compute, Move, Part, Rank, join_bounds
from sdv_threea.constraints.stated import Formula
from sdv_threea.storage.relationships import as_columns, find_keys


def plan(
    rules: Sequence[BetweenTables],
    constraints: Sequence[Any],
    metadata: Metadata,
    public: Collection[str],
    rising: Mapping[Name, Path] = MappingProxyType({}),
) -> tuple[Move, ...]:
    """Return steps that make samples obey the rules, each after the steps that write its inputs.

    A ``Formula`` with a written column is computed again. ``constraints`` are on single tables,
    ``public`` tables do not change, ``rising`` columns rise among the rows that lead to one row. A
    ``SynthesizerInputError`` says that rules contradict each other or the metadata.
    """
    relations = Relations(metadata)
    parts = [part for rule in rules for part in rule.list_parts(relations)]
    parts = _close(parts, public)
    for part in parts:
        if (path := rising.get(part.writes)) and (
            not isinstance(part, Bound) or part.path[:1] != path
        ):
            raise SynthesizerInputError(
                f"The column '{part.writes}' orders the rows of a sequence, so only After and "
                'Within may write it, with columns that do not vary in a sequence.'
            )
    moves = join_bounds(parts, rising)
    moves += _follow(moves, [each for each in constraints if isinstance(each, Formula)])
    _check_written(moves, constraints, metadata, public)
    return tuple(_sort(moves))


def keep_rules(moves: Iterable[Move], linked: Linked) -> None:
    """Apply the steps to sampled tables, in place."""
    for move in moves:
        if len(linked.tables[move.writes.table]):
            move.apply(linked)


def list_numbered(moves: Iterable[Move], metadata: Metadata) -> frozenset[str]:
    """Return tables whose primary key is a foreign key with a counter that a rule writes."""
    return frozenset(
        move.writes.table
        for move in moves
        if isinstance(move, Rank)
        and {move.writes.column, *move.path[0][1]}
        <= set(as_columns(metadata.tables[move.writes.table].primary_key))
    )


def _close(parts: Sequence[Part], public: Collection[str]) -> list[Part]:
    """Add the rules that lower bounds are at most upper bounds, so that no range is empty."""
    found = list(parts)
    for low in found:  # the list grows in this loop
        for high in [each for each in found if isinstance(each, Bound) and not each.is_low]:
            if not isinstance(low, Bound) or not low.is_low or low.writes != high.writes:
                continue
            implied = _relate_ends(low, high)
            apart = low.other != high.other and implied.writes.table not in public
            if apart and implied not in found:
                found.append(implied)
    return found


def _relate_ends(low: Bound, high: Bound) -> Bound:
    near, far = sorted((low, high), key=lambda each: len(each.path))
    if far.path[: len(near.path)] != near.path:
        raise SynthesizerInputError(
            f"The ends '{low.other}' and '{high.other}' of the column '{low.writes}' belong to "
            'rows that do not lead to each other, so they may contradict: leave one rule out.'
        )
    rest = far.path[len(near.path) :]
    if near is low and rest:
        return Bound(low.other, high.other, rest, False)
    return Bound(high.other, low.other, rest, True)


def _follow(moves: Sequence[Move], formulas: Sequence[Formula]) -> list[Move]:
    """Return formulas with a column that a rule, or another of these formulas, writes."""
    written = {each.writes for each in moves}
    found: list[Move] = []
    waiting = list(formulas)
    while True:
        ready = [
            each
            for each in waiting
            if any(Name(str(each.table_name), name) in written for name in each.expression.names)
        ]
        if not ready:
            return found
        for each in ready:
            own = Name(str(each.table_name), each.column_name)
            found.append(Compute(own, own.table, each.expression, (), each.decimals))
            written.add(own)
            waiting.remove(each)


def _check_written(
    moves: Sequence[Move], constraints: Sequence[Any], metadata: Metadata, public: Collection[str]
) -> None:
    """Refuse rules that write columns of public tables, keys, or columns of other rules."""
    names = [each.writes for each in moves]
    numbered = list_numbered(moves, metadata)
    for move in moves:
        name = move.writes
        if names.count(name) > 1:
            raise SynthesizerInputError(
                f"Several rules write the column '{name}': leave all but one out."
            )
        if name.table in public:
            raise SynthesizerInputError(
                f"A rule would write the column '{name}', but the public table '{name.table}' is "
                'copied unchanged: leave the rule out.'
            )
        if name.column in find_keys(metadata, name.table, composite=name.table not in numbered):
            raise SynthesizerInputError(
                f"A rule would write the column '{name}', which is part of a key: leave it out."
            )
    for each in constraints:
        table = str(getattr(each, 'table_name', None))
        own = {name.column: name for name in names if name.table == table}
        if isinstance(each, Formula):
            held = set() if own.keys() & set(each.expression.names) else {each.column_name}
        else:
            held = list_names(each)
        met = [name for column, name in own.items() if column in held]
        if met:
            raise SynthesizerInputError(
                f'Rules between tables write the columns {list(map(str, met))}, so the constraint '
                f"'{type(each).__name__}' would not be kept. State an order as "
                "After('table.high', 'table.low'), and leave the constraint out."
            )


def list_names(constraint: Any) -> set[str]:
    """Return all texts in the parameters of a constraint; its columns are among them."""
    if not hasattr(constraint, 'get_constraint_dict'):
        return set()  # a programmed constraint names no columns
    try:
        return set(_list_texts(constraint.get_constraint_dict()['parameters']))
    except AttributeError:
        return set()


def _list_texts(parameters: Any) -> Iterator[str]:
    if isinstance(parameters, str):
        yield parameters
    elif isinstance(parameters, dict | list | tuple):
        for each in parameters:
            yield from _list_texts(each)
        if isinstance(parameters, dict):
            yield from _list_texts(list(parameters.values()))


def _sort(moves: Sequence[Move]) -> Iterator[Move]:
    waiting = list(moves)
    while waiting:
        pending = {each.writes for each in waiting}
        ready = [each for each in waiting if not pending & set(each.reads)]
        if not ready:
            raise SynthesizerInputError(
                f'Rules compute the columns {sorted(map(str, pending))} from each other in a '
                'circle: leave one rule out.'
            )
        yield from ready
        waiting = [each for each in waiting if each not in ready]


def list_computed(moves: Iterable[Move], table: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the columns of a table that rules write, and those of them that need no model."""
    own = [each for each in moves if each.writes.table == table]
    # Constraints of the table compute formulas within a row.
    whole = [each for each in own if each.replaces and (not isinstance(each, Compute) or each.path)]
    return (
        frozenset(each.writes.column for each in own),
        frozenset(each.writes.column for each in whole),
    )
