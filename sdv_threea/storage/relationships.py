"""Foreign keys: SDV's relationships as links, checks, and the values of sampled references."""

from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.arrays import Wholes
from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.cells import INVALID_PLACE
from sdv_threea.rows.intake.keys import Flaws, find_flaws, find_rows, number_values
from sdv_threea.rows.units.references import Labels
from sdv_threea.schema import Link, Schema

#: The columns of a key.
Key = tuple[str, ...]

#: Tables by name.
Tables = Mapping[str, pd.DataFrame]


def read_schema(
    metadata: Metadata,
    unit: str | None,
    public: frozenset[str],
    dtypes: Mapping[str, Mapping[str, Any]] | None = None,
) -> Schema:
    """Return the graph of tables; a foreign key that cannot be missing is a required link."""
    links, stored = [], dtypes or {}
    for each in metadata.relationships:
        child = each['child_table_name']
        columns = as_columns(each['child_foreign_key'])
        key = as_columns(metadata.tables[child].primary_key)
        facts = metadata.tables[child].columns
        whole = all(
            facts[name].get('range_is_nullable') is False
            or _is_never_missing(stored.get(child, {}).get(name))
            for name in columns
        )
        links.append(
            Link(
                child,
                columns,
                each['parent_table_name'],
                required=whole or set(columns) <= set(key),
                unique=columns == key,
            )
        )
    return Schema(tuple(metadata.tables), tuple(links), unit, public)


