"""References to rows of other units: private, one of each unit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.units.membership import (
    LEFT_OUT,
    NOBODY,
    PLACES,
    Coins,
    Group,
    bound_rows,
    find_previous,
    join_parent,
    shuffle_ranks,
)
from sdv_threea.schema import Link

#: Codes of values at both ends of references: of the rows, shape (n,), and of the parent's, (P,).
Codes = tuple[NDArray[np.int64], NDArray[np.int64]]


def number_values(ours: pd.Series, theirs: pd.Series) -> Codes:
    """Return the same code for the same value in two columns; -1 for a missing value."""
    both = [each.astype(object).to_numpy() for each in (ours, theirs)]
    codes, _ = pd.factorize(np.concatenate(both))
    first, second = np.split(codes.astype(np.int64), [len(ours)])
    return first, second


class Referred(NamedTuple):
    """Rows of a parent that rows of other units refer to: private.

    Args:
        references: The number of references to each row, shape (P,).
        compared: How many of them are compared with the row, shape (P,).
        alike: How many of these have the same value at both ends, shape (P, r).
    """

    references: NDArray[np.int64]
    compared: NDArray[np.int64]
    alike: NDArray[np.int64]


class Repeated(NamedTuple):
    """Whether two rows of one owner refer to the same row of another table, shape (Q,): private."""

    same: NDArray[np.bool_]


def compare_ends(
    ours: pd.Series, theirs: pd.Series, referred: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether each row has the value of the row that it refers to, shape (n,)."""
    codes, other = number_values(ours, theirs)
    led = np.append(other, -1)[np.maximum(referred, NOBODY)]
    return np.asarray((codes >= 0) & (codes == led))


