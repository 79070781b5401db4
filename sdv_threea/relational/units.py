"""The unit of privacy of every row, and bounds on what a unit contributes.

Every function here maps the rows of one unit by themselves: what becomes of them does not depend on
the rows of other units. Private in, private out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.columns import make_table
from sdv_threea.relational.schema import Link, Schema

#: The rows of the parent that the rows of the child refer to, by link; -1 for none.
Parents = Mapping[Link, NDArray[np.int64]]

#: The unit of a row that belongs to several: it is left out.
DISPUTED = -1


@dataclass(frozen=True)
class Database:
    """The private rows.

    Args:
        tables: The modelled columns of the private tables, as the pipeline takes them.
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

    A row belongs to the unit of its owner's row. A row whose owner is missing is a unit of its own,
    with all that hangs off it. A row that several paths of foreign keys lead to is only kept if
    they all lead to it from one unit.

    Formal guarantees:
        * removing a row of a root table and every row that can be reached from it, and nothing else
          that refers to those, removes exactly one unit: the other rows keep theirs, up to a
          renaming, but for rows that are disputed before

    Args:
        schema: The graph of tables.
        num_rows: Number of rows by table.
        parents: Row of the parent that each row refers to.

    Returns:
        A whole number per row that names its unit, or :data:`DISPUTED`, by table.
    """
    units: dict[str, NDArray[np.int64]] = {}
    # Rows without an owner get names that no other row has.
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
    order = np.lexsort((rng.random(len(groups)), groups))
    ordered = groups[order]
    first = np.searchsorted(ordered, ordered, side='left')
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - first
    return ranks


def bound_rows(
    units: NDArray[np.int64], bound: int | None, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Keep at most so many rows of each unit, chosen uniformly, and none that is disputed.

    Formal guarantees:
        * a unit has at most ``bound`` rows among those kept, and which ones depends on the rows of
          that unit alone

    Args:
        units: The unit of every row, shape (n,).
        bound: How many, or ``None`` for all of them.
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
    """Count the rows that refer to each row of the parent, of the same unit as it.

    Formal guarantees:
        * the count of a row depends on the rows of its unit alone

    Args:
        link: The link.
        units: The unit of every row, by table.
        parents: Row of the parent that each row refers to.

    Returns:
        Shape (number of rows of the parent,).
    """
    referred = parents[link]
    own = referred[(referred >= 0) & (units[link.child] != DISPUTED)]
    return np.bincount(own, minlength=len(units[link.parent]))


def join_parent(child_rows: int, referred: NDArray[np.int64], parent: pd.DataFrame) -> pd.DataFrame:
    """Set beside each row of a child the row of the parent that it refers to.

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
        gap = np.nan if values.dtype.kind == 'f' else None
        padded = np.append(values, np.array([gap], dtype=values.dtype))
        joined[name] = padded[referred]
    return make_table(joined, pd.RangeIndex(child_rows))


def _follow(
    units_of_parent: NDArray[np.int64], referred: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find the unit that each row is led to by one link, and whether it is led anywhere."""
    led = referred >= 0
    found = np.append(units_of_parent, DISPUTED)[referred]
    return found, led


def _settle(
    paths: list[tuple[NDArray[np.int64], NDArray[np.bool_]]], alone: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Agree on one unit per row, or dispute it."""
    settled = alone.copy()
    anywhere = np.zeros(len(alone), dtype=np.bool_)
    for found, led in paths:
        agreed = np.where(anywhere, settled, found)
        disputed = led & (agreed != found)
        settled = np.where(disputed, DISPUTED, np.where(led, agreed, settled))
        anywhere |= led
    return settled
