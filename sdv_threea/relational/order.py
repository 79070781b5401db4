"""Rows of one owner in the order of a rising index, which is a numerical or date column.

Two other columns are released instead of the index: the *gap* between a row and the row before it,
and the *first* index of each owner. A sequence then starts at its owner's first index, and
continues by gaps, which are not negative.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.domain import Column, Number
from sdv_threea.relational.layout import LONG_STEPS, Layout, find_unit, own_columns
from sdv_threea.rows.intake.columns import LARGEST_NUMBER
from sdv_threea.rows.units.membership import (
    Database,
    Group,
    find_previous,
    find_units,
    follow,
)
from sdv_threea.schema import Schema

#: A sequence ends at the latest after this many of the largest gaps.
MOST_GAPS = 65_536


def describe_index(index: Number, first: Column, gap: Column) -> Number:
    """Describe the index of sampled rows by the released first indices and gaps."""
    assert isinstance(first, Number)
    assert isinstance(gap, Number)
    unit = find_unit(index)
    step = min(first.step or 0.0, (gap.step or 0.0) * unit)
    last = (first.high or 0.0) + MOST_GAPS * (gap.high or 0.0) * unit
    high = min(last, LARGEST_NUMBER) if index.high is None else index.high
    return replace(index, low=first.low, high=high, step=step, nullable=False)


def count_unit(index: Number, gap: Column) -> float:
    """Return the unit in which released gaps are counted."""
    whole = isinstance(gap, Number) and index.of_times and gap.steps != LONG_STEPS
    return (index.step or 1.0) if whole else 1.0


def order_rows(
    schema: Schema,
    layouts: Mapping[str, Layout],
    indices: Mapping[str, Number],
    database: Database,
) -> Group:
    """Return the private rows by units and in order, with the released columns.

    Rows get the gap to the row before in place of their index, and their owners the first index.
    ``indices`` describe the index of each table that has one.

    Formal guarantees:
        * the order of the rows of an owner, their gaps and the first index are functions of these
          rows alone
    """
    units = find_units(schema, database.num_rows, database.parents)
    places = {name: np.arange(size) for name, size in database.num_rows.items()}
    numbers = {**places, **database.numbers}
    if indices:
        database, places = _replace_indices(schema, layouts, indices, database, units)
    rows = {table: own_columns(layouts[table], database, table, units) for table in units}
    return Group(rows, database.parents, units, numbers, places)


def _replace_indices(
    schema: Schema,
    layouts: Mapping[str, Layout],
    indices: Mapping[str, Number],
    database: Database,
    units: Mapping[str, Wholes],
) -> tuple[Database, dict[str, Wholes]]:
    """Add gaps and first indices to the tables; also return the positions of their rows."""
    places = {name: np.arange(size) for name, size in database.num_rows.items()}
    tables = dict(database.tables)
    for table, index in indices.items():
        owner, gap = schema.owners[table], layouts[table].gap
        if owner is None or gap is None:
            continue
        values = tables[table][index.name].to_numpy(np.float64)
        # Rows without an index come last.
        places[table] = np.argsort(np.argsort(values, kind='stable'), kind='stable')
        led = follow(units, owner, database.parents) == units[table]
        owners = np.where(led, database.parents[owner], -1)
        previous = find_previous(owners, places[table])
        gaps, firsts = _find_gaps(values, owners, previous, database.num_rows[owner.parent])
        tables[table] = tables[table].assign(**{gap: gaps / find_unit(index)})
        first = {layouts[owner.parent].firsts[owner]: firsts}
        tables[owner.parent] = tables[owner.parent].assign(**first)
    return replace(database, tables=tables), places


def _find_gaps(
    values: Floats, owners: Wholes, previous: Wholes, num_owners: int
) -> tuple[Floats, Floats]:
    """Return the gap of each row, shape (n,), and the first index of each owner, shape (P,).

    The first row of an owner gets the gap of the second; a row alone has none.
    """
    gaps = np.full(len(values), np.nan)
    later = np.flatnonzero(previous >= 0)
    gaps[later] = values[later] - values[previous[later]]
    second = later[previous[previous[later]] < 0]
    gaps[previous[second]] = gaps[second]
    begins, firsts = (previous < 0) & (owners >= 0), np.full(num_owners, np.nan)
    firsts[owners[begins]] = values[begins]
    return np.clip(gaps, 0.0, LARGEST_NUMBER), firsts


def add_gaps(
    firsts: Floats, gaps: Floats, owners: Wholes, index: Number, rng: np.random.Generator
) -> Floats:
    """Return the index of sampled rows, shape (n,): the owner's first index plus all gaps since.

    Rows of one owner are neighbours. Owners without a first index, and rows without an owner, get
    the first index of another owner, and rows without a gap the gap of another row.
    """
    known = firsts[np.isfinite(firsts)]
    known = known if len(known) else np.array([index.low or 0.0])
    firsts = np.where(np.isfinite(firsts), firsts, rng.choice(known, len(firsts)))
    alone = owners < 0
    starts = np.where(alone, rng.choice(known, len(owners)), np.append(firsts, 0.0)[owners])
    begins = alone | (np.diff(owners, prepend=-1) != 0)
    there = np.isfinite(gaps)
    if there.any() and not there.all():
        gaps = np.where(there, gaps, rng.choice(gaps[there], len(gaps)))
    passed = np.where(begins, 0.0, np.maximum(np.nan_to_num(gaps), 0.0))
    total = np.cumsum(passed)
    last = np.maximum.accumulate(np.where(begins, np.arange(len(total)), 0))
    values = np.minimum(starts + total - total[last], np.inf if index.high is None else index.high)
    step = index.step or 0.0
    return np.asarray(np.round(np.rint(values / step) * step, 12) if step else values)
