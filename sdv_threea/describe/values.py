"""Counts of the values of canonical columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from sys import intern
from typing import Any

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.rows.intake.cells import Distinct
from sdv_threea.rows.intake.scalars import spell


class Tally(dict[Hashable, tuple[Hashable, int]]):
    """Value counts ``(value, count)`` by unique key. Tallies of parts of a column add up."""

    def __add__(self, other: Tally) -> Tally:
        small, large = sorted((self, other), key=len)
        total = Tally(large)
        for key, (value, count) in small.items():
            total[key] = value, count + total.get(key, (value, 0))[1]
        return total

    @property
    def counts(self) -> Wholes:
        """The counts, in the order of the keys."""
        return np.array([count for _, count in self.values()], dtype=np.int64)


@dataclass(frozen=True)
class NumberTally:
    """Counts of numbers, ascending and each listed once. Tallies of parts of a column add up."""

    numbers: Floats
    counts: Wholes

    def __add__(self, other: NumberTally) -> NumberTally:
        numbers = np.concatenate([self.numbers, other.numbers])
        counts = np.concatenate([self.counts, other.counts])
        found, places = np.unique(numbers, return_inverse=True)
        return NumberTally(found, np.bincount(places, counts, len(found)).astype(np.int64))


class Keys(Sequence[tuple[int, Any]]):
    """The keys of several columns, as pairs of a column's place and a key, made on access."""

    def __init__(self, keys: Sequence[Sequence[Any] | Floats], owners: Wholes) -> None:
        self._keys, self._owners = keys, owners
        self._starts = np.searchsorted(owners, np.arange(len(keys)))

    def __len__(self) -> int:
        return len(self._owners)

    def __getitem__(self, at: Any) -> Any:
        owner = int(self._owners[at])
        key = self._keys[owner][int(at - self._starts[owner])]
        return owner, key.item() if isinstance(key, np.generic) else key


def list_keys(tallies: Sequence[Tally | NumberTally]) -> tuple[Keys, Wholes]:
    """Return the keys of the tallies of several columns, and their counts."""
    counts = [tally.counts for tally in tallies]
    owners = np.repeat(np.arange(len(counts)), [len(own) for own in counts])
    keys = [each.numbers if isinstance(each, NumberTally) else list(each) for each in tallies]
    return Keys(keys, owners), np.concatenate(counts)


def is_missing(cells: Floats | Distinct) -> Bools:
    """Return which cells are missing, shape (n,)."""
    return cells.codes < 0 if isinstance(cells, Distinct) else np.isnan(cells)


def tally(cells: Distinct) -> Tally:
    """Return the counts of the values of a categorical column, without missing ones.

    Formal guarantees:
        * a record adds one to at most one count
        * keys and values are functions of each other, whatever the order of the records
    """
    counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.listed)).tolist()
    listed = zip(cells.listed, counts, strict=True)
    return Tally({spell(value): (value, count) for value, count in listed})


def tally_numbers(cells: Floats) -> NumberTally:
    """Return the counts of the numbers of a column, without missing ones.

    Formal guarantees: a record adds one to at most one count.
    """
    return NumberTally(*np.unique(cells[~np.isnan(cells)], return_counts=True))


def detach(value: Hashable) -> Hashable:
    """Return the value with interned texts: a pickle must not show which cells shared an object."""
    if type(value) is tuple:
        return tuple(map(detach, value))
    return intern(value) if type(value) is str else value
