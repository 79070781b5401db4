"""The cells of a private table as plain values, each read by itself."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Numbers beyond this, infinite ones too, count as this: what is computed of them stays finite.
LARGEST_NUMBER = 1e200

#: Types of which equal values are the same; a type that is made of one of them need not be.
UNIFORM = {str, int, bool, *(np.dtype(code).type for code in '?bhilqBHILQU')}


class Distinct(NamedTuple):
    """A column of values, each of which is listed once.

    Args:
        codes: The place of each cell's value in the list, -1 where it is missing, shape (n,).
        listed: The list, of values that are spelled differently.
    """

    codes: NDArray[np.integer]
    listed: list[Hashable]


class Tally(dict[Hashable, tuple[Hashable, int]]):
    """How often each value occurs: by key, which no other value shares, the value and its count.

    The tallies of parts of a column add up.
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
    """How often each number occurs. The tallies of parts of a column add up.

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
    """The keys of several columns, each with the place of its column: made when they are asked for.

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


def make_table(columns: Mapping[str, Any], index: pd.Index) -> pd.DataFrame:
    """Make a table of columns as they are.

    Formal guarantees:
        * a cell keeps its value and its type, whatever the other rows hold: left to itself, pandas
          turns objects into dates if, and only if, all of them are dates

    Args:
        columns: The columns by name, shape (n,) each.
        index: The names of the rows, of length n.

    Returns:
        The table.
    """
    cells = {name: pd.Series(each, index, each.dtype) for name, each in columns.items()}
    return pd.DataFrame(cells, index, copy=False)


def read_numbers(column: pd.Series) -> NDArray[np.float64]:
    """Read a numerical column.

    Formal guarantees:
        * each number is a function of its own cell
        * numbers that are equal are the same, bit for bit: there is no negative zero

    Args:
        column: Numbers in any storage.

    Returns:
        Finite numbers, NaN where missing, shape (n,).

    Raises:
        TypeError: If the column holds anything else.
    """
    try:
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        numbers = None
    # Raised out here, where the error has no context: its message would show a value.
    if numbers is None:
        raise TypeError(
            f'Column {column.name!r} is numerical, but not all of its values are numbers: turn '
            'them into float64, or declare the column categorical.'
        )
    return np.asarray(np.clip(numbers, -LARGEST_NUMBER, LARGEST_NUMBER) + 0.0)


def read_categories(column: pd.Series) -> Distinct:
    """Read a categorical column.

    Formal guarantees:
        * each value is a function of its own cell

    Args:
        column: Hashable values.

    Returns:
        Python values.

    Raises:
        TypeError: If a value is not hashable.
    """
    codes, distinct = find_distinct(column)
    plain = [value.item() if isinstance(value, np.generic) else value for value in distinct]
    if not all(map(_is_hashable, plain)):
        raise TypeError(
            f'Column {column.name!r} is categorical, but not all of its values are hashable: turn '
            'lists, sets and dictionaries into text.'
        )
    return Distinct(codes, plain)


def find_distinct(column: pd.Series) -> Distinct:
    """List the values of a column once each: what is done to values is done to few of them.

    Args:
        column: Values of any type, in any storage, n of them.

    Returns:
        The list, of values that are spelled differently, and the places of the cells in it.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _find_used(column.cat.codes.to_numpy(), list(dtype.categories.astype(object)))
    if _is_uniform(dtype):
        codes, values = pd.factorize(column)
        return Distinct(codes, list(values.astype(object)))
    cells = column.astype(object).to_numpy()
    present = np.flatnonzero(~pd.isna(cells))
    codes = np.full(len(cells), -1, dtype=np.int64)
    # Values that are equal but not the same are of several types, like ``1`` and ``True``.
    kinds = set(map(type, cells[present]))
    if len(kinds) == 1 and kinds <= UNIFORM:
        codes[present], distinct = pd.factorize(cells[present])
        return Distinct(codes, list(distinct))
    places: dict[str, int] = {}
    listed: list[Hashable] = []
    for at in present:
        codes[at] = places.setdefault(spell(cells[at]), len(places))
        if len(places) > len(listed):
            listed.append(cells[at])
    return Distinct(codes, listed)


def store(codes: NDArray[np.integer], values: Sequence[Hashable]) -> Any:
    """Store values by their places in a list, -1 for missing, so that they are read again quickly.

    Args:
        codes: The places, shape (n,).
        values: The list, of values that are spelled differently.

    Returns:
        A categorical array if no two values are equal, or else Python objects, ``None`` where
        missing; shape (n,).
    """
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds <= UNIFORM and len(set(values)) == len(values):
        return pd.Categorical.from_codes(codes, pd.Index(values, dtype=object))
    return take_values(values, None, codes)


def take_values(
    values: Sequence[Hashable], gap: Hashable, codes: NDArray[np.integer]
) -> NDArray[np.object_]:
    """Look values up by their place in a list, and ``gap`` for -1; shape (n,)."""
    # Element by element: NumPy would take tuples for rows.
    listed = np.fromiter((*values, gap), dtype=object, count=len(values) + 1)
    return np.asarray(listed[codes])


def is_missing(cells: NDArray[np.float64] | Distinct) -> NDArray[np.bool_]:
    """Tell which cells that were read are missing, shape (n,)."""
    return cells.codes < 0 if isinstance(cells, Distinct) else np.isnan(cells)


def spell(value: Hashable) -> str:
    """Write a value so that no other is written alike: ``True``, ``1`` and ``1.0`` are equal."""
    return f'{type(value).__name__} {value!r}'


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
    total = Tally()
    for value, count in zip(cells.listed, counts, strict=True):
        # Two that are one in Python, a number of NumPy's and one of Python's, add up.
        total[spell(value)] = value, count + total.get(spell(value), (value, 0))[1]
    return total


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
    """Make equal texts one object: which cells of a table shared one would show in a pickle."""
    if type(value) is tuple:
        return tuple(map(detach, value))
    return intern(value) if type(value) is str else value


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_uniform(dtype: Any) -> bool:
    """Whether all cells of a storage are of one type, of which equal values are the same."""
    if isinstance(dtype, pd.StringDtype):
        return True
    kind = getattr(dtype, 'numpy_dtype', dtype)
    return isinstance(kind, np.dtype) and kind.kind in 'biu'


def _find_used(codes: NDArray[np.integer], values: list[Hashable]) -> Distinct:
    """Leave out the categories that do not occur."""
    used = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    places = np.append(np.cumsum(used) - 1, -1)
    return Distinct(places[codes], [value for value, one in zip(values, used, strict=True) if one])
