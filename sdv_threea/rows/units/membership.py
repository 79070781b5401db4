"""The unit of privacy of every row, and bounds on the rows of a unit: private, unit by unit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.intake.columns import make_table
from sdv_threea.schema import Link, Schema

#: A missing reference. Lower numbers are references to a removed row: only proofs and tests that
#: remove a unit have such references.
NOBODY = -1

Wholes = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Row of the parent that each row of the child refers to, by link.
Parents = Mapping[Link, Wholes]

#: The unit of a row that is left out.
LEFT_OUT = -1


#: A reference to a row of another group is ``-2 - (group + 1) * PLACES - row``.
PLACES = 2**32


@dataclass(frozen=True)
class Database:
    """The private tables, or the rows of some units, and by foreign key each row's parent row.

    ``numbers`` are the numbers of the rows in the whole table, if these are not all of its rows.
    """

    tables: Mapping[str, pd.DataFrame]
    parents: Parents
    num_rows: Mapping[str, int]
    numbers: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)


class Group(NamedTuple):
    """All rows of some units, by table: private.

    ``rows`` have the released columns, ``parents`` the rows of the parents by link. The other
    fields, by row, are the unit, the number in the whole table, and the place in the order of the
    table.
    """

    rows: Mapping[str, pd.DataFrame]
    parents: Parents
    units: Mapping[str, NDArray[np.int64]]
    numbers: Mapping[str, NDArray[np.int64]]
    places: Mapping[str, NDArray[np.int64]]


@dataclass
class Coins:
    """Random numbers of rows: SplitMix64, with a secret ``key``, at the numbers of the rows.

    Formal guarantees: the random numbers of a row depend on the key and on the number of the row
    alone, so not on the group that holds it.
    """

    key: int
    numbers: NDArray[np.int64]

    def random(self, size: int) -> NDArray[np.float64]:
        """Return a random number for each row, shape (n,); each call returns other numbers."""
        states = np.append(self.numbers, -1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        states += np.uint64(self.key)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            states = (states ^ (states >> np.uint64(shift))) * np.uint64(factor)
        states ^= states >> np.uint64(31)
        self.key = int(states[-1])
        return np.asarray((states[:size] >> np.uint64(11)) * 2.0**-53)


def find_units(schema: Schema, num_rows: Mapping[str, int], parents: Parents) -> dict[str, Wholes]:
    """Return the unit of every row, by private table.

    A row belongs to the unit of its owner, the first row that it refers to. If that reference is
    missing, the next foreign key of :meth:`Schema.unit_links` counts. A row without references is a
    unit, with all rows that belong to it.

    Formal guarantees:
        * every row has one unit, which depends on the references of that row, and of the rows that
          they lead to, alone
        * removing all rows of a unit does not change the units of other rows, up to a renaming,
          even of rows that refer to the removed ones
    """
    units: dict[str, NDArray[np.int64]] = {}
    # Rows without an owner get numbers that no other row has.
    fresh = sum(num_rows.values())
    for table in schema.private:
        alone = np.arange(num_rows[table]) + fresh
        fresh += num_rows[table]
        links = schema.unit_links[table]
        units[table] = alone
        for link in reversed(links):
            led = parents[link] >= 0
            units[table] = np.where(led, follow(units, link, parents), units[table])
    return units


def rank_within(groups: Wholes, coins: Coins, sooner: Bools | None = None) -> Wholes:
    """Return the number of each row within its group, from 0 in random order; shape (n,).

    Rows for which ``sooner`` is true come first with a chance of one half each.
    """
    keys = coins.random(len(groups))
    if sooner is not None:
        keys -= sooner & (coins.random(len(groups)) < 0.5)
    order = np.lexsort((keys, groups))
    ordered = groups[order]
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - np.searchsorted(ordered, ordered, side='left')
    return ranks


def shuffle_ranks(owners: Wholes, coins: Coins) -> Wholes:
    """Return the position of each row within its owner's rows, in random order; shape (n,)."""
    return np.where(owners >= 0, rank_within(owners, coins), 0)


def pick_rows(owners: Wholes, num_owners: int, coins: Coins) -> Wholes:
    """Return a random row of each owner, -1 for none, shape (P,).

    Formal guarantees: which row is picked depends on the rows of this owner alone.
    """
    (first,) = np.nonzero((rank_within(owners, coins) == 0) & (owners >= 0))
    picked = np.full(num_owners, NOBODY)
    picked[owners[first]] = first
    return picked


def find_previous(owners: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row of the same owner that comes before each row, -1 for none; shape (n,).

    Formal guarantees: the row before a row is of the same owner, so of the same unit.
    """
    previous = np.full(len(owners), -1)
    order = np.lexsort((ranks, owners))
    same = (owners[order[1:]] == owners[order[:-1]]) & (owners[order[1:]] >= 0)
    previous[order[1:][same]] = order[:-1][same]
    return previous


def bound_rows(
    units: Wholes, bound: int | None, coins: Coins, sooner: Bools | None = None
) -> Bools:
    """Return which rows are kept, shape (n,): at most ``bound`` per unit, none :data:`LEFT_OUT`.

    Rows are drawn uniformly by ``coins``, which are independent of the rows. Each row for which
    ``sooner`` is true comes first with a chance of one half.

    Formal guarantees: a unit has at most ``bound`` rows among those kept, and which ones depends on
    the rows of that unit, and on ``sooner`` for these, alone.
    """
    kept = units != LEFT_OUT
    if bound is not None:
        kept &= rank_within(units, coins, sooner) < bound
    return np.asarray(kept)


def count_children(link: Link, units: Mapping[str, Wholes], parents: Parents) -> Wholes:
    """Return the number of rows of the same unit that refer to each row of the parent.

    Formal guarantees: the count of a row depends on the rows of its unit alone.
    """
    own = parents[link][follow(units, link, parents) == units[link.child]]
    return np.bincount(own, minlength=len(units[link.parent]))


def join_parent(child_rows: int, referred: NDArray[np.int64], parent: pd.DataFrame) -> pd.DataFrame:
    """Return the parent row of each row of a child; missing where ``referred`` is -1.

    Formal guarantees: a row of the result is a function of a row of the child and of its parent's
    row.
    """
    joined = {}
    for name in parent.columns:
        values = parent[name].to_numpy()
        # Position -1 is the missing value at the end.
        gap = np.nan if values.dtype.kind == 'f' else None
        padded = np.append(values, np.array([gap], dtype=values.dtype))
        joined[name] = padded[referred]
    return make_table(joined, pd.RangeIndex(child_rows))


def follow(units: Mapping[str, Wholes], link: Link, parents: Parents) -> Wholes:
    """Return the unit of the row that each row of a child refers to; :data:`LEFT_OUT` for none."""
    return np.append(units[link.parent], LEFT_OUT)[np.maximum(parents[link], NOBODY)]
