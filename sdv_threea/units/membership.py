"""The unit of privacy of every row, and bounds on the rows of a unit: private, unit by unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.columns import make_table
from sdv_threea.units.schema import Link, Schema

#: Row of the parent that each row of the child refers to, by link; -1 for none.
Parents = Mapping[Link, NDArray[np.int64]]

#: The unit of a *disputed* row, to which paths lead from several units. No bound on the
#: contribution of one unit would hold for such a row, so it is left out.
DISPUTED = -1


@dataclass(frozen=True)
class Database:
    """The private tables and, by foreign key, the parent row of each row."""

    tables: Mapping[str, pd.DataFrame]
    parents: Parents
    num_rows: Mapping[str, int]


def find_units(
    schema: Schema, num_rows: Mapping[str, int], parents: Parents
) -> dict[str, NDArray[np.int64]]:
    """Return the unit of every row, by private table; :data:`DISPUTED` if there are several.

    A row belongs to the unit of the row that owns it. A row without an owner is a unit, with all
    rows that refer to it. If several paths of foreign keys lead to a row, all must come from one
    unit; otherwise the row is disputed.

    Formal guarantees: removing a row of a root table and every row that can be reached from it, and
    nothing else that refers to those, removes exactly one unit: the other rows keep their units, up
    to a renaming, except for rows that were disputed before.
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


def rank_within(
    groups: NDArray[np.int64],
    rng: np.random.Generator,
    sooner: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Return the number of each row within its group, from 0 in random order; shape (n,).

    Rows for which ``sooner`` is true come first with a chance of one half each.
    """
    # Rows are sorted by group, and by a random number inside a group.
    keys = rng.random(len(groups))
    if sooner is not None:
        keys -= sooner & (rng.random(len(groups)) < 0.5)
    order = np.lexsort((keys, groups))
    ordered = groups[order]
    first = np.searchsorted(ordered, ordered, side='left')
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - first
    return ranks


def bound_rows(
    units: NDArray[np.int64],
    bound: int | None,
    rng: np.random.Generator,
    sooner: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Return which rows are kept, shape (n,): at most ``bound`` per unit, and no disputed row.

    Rows are drawn uniformly by ``rng``, which is independent of the rows; nothing released is drawn
    from ``rng``. If ``sooner`` is true for some rows, each of these comes first with a chance of
    one half.

    Formal guarantees: a unit has at most ``bound`` rows among those kept, and which ones depends on
    the rows of that unit, and on ``sooner`` for these, alone.
    """
    kept = units != DISPUTED
    if bound is not None:
        kept &= rank_within(units, rng, sooner) < bound
    return np.asarray(kept)


def count_children(
    link: Link, units: Mapping[str, NDArray[np.int64]], parents: Parents
) -> NDArray[np.int64]:
    """Return the number of rows of the same unit that refer to each row of the parent.

    Formal guarantees: the count of a row depends on the rows of its unit alone.
    """
    referred = parents[link]
    own = referred[(referred >= 0) & (units[link.child] != DISPUTED)]
    return np.bincount(own, minlength=len(units[link.parent]))


def join_parent(child_rows: int, referred: NDArray[np.int64], parent: pd.DataFrame) -> pd.DataFrame:
    """Return the parent row of each row of a child; missing where ``referred`` is -1.

    Formal guarantees: a row of the result is a function of a row of the child and of its parent's
    row.
    """
    joined = {}
    for name in parent.columns:
        values = parent[name].to_numpy()
        # The position -1 takes the missing value at the end.
        gap = np.nan if values.dtype.kind == 'f' else None
        padded = np.append(values, np.array([gap], dtype=values.dtype))
        joined[name] = padded[referred]
    return make_table(joined, pd.RangeIndex(child_rows))


def _follow(
    units_of_parent: NDArray[np.int64], referred: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    led = referred >= 0
    found = np.append(units_of_parent, DISPUTED)[referred]
    return found, led


def _settle(
    paths: list[tuple[NDArray[np.int64], NDArray[np.bool_]]], alone: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the unit that all paths to a row come from; ``alone`` is the unit without a path."""
    settled = alone.copy()
    anywhere = np.zeros(len(alone), dtype=np.bool_)
    for found, led in paths:
        agreed = np.where(anywhere, settled, found)
        disputed = led & (agreed != found)
        settled = np.where(disputed, DISPUTED, np.where(led, agreed, settled))
        anywhere |= led
    return settled
