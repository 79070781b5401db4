"""Checks of a whole database, and its sampled tables with foreign keys.

Complaints show no value of a row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sdv.errors import InvalidDataError, InvalidDataTypeError
from sdv.metadata import Metadata

from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.keys import find_flaws
from sdv_threea.rows.units.schema import Link, Schema
from sdv_threea.storage.reading import as_plain
from sdv_threea.storage.references import (
    Key,
    Tables,
    as_columns,
    find_broken,
    key_columns,
    write_references,
)


def take_tables(data: object, metadata: Metadata) -> dict[str, pd.DataFrame]:
    """Check that all tables are there, and return them in the order of the metadata."""
    if not isinstance(data, dict) or not all(
        isinstance(table, pd.DataFrame) for table in data.values()
    ):
        raise InvalidDataTypeError(
            'The `data` parameter must be a dictionary that maps the name of every table to a '
            'pandas DataFrame.'
        )
    names = list(metadata.tables)
    plain = {name: as_plain(table) for name, table in data.items()}
    problems = [
        f"Table '{name}' of the metadata is not in the data." for name in names if name not in data
    ]
    problems += [f"Table '{name}' is not in the metadata." for name in data if name not in names]
    problems += [
        f"Table '{name}' has no rows: there is nothing to learn from."
        for name in names
        if name in data and not len(plain[name])
    ]
    if problems:
        raise InvalidDataError(problems)
    return {name: plain[name] for name in names}


def find_broken_references(tables: Tables, metadata: Metadata, schema: Schema) -> list[str]:
    """List invalid foreign keys and primary keys, one sentence for each."""
    problems = []
    for link in schema.links:
        key = key_columns(metadata, link)
        if find_broken(tables[link.child], link, tables[link.parent], key):
            problems.append(
                f"The foreign key {link.name} has values that are not among the keys of '"
                f"{link.parent}'. Remove those rows (see sdv.utils.drop_unknown_references); "
                'whole numbers of more than 15 digits that are stored as floats, because one is '
                'missing, have lost digits: read them as Int64.'
            )
    for name, table in tables.items():
        own = list(as_columns(metadata.tables[name].primary_key))
        if not own:
            continue
        with guarded():
            flaws = find_flaws(table[own])
        said = {
            f"The primary key {own} of table '{name}' has repeated values.": flaws.repeated,
            f"The primary key {own} of table '{name}' has missing values.": flaws.missing,
            f"The primary key {own} of table '{name}' has values that are no keys: texts, dates "
            'and numbers are, but no whole numbers of more than 15 digits that are stored as '
            'floats: read them as Int64.': flaws.unreadable,
        }
        problems += [flaw for flaw, found in said.items() if found]
    return problems


def without_sequences(metadata: Metadata) -> Metadata:
    """Copy the metadata for tables by themselves, whose rows have no order."""
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


def connect(
    tables: Tables,
    parents: Mapping[Link, NDArray[np.int64]],
    schema: Schema,
    metadata: Metadata,
    dtypes: Mapping[str, Mapping[str, Any]],
    keys: Mapping[str, Collection[Key]],
) -> dict[str, pd.DataFrame]:
    """Write the foreign keys, and drop rows that refer to a dropped row or repeat a key.

    The index of each table has the numbers of its rows. ``parents`` has, for each row of the child,
    the number of its row of the parent, -1 for none. ``keys`` are those of several columns, by
    table.
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
        # Generated keys are unique; those of several columns and keys that refer may not be.
        if any(link.unique for link in schema.links_of(name)):
            own.append(as_columns(metadata.tables[name].primary_key))
        for key in own:
            rows = rows[~rows[list(key)].duplicated()]
        numbers[name], connected[name] = rows.index, rows.reset_index(drop=True)
    return {name: connected[name] for name in metadata.tables}
