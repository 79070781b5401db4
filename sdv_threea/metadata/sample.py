"""Proposals from public rows, and from existing metadata."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.metadata.columns import StatedColumn, fitting
from sdv_threea.metadata.proposal import Proposal

#: The fields of a column, by the entries of SDV's metadata.
FIELDS = {
    'sdtype': 'sdtype',
    'range_min': 'low',
    'range_max': 'high',
    'range_values': 'values',
    'range_is_nullable': 'nullable',
    'decimal_places': 'decimals',
    'datetime_format': 'template',
}

#: Entries of SDV's metadata that are dropped: ``pii`` follows from the sdtype, and
#: ``high_cardinality`` from the list of values.
DROPPED = ('pii', 'high_cardinality')


def propose_from_public_rows(tables: Mapping[str, pd.DataFrame]) -> Proposal:
    """Propose metadata from public rows, in which SDV detects types, ranges and values.

    Never call it on private rows: the result holds their ranges and values. A public sample shows
    what can occur, but not what cannot. The proposal therefore states that cells may be missing in
    columns where some are, and leaves this question open for all other columns. Widen the ranges to
    what the private table may hold.

    Args:
        tables: Public rows by table.

    Raises:
        InputError: If the sample does not consist of tables.
    """
    if not isinstance(tables, Mapping) or not all(
        isinstance(each, pd.DataFrame) for each in tables.values()
    ):
        raise InputError('The public rows must be a dictionary of DataFrames by name of the table.')
    from sdv.metadata import Metadata

    copies = {name: each.copy() for name, each in tables.items()}  # SDV renames columns
    found = read_metadata(Metadata.detect_from_dataframes(copies).to_dict())
    described = {
        name: tuple(_leave_open(each, tables[name][each.name].dtype) for each in columns)
        for name, columns in found.tables.items()
    }
    said = 'Ranges and values are those of rows that were said to be public, all of which were read'
    return Proposal(described, (f'{said}: widen them to what the private table may hold.',))


def read_metadata(described: Mapping[str, Any]) -> Proposal:
    """Return all facts of SDV's metadata, given as ``Metadata.to_dict`` returns it."""
    references = {
        (each['child_table_name'], each['child_foreign_key']): (
            each['parent_table_name'],
            each['parent_primary_key'],
        )
        for each in described.get('relationships') or ()
    }
    tables = {}
    for table, about in described['tables'].items():
        keys = about.get('primary_key') or []
        keys = [keys] if isinstance(keys, str) else keys
        tables[table] = tuple(
            _read_entry(name, entry, name in keys, references.get((table, name)))
            for name, entry in about['columns'].items()
        )
    return Proposal(tables)


def _read_entry(
    name: str, entry: Mapping[str, Any], is_key: bool, references: tuple[str, str] | None
) -> StatedColumn:
    facts = {FIELDS[fact]: each for fact, each in entry.items() if fact in FIELDS}
    more = {fact: each for fact, each in entry.items() if fact not in (*FIELDS, *DROPPED)}
    facts['sdtype'] = None if facts.get('sdtype') == 'unknown' else facts.get('sdtype')
    if isinstance(facts.get('values'), list):
        facts['values'] = tuple(facts['values'])
    return StatedColumn(
        name=name, key=is_key, references=references, more=tuple(more.items()), **facts
    )


def _leave_open(column: StatedColumn, dtype: Any) -> StatedColumn:
    """Leave open what rows cannot show: that no cell is missing, and the ends of an empty range."""
    from sdv_threea.storage.metadata import MOST_DECIMALS  # late: loads SDV

    ends = [None if _is_nothing(end) else end for end in (column.low, column.high)]
    typed = pd.api.types.is_datetime64_any_dtype(dtype)
    if typed:
        ends = [None if end is None else str(end) for end in ends]
    if pd.api.types.is_bool_dtype(dtype):
        column = fitting(replace(column, sdtype='boolean'))
    decimals = column.decimals
    return replace(
        column,
        low=ends[0],
        high=ends[1],
        nullable=column.nullable or None,
        decimals=None if decimals is None or decimals > MOST_DECIMALS else decimals,
        typed=bool(typed),
    )


def _is_nothing(end: object) -> bool:
    return end is None or end is pd.NaT or (isinstance(end, float) and not math.isfinite(end))
