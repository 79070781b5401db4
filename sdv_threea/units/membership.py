"""The unit of privacy of every row, and bounds on how many rows a unit contributes.

In go private foreign keys, as positions of rows of the parents. Out come the unit of every row, a
choice of rows per unit, or counts of rows; all of that is private too. Every function treats the
rows of each unit by themselves: what becomes of them does not depend on other units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.columns import make_table
from sdv_threea.units.schema import Link, Schema

#: The rows of the parent that the rows of the child refer to, by link; -1 for none.
Parents = Mapping[Link, NDArray[np.int64]]

#: Stands for the unit of a *disputed* row, which paths lead to from several units. No bound on what
#: one unit contributes would hold for it, so it is left out.
DISPUTED = -1


@dataclass(frozen=True)
class Database:
    """The private rows.

    Args:
        tables: The modelled columns of the private tables, as :mod:`~sdv_threea.intake` made them.
        parents: Row of the parent that each row refers to, by link from a private table.
        num_rows: Number of rows of every table, public ones included.
    """

    tables: Mapping[str, pd.DataFrame]
    parents: Parents
    num_rows: Mapping[str, int]


def find_units(
    schema: Schema, num_rows: Mapping[str, int], parents: Parents
) -> dict[str, NDArray[np.int64]]:
    """Find the unit that every row of the private tables belongs to.

    A row belongs to the unit of the row that owns it. A row without an owner is a unit of its own,
    with all rows that refer to it. Several paths of foreign keys may lead to a row: it belongs to a
    unit if all of them come from that one, and is disputed otherwise.

    Formal guarantees:
        * removing a row of a root table and every row that can be reached from it, and nothing else
          that refers to those, removes exactly one unit: the other rows keep theirs, up to a
          renaming, but for rows that are disputed before

    Args:
        schema: The graph of tables.
        num_rows: Number of rows by table.
        parents: Row of the parent that each row refers to.

    Returns:
        The number of the unit of every row, or :data:`DISPUTED`, by table.
    """
    units: dict[str, NDArray[np.int64]] = {}
    # Rows without an owner get numbers that no other row has.
    fresh = sum(num_rows.values())
    for table in schema.private:
        alone = np.arange(num_rows[table]) + fresh
        fresh += num_rows[table]
        links = schema.unit_links(table)
        paths = [_follow(units[link.parent], parents[link]) for link in links]
        units[table] = _settle(paths, alone) if paths else alone
    return units


def rank_within(groups: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Number the rows of each group from 0, in random order; shape (n,)."""
    # Sorted by group, and by a random number inside a group. A row's number is how far it is from
    # the start of its group.
    order = np.lexsort((rng.random(len(groups)), groups))
    ordered = groups[order]
    first = np.searchsorted(ordered, ordered, side='left')
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - first
    return ranks


def bound_rows(
    units: NDArray[np.int64], bound: int | None, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose at most ``bound`` rows of each unit, uniformly, and none that is disputed.

    Formal guarantees:
        * a unit has at most ``bound`` rows among those kept, and which ones depends on the rows of
          that unit alone

    Args:
        units: The unit of every row, shape (n,).
        bound: The most rows to keep of a unit, or ``None`` for all of them.
        rng: Source of the choice: independent of the rows, and nothing released is drawn from it.

    Returns:
        Which rows are kept, shape (n,).
    """
    kept = units != DISPUTED
    if bound is not None:
        kept &= rank_within(units, rng) < bound
    return np.asarray(kept)


def count_children(
    link: Link, units: Mapping[str, NDArray[np.int64]], parents: Parents
) -> NDArray[np.int64]:
    """Count, for each row of the parent, the rows that refer to it and belong to its unit.

    Formal guarantees:
        * the count of a row depends on the rows of its unit alone

    Args:
        link: The foreign key.
        units: The unit of every row, by table.
        parents: Row of the parent that each row refers to.

    Returns:
        Shape (number of rows of the parent,).
    """
    referred = parents[link]
    own = referred[(referred >= 0) & (units[link.child] != DISPUTED)]
    return np.bincount(own, minlength=len(units[link.parent]))


def join_parent(child_rows: int, referred: NDArray[np.int64], parent: pd.DataFrame) -> pd.DataFrame:
    """Return, for each row of a child, the row of the parent that it refers to.

    Formal guarantees:
        * a row of the result is a function of a row of the child and of its parent's row

    Args:
        child_rows: Number of rows of the child.
        referred: Rows of the parent, -1 for none, shape (child_rows,).
        parent: The columns of the parent.

    Returns:
        The columns of the parent, missing where there is none, one row per row of the child.
    """
    joined = {}
    for name in parent.columns:
        values = parent[name].to_numpy()
        # A missing value at the end, which is what the position -1 takes.
        gap = np.nan if values.dtype.kind == 'f' else None
        padded = np.append(values, np.array([gap], dtype=values.dtype))
        joined[name] = padded[referred]
    return make_table(joined, pd.RangeIndex(child_rows))


def _follow(
    units_of_parent: NDArray[np.int64], referred: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Follow one foreign key of each row.

    Returns:
        The unit of the row that it refers to, and whether it refers to any; shape (n,) each.
    """
    led = referred >= 0
    found = np.append(units_of_parent, DISPUTED)[referred]
    return found, led


def _settle(
    paths: list[tuple[NDArray[np.int64], NDArray[np.bool_]]], alone: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find the unit that all paths to a row come from.

    Args:
        paths: What :func:`_follow` returns, for each foreign key that a row can belong to a unit
            through.
        alone: The unit of every row that no path leads to, shape (n,).

    Returns:
        The unit of every row, :data:`DISPUTED` where paths come from several; shape (n,).
    """
    settled = alone.copy()
    anywhere = np.zeros(len(alone), dtype=np.bool_)
    for found, led in paths:
        agreed = np.where(anywhere, settled, found)
        disputed = led & (agreed != found)
        settled = np.where(disputed, DISPUTED, np.where(led, agreed, settled))
        anywhere |= led
    return settled
