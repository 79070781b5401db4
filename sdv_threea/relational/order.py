"""Rows of one owner in the order of a rising index, which is a numerical or date column.

Two other columns are released instead of the index: the *gap* between a row and the row before it,
and the *first* index of each owner. A sequence then starts at its owner's first index, and
continues by gaps that are not negative.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.domain import Column, Number
from sdv_threea.relational.layout import LONG_STEPS, Layout, find_unit
from sdv_threea.rows.intake.columns import LARGEST_NUMBER
from sdv_threea.rows.units.membership import Database, find_previous, find_units, follow
from sdv_threea.rows.units.schema import Link, Schema

#: A sequence ends after this many of the largest gaps, at the latest.
MOST_GAPS = 65_536


def describe_index(index: Number, first: Column, gap: Column) -> Number:
    """Describe the index of sampled rows by what was released of its parts."""
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
    database: Database,
    schema: Schema,
    layouts: Mapping[str, Layout],
    indices: Mapping[str, Number],
) -> tuple[Database, dict[str, Wholes]]:
    """Return the private rows, those of each owner in their order, and the unit of every row.

    In place of their index the rows get the gap to the row before, and their owners the first one.
    ``indices`` describe the index of each table that has one.

    Formal guarantees:
        * the order of the rows of an owner, their gaps and the first index are functions of these
          rows alone
    """
    for table, index in indices.items():
        database = _sort(database, table, index.name, schema.owners[table])
    units = find_units(schema, database.num_rows, database.parents)
    tables = dict(database.tables)
    for table, index in indices.items():
        owner, gap = schema.owners[table], layouts[table].gap
        if owner is None or gap is None:
            continue
        led = follow(units, owner, database.parents) == units[table]
        owners = np.where(led, database.parents[owner], -1)
        values, size = tables[table][index.name], database.num_rows[owner.parent]
        gaps, firsts = _find_gaps(values, owners, size)
        tables[table] = tables[table].assign(**{gap: gaps / find_unit(index)})
        first = {layouts[owner.parent].firsts[owner]: firsts}
        tables[owner.parent] = tables[owner.parent].assign(**first)
    return replace(database, tables=tables), units


def _sort(database: Database, table: str, index: str, owner: Link | None) -> Database:
    """Sort the rows of a table by owner and index; rows without an index come last.

    Without the owner, a row would move the random choices of all rows that come after its index.
    """
    values = database.tables[table][index].to_numpy(np.float64)
    owners = np.zeros(len(values)) if owner is None else database.parents[owner]
    order = np.lexsort((values, owners))
    places, parents = np.argsort(order), dict(database.parents)
    for link, referred in database.parents.items():
        if link.child == table:
            parents[link] = referred[order]
        elif link.parent == table:
            parents[link] = np.where(referred < 0, referred, places[np.maximum(referred, 0)])
    rows = database.tables[table].iloc[order].reset_index(drop=True)
    return replace(database, tables={**database.tables, table: rows}, parents=parents)


def _find_gaps(index: pd.Series, owners: Wholes, num_owners: int) -> tuple[Floats, Floats]:
    """Return the gap of each row, shape (n,), and the first index of each owner, shape (P,).

    The gap of a first row is that of the second.
    """
    values, gaps = index.to_numpy(np.float64), np.zeros(len(index))
    previous = find_previous(owners, np.arange(len(values)))
    later = np.flatnonzero(previous >= 0)
    gaps[later] = values[later] - values[previous[later]]
    second = later[previous[previous[later]] < 0]
    gaps[previous[second]] = gaps[second]
    begins, firsts = (previous < 0) & (owners >= 0), np.full(num_owners, np.nan)
    firsts[owners[begins]] = values[begins]
    return np.clip(np.nan_to_num(gaps, nan=0.0), 0.0, LARGEST_NUMBER), firsts


def add_gaps(
    firsts: Floats, gaps: Floats, owners: Wholes, index: Number, rng: np.random.Generator
) -> Floats:
    """Return the index of sampled rows, shape (n,): the first one of the owner, and all gaps since.

    Rows of one owner are neighbours. Owners without a first index, and rows without an owner, get
    that of another owner.
    """
    known = firsts[np.isfinite(firsts)]
    known = known if len(known) else np.array([index.low or 0.0])
    firsts = np.where(np.isfinite(firsts), firsts, rng.choice(known, len(firsts)))
    alone = owners < 0
    starts = np.where(alone, rng.choice(known, len(owners)), np.append(firsts, 0.0)[owners])
    begins = alone | (np.diff(owners, prepend=-1) != 0)
    passed = np.where(begins, 0.0, np.maximum(np.nan_to_num(gaps), 0.0))
    total = np.cumsum(passed)
    last = np.maximum.accumulate(np.where(begins, np.arange(len(total)), 0))
    values = np.minimum(starts + total - total[last], np.inf if index.high is None else index.high)
    step = index.step or 0.0
    return np.asarray(np.round(np.rint(values / step) * step, 12) if step else values)
