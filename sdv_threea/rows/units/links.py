"""References to rows of other units, a bounded number per unit: private."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.codes import Columns, encode_columns
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


@dataclass(frozen=True)
class Ends:
    """A column at one end of a reference (the row or its owner) and one at the other: released.

    A cell is a pair of bins, one of each code; or, in a last row, the second code's bin if both
    codes are equal.

    Args:
        own: Whether the first column belongs to the row itself, and not to its owner.
        of_ours: The bin of each code of the first column, shape (S,); -1 for none.
        of_theirs: The bin of each code of the second column, shape (T,); -1 for none.
        equal: The code of the first column that equals each code of the second, -1 for none: (T,).
    """

    own: bool
    ours: str
    theirs: str
    of_ours: NDArray[np.int64]
    of_theirs: NDArray[np.int64]
    equal: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """The rows and columns of the table of cells."""
        return int(self.of_ours.max()) + 2, int(self.of_theirs.max()) + 1

    def locate(self, ours: NDArray[np.integer], theirs: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the cells of pairs of codes, -1 for none, in the shape of the codes."""
        one, other = np.where(ours >= 0, self.of_ours[ours], -1), self.find(theirs)
        row = np.where(self.equal[theirs] == ours, self.shape[0] - 1, one)
        return np.where((one < 0) | (other < 0), -1, row * self.shape[1] + other)

    def find(self, theirs: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the bins of codes of the second column, -1 for none."""
        return np.where(theirs >= 0, self.of_theirs[theirs], -1)


class Referred(NamedTuple):
    """References to rows of a parent by rows of other units: private.

    Args:
        references: The number of references to the row, at the first one; 0 at others; shape (n,).
        cells: The cells of both ends, -1 for references that are not compared, shape (n, r).
    """

    references: NDArray[np.int64]
    cells: NDArray[np.int64]


class Repeated(NamedTuple):
    """Whether two rows of one owner refer to the same row of another table, shape (Q,): private."""

    same: NDArray[np.bool_]


def find_away(
    units: NDArray[np.int64], theirs: NDArray[np.int64], referred: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return true for rows that refer to a row of another unit, even a removed one; shape (n,)."""
    led = np.append(theirs, LEFT_OUT)[np.maximum(referred, NOBODY)]
    return np.asarray((referred != NOBODY) & (led != units))


class Sent(NamedTuple):
    """References to rows of one group, with the codes of the referring rows: private.

    ``rows`` are rows of the parent, ``numbers`` the numbers of the referring rows, (n,).
    """

    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]
    codes: NDArray[np.integer]