def find_away(
    units: NDArray[np.int64], theirs: NDArray[np.int64], referred: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return true for rows that refer to a row of another unit, even a removed one; shape (n,)."""
    led = np.append(theirs, LEFT_OUT)[np.maximum(referred, NOBODY)]
    return np.asarray((referred != NOBODY) & (led != units))


class Sent(NamedTuple):
    """References to rows of one group, with the values of referring rows: private.

    Args:
        rows: The row of the parent, shape (n,).
        numbers: The number of the referring row, shape (n,).
        ends: A column for each end that is compared, of n rows.
    """

    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]
    ends: pd.DataFrame


@dataclass(frozen=True)
class Reading:
    """The references by a link to rows of other units, ``bound`` of each unit at most.

    The rows of a unit are chosen without looking at their references.

    Formal guarantees:
        * of :meth:`send` and :meth:`take` together: an added unit has at most ``bound``
          references, here one. The new reference raises the count of one row of the parent by one,
          and may replace another reference to that row in the comparison
        * the unit's own row of the parent adds one number, and the comparisons with that row
        * together numbers move by at most ``sqrt(5)``, and comparisons by at most two each; by one
          each if the unit has only one of both effects

    Args:
        owner: The link to the row that owns a row, if any.
        ends: The columns that are compared: whether the first one is the row's own or its owner's,
            its name, and the name of the parent's.
        keys: The keys of random choices: of references, of rows of the parent, of comparisons.
    """

    link: Link
    owner: Link | None
    ends: tuple[tuple[bool, str, str], ...]
    bound: int | None
    keys: tuple[int, int, int]

    def send(self, number: int, group: Group) -> Iterator[tuple[int, Sent]]:
        """Return the references that a group has, by the number of the group that they lead to."""
        child, referred = self.link.child, group.parents[self.link]
        away = find_away(group.units[child], group.units[self.link.parent], referred)
        coins = Coins(self.keys[0], group.numbers[child])
        units = np.where(away, group.units[child], LEFT_OUT)
        chosen = np.flatnonzero(bound_rows(units, self.bound, coins))
        values = self._read_values(group, chosen)
        # A row that was removed has no group.
        led, rows = np.divmod(-2 - referred[chosen], PLACES)
        here = referred[chosen] >= 0
        led, rows = np.where(here, number, led - 1), np.where(here, referred[chosen], rows)
        for target in np.unique(led[led >= 0]).tolist():
            at = led == target
            numbers = group.numbers[child][chosen[at]]
            yield target, Sent(rows[at], numbers, values[at].reset_index(drop=True))

    def take(self, group: Group, sent: Sequence[Sent]) -> Referred:
        """Count the references that lead to the rows of a group."""
        parent, size = self.link.parent, len(group.units[self.link.parent])
        coins = Coins(self.keys[1], group.numbers[parent])
        kept = bound_rows(group.units[parent], self.bound, coins)
        rows = np.concatenate([np.zeros(0, np.int64), *(each.rows for each in sent)])
        numbers = np.concatenate([np.zeros(0, np.int64), *(each.numbers for each in sent)])
        here = kept[rows]
        first = bound_rows(rows[here], self.bound, Coins(self.keys[2], numbers[here]))
        values = [each.ends for each in sent if len(each.rows)]
        alike = np.zeros((int(here.sum()), len(self.ends)), dtype=np.bool_)
        for at, (*_, theirs) in enumerate(self.ends if values else ()):
            ours = pd.concat([each.iloc[:, at] for each in values])[here]
            alike[:, at] = compare_ends(ours, group.rows[parent][theirs], rows[here])
        return count_referred(rows[here], first, alike, size)

    def _read_values(self, group: Group, chosen: NDArray[np.intp]) -> pd.DataFrame:
        """Return the values of referring rows, or of their owners, that are compared."""
        found: dict[int, Any] = {}
        for at, (own, name, _) in enumerate(self.ends):
            if own or self.owner is None:
                found[at] = group.rows[self.link.child][name].iloc[chosen].array
            else:
                above = group.rows[self.owner.parent][[name]]
                found[at] = join_parent(len(chosen), group.parents[self.owner][chosen], above)[name]
        return pd.DataFrame(found, index=range(len(chosen)))


def count_referred(
    rows: NDArray[np.int64], first: NDArray[np.bool_], alike: NDArray[np.bool_], size: int
) -> Referred:
    """Count the references to ``size`` rows; those that are ``first`` are compared."""
    counts = [np.bincount(rows, minlength=size), np.bincount(rows[first], minlength=size)]
    counts += [np.bincount(rows[first], each[first], size) for each in alike.T]
    found = np.column_stack(counts).astype(np.int64)
    found = found[found[:, 0] > 0]
    return Referred(found[:, 0], found[:, 1], found[:, 2:])


def read_repeats(link: Link, owner: Link, bound: int | None, key: int, group: Group) -> Repeated:
    """Compare the references of two rows of one owner, ``bound`` pairs of each unit at most.

    Formal guarantees:
        * a pair depends only on the keys of two rows of one unit, even if no row has these keys
    """
    units, referred = group.units[link.child], group.parents[link]
    coins = Coins(key, group.numbers[link.child])
    away = find_away(units, group.units[link.parent], referred)
    owners = np.where(away, group.parents[owner], NOBODY)
    previous = find_previous(owners, shuffle_ranks(owners, coins))
    kept = bound_rows(np.where(previous >= 0, units, LEFT_OUT), bound, coins)
    return Repeated(np.asarray(referred[kept] == referred[previous[kept]]))


def mark_repeats(
    owners: NDArray[np.int64], units: NDArray[np.int64], referred: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return, of each unit with two rows of one owner, whether two such refer to the same row."""
    both = pd.DataFrame({'owner': owners, 'row': referred})
    several = (owners >= 0) & (units != LEFT_OUT) & both['owner'].duplicated().to_numpy()
    again = both.duplicated().to_numpy() & (referred >= 0)
    _, at = np.unique(units[several], return_inverse=True)
    return np.bincount(at, again[several]) > 0


def find_repeats(link: Link, owner: Link, group: Group) -> Repeated:
    """Find the units in which two rows of one owner refer to the same row of a public table."""
    parents = group.parents
    return Repeated(mark_repeats(parents[owner], group.units[link.child], parents[link]))


def count_references(first: NDArray[np.int64], chunk: Referred) -> NDArray[np.int64]:
    """Count rows by their number of references, then all comparisons, then equal values by column.

    ``first`` is the smallest number of references in each bin of numbers (a *magnitude*).
    """
    magnitudes = np.searchsorted(first, chunk.references, side='right') - 1
    numbers = np.bincount(magnitudes, minlength=len(first))
    return np.concatenate([numbers, [chunk.compared.sum()], chunk.alike.sum(axis=0)])


def count_repeats(chunk: Repeated) -> NDArray[np.int64]:
    """Count the pairs, and those that refer to the same row."""
    return np.array([len(chunk.same), chunk.same.sum()], dtype=np.int64)