def _is_never_missing(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in 'iu'


def as_columns(key: str | list[str] | None) -> tuple[str, ...]:
    """Return the columns of a key: none, one or several names."""
    if key is None:
        return ()
    return (key,) if isinstance(key, str) else tuple(key)


def find_keys(metadata: Metadata, table: str, *, composite: bool = True) -> set[str]:
    """Return the columns of a table's primary, alternate and foreign keys.

    Without ``composite``, primary and alternate keys of several columns are left out.
    """
    described = metadata.tables[table]
    keys = list(map(as_columns, (described.primary_key, *described.alternate_keys)))
    keys = [key for key in keys if composite or len(key) == 1]
    keys += [
        as_columns(each['child_foreign_key'])
        for each in metadata.relationships
        if each['child_table_name'] == table
    ]
    return {name for key in keys for name in key}


def find_distinct(keys: Mapping[str, Collection[Key]], schema: Schema) -> list[tuple[Link, ...]]:
    """For each key of several columns that consists only of foreign keys, list these foreign keys.

    The last one does not lead to the owner, so samples may change it.
    """
    found = []
    for table in schema.private:
        for key in keys.get(table, ()):
            links = [link for link in schema.links_of(table) if {*link.columns} <= {*key}]
            links.sort(key=lambda link: link != schema.owners[table])
            if len(links) > 1 and {name for link in links for name in link.columns} == {*key}:
                found.append(tuple(links))
    return found


def key_columns(metadata: Metadata, link: Link) -> tuple[str, ...]:
    """Return the columns of the parent that a link refers to."""
    return as_columns(metadata.tables[link.parent].primary_key)


def find_places(child: pd.DataFrame, parent: pd.DataFrame) -> Wholes:
    """Return the parent's row that each row of a child refers to: shape (n,), -1 for none."""
    return np.maximum(find_rows(child, parent), -1)


def write_references(
    child: pd.DataFrame,
    link: Link,
    referred: Wholes,
    parent: pd.DataFrame,
    key: tuple[str, ...],
    dtypes: Mapping[str, Any],
) -> None:
    """Write the values of a foreign key into the rows of a child, in place.

    ``referred`` are rows of the parent, -1 for none, shape (n,). The values equal the parent's keys
    exactly: if the child's dtype cannot hold them, they keep the parent's dtype.
    """
    for column, name in zip(link.columns, key, strict=True):
        taken = _take(parent[name], referred)
        child[column] = _store(taken, dtypes.get(column)).set_axis(child.index)


def _take(values: pd.Series, places: Wholes) -> pd.Series:
    """Take values at positions, missing ones for -1, in a dtype that keeps all digits."""
    gaps = bool((places < 0).any())
    if gaps and isinstance(values.dtype, np.dtype) and values.dtype.kind in 'iu':
        values = values.astype(values.dtype.name.replace('i', 'I').replace('u', 'U'))
    return pd.Series(values.array.take(places, allow_fill=gaps))


def _store(taken: pd.Series, dtype: Any) -> pd.Series:
    """Convert values to a dtype if it can hold all of them exactly."""
    if dtype is None or taken.dtype == dtype:
        return taken
    try:
        stored = taken.astype(dtype)
    except (TypeError, ValueError):
        return taken
    before, after = number_values([taken, stored])
    return stored if np.array_equal(before, after) else taken


def label_numbers(schema: Schema, taken: Mapping[str, Collection[str]]) -> dict[str, Labels]:
    """Choose names for the columns of row numbers; no column in ``taken`` has the same name."""
    used = {table: set(names) for table, names in taken.items()}

    def name(label: str, table: str) -> str:
        # Two foreign keys may give the same label: ('a, b', 'c') and ('a', 'b, c').
        while label in used[table]:
            label = f'_{label}'
        used[table].add(label)
        return label

    found = {}
    for table in schema.tables:
        links = schema.links_of(table) if table in schema.private else ()
        refer = {link: f'row of {link.parent} by {", ".join(link.columns)}' for link in links}
        named = {link: name(label, table) for link, label in refer.items()}
        found[table] = Labels(name(f'row of {table}', table), named)
    return found


def find_broken_references(tables: Tables, metadata: Metadata, schema: Schema) -> list[str]:
    """List invalid foreign keys and primary keys of tables, a sentence each."""
    broken, flaws = set(), {}
    with guarded():
        for link in schema.links:
            if link.child in tables:
                child, key = tables[link.child][list(link.columns)], key_columns(metadata, link)
                found = find_rows(child, tables[link.parent][list(key)])
                if (found == INVALID_PLACE).any():  # a key with a missing part is valid
                    broken.add(link)
        for name, table in tables.items():
            if own := list(as_columns(metadata.tables[name].primary_key)):
                flaws[name] = find_flaws(table[own])
    return tell_flawed(metadata, schema, broken, flaws)


def tell_flawed(
    metadata: Metadata, schema: Schema, broken: Collection[Link], flaws: Mapping[str, Flaws]
) -> list[str]:
    """Describe broken foreign keys and flawed primary keys, a sentence each."""
    problems = [
        f"The foreign key {link.name} has values that are not among the keys of '{link.parent}'. "
        'Remove those rows (see sdv.utils.drop_unknown_references); whole numbers of more than 15 '
        'digits that are stored as floats, because one is missing, have lost digits: read them as '
        'Int64.'
        for link in schema.links
        if link in broken
    ]
    for name, found in flaws.items():
        own = list(as_columns(metadata.tables[name].primary_key))
        said = {
            f"The primary key {own} of table '{name}' has repeated values.": found.repeated,
            f"The primary key {own} of table '{name}' has missing values.": found.missing,
            f"The primary key {own} of table '{name}' has values that cannot be keys. Keys are "
            'texts, dates and numbers; whole numbers of more than 15 digits must not be stored as '
            'floats: read them as Int64.': found.unreadable,
        }
        problems += [flaw for flaw, there in said.items() if there]
    return problems


def without_sequences(metadata: Metadata) -> Metadata:
    """Copy the metadata without the order of rows, for synthesizers of single tables."""
    copy = deepcopy(metadata)
    for table in copy.tables.values():
        table.sequence_key = table.sequence_index = None
    return copy


def without_composite_keys(metadata: Metadata) -> Metadata:
    """Copy the metadata without primary keys of several columns, which SDV does not generate."""
    copy = deepcopy(metadata)
    for table in copy.tables.values():
        if len(as_columns(table.primary_key)) > 1:
            table.primary_key = None
    return copy


def renew_repeated(rows: pd.DataFrame, key: Key, own: str) -> pd.DataFrame:
    """Give rows that repeat a key the most frequent value of a column that makes a new key."""
    rest = rows[[name for name in key if name != own]]
    others = rest.groupby(list(rest), sort=False, dropna=False).ngroup().to_numpy()
    codes, listed = pd.factorize(rows[own])
    again = rows[list(key)].duplicated().to_numpy()
    places, firsts = np.arange(len(rows)), np.searchsorted(np.sort(codes), np.arange(len(listed)))
    firsts = np.argsort(codes, kind='stable')[firsts]
    for code in np.argsort(-np.bincount(codes[codes >= 0]), kind='stable'):
        if not again.any():
            break
        waiting = np.flatnonzero(again & ~np.isin(others, others[(codes == code) & ~again]))
        renewed = waiting[np.unique(others[waiting], return_index=True)[1]]
        places[renewed], again[renewed] = firsts[code], False
    return rows.assign(**{own: rows[own].array.take(places)})


def connect(  # noqa: PLR0913 (what is drawn, and what is public)
    tables: Tables,
    parents: Mapping[Link, Wholes],
    schema: Schema,
    metadata: Metadata,
    dtypes: Mapping[str, Mapping[str, Any]],
    keys: Mapping[str, Collection[Key]],
    fixed: Collection[str],
) -> dict[str, pd.DataFrame]:
    """Write the foreign keys; drop rows that refer to a dropped row or repeat a key.

    The index of each table has the numbers of its rows. ``parents`` has, for each row of a child,
    the number of its parent row, -1 for none. ``keys`` are the keys of several columns, by table.
    A row that repeats one of these gets another value of its last column that is neither a foreign
    key nor ``fixed``, as ``table.column``.
    """
    connected: dict[str, pd.DataFrame] = {}
    numbers: dict[str, pd.Index] = {}
    for name in schema.order:
        rows = tables[name]
        for link in schema.links_of(name) if name in schema.private else ():
            referred = parents[link][rows.index]
            places = numbers[link.parent].get_indexer(pd.Index(referred))
            there = (referred < 0) | (places >= 0)
            rows, places = rows[there].copy(), places[there]
            key = key_columns(metadata, link)
            write_references(rows, link, places, connected[link.parent], key, dtypes[name])
        own = [*keys.get(name, ())]
        # Generated keys are unique. Keys of several columns, and keys that are foreign keys, may
        # repeat.
        if any(link.unique for link in schema.links_of(name)):
            own.append(as_columns(metadata.tables[name].primary_key))
        refer = {column for link in schema.links_of(name) for column in link.columns}
        for key in own:
            free = [each for each in key if each not in refer and f'{name}.{each}' not in fixed]
            rows = renew_repeated(rows, key, free[-1]) if free else rows
            rows = rows[~rows[list(key)].duplicated()]
        numbers[name], connected[name] = rows.index, rows.reset_index(drop=True)
    return {name: connected[name] for name in metadata.tables}
