"""How often the values of canonical columns occur."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from sys import intern
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.intake.cells import Distinct
from sdv_threea.intake.scalars import spell


class Tally(dict[Hashable, tuple[Hashable, int]]):
    """How often each value occurs: from a key that no other value has, to the value and its count.

    The tallies of parts of a column add up to that of the column.
    """

    def __add__(self, other: Tally) -> Tally:
        small, large = sorted((self, other), key=len)
        total = Tally(large)
        for key, (value, count) in small.items():
            total[key] = value, count + total.get(key, (value, 0))[1]
        return total

    @property
    def counts(self) -> NDArray[np.int64]:
        """The counts, in the order of the keys."""
        return np.array([count for _, count in self.values()], dtype=np.int64)


@dataclass(frozen=True)
class NumberTally:
    """How often each number occurs. The tallies of parts of a column add up to that of the column.

    Args:
        numbers: The numbers, ascending, each once.
        counts: How often they occur.
    """

    numbers: NDArray[np.float64]
    counts: NDArray[np.int64]

    def __add__(self, other: NumberTally) -> NumberTally:
        numbers = np.concatenate([self.numbers, other.numbers])
        counts = np.concatenate([self.counts, other.counts])
        found, places = np.unique(numbers, return_inverse=True)
        return NumberTally(found, np.bincount(places, counts, len(found)).astype(np.int64))


class Keys(Sequence[tuple[int, Any]]):
    """The keys of several columns, each with the place of its column.

    A pair of place and key is made when it is asked for: all at once would take much memory.

    Args:
        keys: The keys of each column.
        owners: The places of the columns, one for each key, ascending.
    """

    def __init__(
        self, keys: Sequence[Sequence[Any] | NDArray[np.float64]], owners: NDArray[np.int64]
    ) -> None:
        self._keys, self._owners = keys, owners
        self._starts = np.searchsorted(owners, np.arange(len(keys)))

    def __len__(self) -> int:
        return len(self._owners)

    def __getitem__(self, at: Any) -> Any:
        owner = int(self._owners[at])
        key = self._keys[owner][int(at - self._starts[owner])]
        return owner, key.item() if isinstance(key, np.generic) else key


def list_keys(tallies: Sequence[Tally | NumberTally]) -> tuple[Keys, NDArray[np.int64]]:
    """Return the keys of the tallies of some columns, and how often they occur."""
    counts = [tally.counts for tally in tallies]
    owners = np.repeat(np.arange(len(counts)), [len(own) for own in counts])
    keys = [each.numbers if isinstance(each, NumberTally) else list(each) for each in tallies]
    return Keys(keys, owners), np.concatenate(counts)


def is_missing(cells: NDArray[np.float64] | Distinct) -> NDArray[np.bool_]:
    """Return which cells are missing, shape (n,)."""
    return cells.codes < 0 if isinstance(cells, Distinct) else np.isnan(cells)


def tally(cells: Distinct) -> Tally:
    """Count the values of a categorical column.

    Formal guarantees:
        * a record adds one to at most one count
        * keys and values are functions of each other, whatever the order of the records

    Args:
        cells: Cells that were read.

    Returns:
        Key, value and count of each value that is not missing; all of them plain Python.
    """
    counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.listed)).tolist()
    listed = zip(cells.listed, counts, strict=True)
    return Tally({spell(value): (value, count) for value, count in listed})


def tally_numbers(cells: NDArray[np.float64]) -> NumberTally:
    """Count the values of a numerical column.

    Formal guarantees:
        * a record adds one to at most one count

    Args:
        cells: Cells that were read, NaN where missing, shape (n,).

    Returns:
        The numbers that are not missing, and their counts.
    """
    return NumberTally(*np.unique(cells[~np.isnan(cells)], return_counts=True))


def detach(value: Hashable) -> Hashable:
    """Return the value with texts of which there is one object each.

    Otherwise a pickle would show which cells of the private table shared an object.
    """
    if type(value) is tuple:
        return tuple(map(detach, value))
    return intern(value) if type(value) is str else value