@dataclass(frozen=True)
class Reading:
    """The references by a link to rows of other units, at most ``bound`` per unit.

    Formal guarantees:
        * the rows of a unit are chosen without looking at their references
        * of :meth:`send` and :meth:`take` together: an added unit has at most ``bound`` references,
          here one. It raises the count of one row of the parent by one, and may replace another
          reference to that row in the comparison: in each table, one cell by another
        * the unit's own row of the parent adds one number, and one cell of each table
        * together numbers, and each table, move by at most ``sqrt(5)``, times its weight; by
          ``sqrt(2)`` if the unit has only one of both effects

    Args:
        owner: The link to the row that owns a row, if any.
        columns: The columns that are compared: the row's own, its owner's, and the parent's.
        ends: The tables, each with two column numbers: among the own and the owner's columns
            together, and among the parent's.
        keys: The keys of random choices: of references, of rows of the parent, of comparisons.
    """

    link: Link
    owner: Link | None
    columns: tuple[Columns, Columns, Columns]
    ends: tuple[tuple[int, int, Ends], ...]
    bound: int | None
    keys: tuple[int, int, int]

    def send(self, number: int, group: Group) -> Iterator[tuple[int, Sent]]:
        """Yield the references from a group, each with the number of the group that it leads to."""
        child, referred = self.link.child, group.parents[self.link]
        away = find_away(group.units[child], group.units[self.link.parent], referred)
        coins = Coins(self.keys[0], group.numbers[child])
        units = np.where(away, group.units[child], LEFT_OUT)
        chosen = np.flatnonzero(bound_rows(units, self.bound, coins))
        codes = encode_columns(self.columns[0], group.rows[child].iloc[chosen])
        if self.owner is not None and self.columns[1]:
            above = group.rows[self.owner.parent][[name for name, _ in self.columns[1]]]
            joined = join_parent(len(chosen), group.parents[self.owner][chosen], above)
            codes = np.hstack([codes, encode_columns(self.columns[1], joined)])
        # A row that was removed has no group.
        referred, (led, rows) = referred[chosen], np.divmod(-2 - referred[chosen], PLACES)
        led, rows = np.where(referred >= 0, [number + 0 * led, referred], [led - 1, rows])
        for target in np.unique(led[led >= 0]).tolist():
            at = led == target
            yield target, Sent(rows[at], group.numbers[child][chosen[at]], codes[at])

    def take(self, group: Group, sent: Sequence[Sent]) -> Referred:
        """Count the references to the rows of a group."""
        parent, width = self.link.parent, len(self.columns[0]) + len(self.columns[1])
        coins = Coins(self.keys[1], group.numbers[parent])
        kept = bound_rows(group.units[parent], self.bound, coins)
        none = Sent(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, width), np.int64))
        rows, *read = map(np.concatenate, zip(none, *sent, strict=True))
        rows, numbers, codes = (each[kept[rows]] for each in (rows, *read))
        first = bound_rows(rows, self.bound, Coins(self.keys[2], numbers))
        theirs = encode_columns(self.columns[2], group.rows[parent])[rows]
        codes[~first] = -1
        cells = [each.locate(codes[:, one], theirs[:, other]) for one, other, each in self.ends]
        _, places, counts = np.unique(rows, return_index=True, return_counts=True)
        references = np.zeros(len(rows), dtype=np.int64)
        references[places] = counts
        return Referred(references, np.array(cells, np.int64).reshape(len(cells), len(rows)).T)


def read_repeats(link: Link, owner: Link, bound: int | None, key: int, group: Group) -> Repeated:
    """Compare the references of two rows of one owner, at most ``bound`` pairs of each unit.

    Formal guarantees: a pair depends only on the keys of two rows of one unit, even if no row has
    these keys.
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
    """Return, for each unit with two rows of one owner, whether two refer to the same row."""
    both = pd.DataFrame({'owner': owners, 'row': referred})
    several = (owners >= 0) & (units != LEFT_OUT) & both['owner'].duplicated().to_numpy()
    again = both.duplicated().to_numpy() & (referred >= 0)
    _, at = np.unique(units[several], return_inverse=True)
    return np.bincount(at, again[several]) > 0


def find_repeats(link: Link, owner: Link, group: Group) -> Repeated:
    """Find the units in which two rows of one owner refer to the same row of a public table."""
    owners, referred = group.parents[owner], group.parents[link]
    return Repeated(mark_repeats(owners, group.units[link.child], referred))


def count_references(
    first: NDArray[np.int64], tables: tuple[tuple[int, int], ...], chunk: Referred
) -> NDArray[np.int64]:
    """Count rows by their number of references, then the weighted comparisons in each cell."""
    magnitudes = np.searchsorted(first, chunk.references[chunk.references > 0], side='right') - 1
    numbers = [np.bincount(magnitudes, minlength=len(first))]
    for cells, (size, weight) in zip(chunk.cells.T, tables, strict=True):
        numbers.append(weight * np.bincount(cells[cells >= 0], minlength=size))
    return np.concatenate(numbers)


def count_repeats(chunk: Repeated) -> NDArray[np.int64]:
    """Count the pairs, and those that refer to the same row."""
    return np.array([len(chunk.same), chunk.same.sum()], dtype=np.int64)
