"""The cells of a private table as plain values, each read by itself."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from sys import intern
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Numbers beyond this, infinite ones too, count as this: what is computed of them stays finite.
LARGEST_NUMBER = 1e200

#: Types of which equal values are the same; a type that is made of one of them need not be.
UNIFORM = {str, int, bool, *(np.dtype(code).type for code in '?bhilqBHILQU')}

#: How often each value occurs: by key, which no other value shares, the value and its count.
Tally = dict[Hashable, tuple[Hashable, int]]


def make_table(columns: Mapping[str, NDArray[Any]], index: pd.Index) -> pd.DataFrame:
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
    return pd.DataFrame(cells, index)


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


def read_categories(column: pd.Series) -> NDArray[np.object_]:
    """Read a categorical column.

    Formal guarantees:
        * each value is a function of its own cell

    Args:
        column: Hashable values.

    Returns:
        Python values, ``None`` where missing, shape (n,).

    Raises:
        TypeError: If a value is not hashable.
    """
    codes, distinct = find_distinct(column.astype(object).to_numpy())
    plain = [value.item() if isinstance(value, np.generic) else value for value in distinct]
    if not all(map(_is_hashable, plain)):
        raise TypeError(
            f'Column {column.name!r} is categorical, but not all of its values are hashable: turn '
            'lists, sets and dictionaries into text.'
        )
    return take_values(plain, None, codes)


def find_distinct(
    cells: NDArray[np.object_],
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """List the values of a column once each: what is done to values is done to few of them.

    Args:
        cells: Values of any type, shape (n,).

    Returns:
        The place of each cell's value in the list, -1 where it is missing, shape (n,); and the
        list, of values that are spelled differently.
    """
    missing = pd.isna(cells)
    codes = np.full(len(cells), -1, dtype=np.int64)
    # Values that are equal but not the same are of several types, like ``1`` and ``True``.
    kinds = set(map(type, cells[~missing]))
    if len(kinds) == 1 and kinds <= UNIFORM:
        codes[~missing], distinct = pd.factorize(cells[~missing])
        return codes, list(distinct)
    places: dict[str, int] = {}
    values: list[Hashable] = []
    for at in np.flatnonzero(~missing):
        codes[at] = places.setdefault(spell(cells[at]), len(places))
        if len(places) > len(values):
            values.append(cells[at])
    return codes, values


def take_values(
    values: Sequence[Hashable], gap: Hashable, codes: NDArray[np.int64]
) -> NDArray[np.object_]:
    """Look values up by their place in a list, and ``gap`` for -1; shape (n,)."""
    # Element by element: NumPy would take tuples for rows.
    listed = np.fromiter((*values, gap), dtype=object, count=len(values) + 1)
    return listed[codes]


def is_missing(cells: NDArray[np.float64] | NDArray[np.object_]) -> NDArray[np.bool_]:
    """Tell which cells that were read are missing, shape (n,)."""
    return np.asarray(pd.isna(cells))


def spell(value: Hashable) -> str:
    """Write a value so that no other is written alike: ``True``, ``1`` and ``1.0`` are equal."""
    return f'{type(value).__name__} {value!r}'


def tally(cells: NDArray[np.float64] | NDArray[np.object_]) -> Tally:
    """Count the values of a column.

    Formal guarantees:
        * a record adds one to at most one count
        * keys and values are functions of each other, whatever the order of the records

    Args:
        cells: Cells that were read, shape (n,).

    Returns:
        Key, value and count of each value that is not missing; all of them plain Python.
    """
    present = cells[~is_missing(cells)]
    if cells.dtype.kind == 'f':
        numbers, counts = np.unique(present, return_counts=True)
        pairs = zip(numbers.tolist(), counts.tolist(), strict=True)
        return {number: (number, count) for number, count in pairs}
    codes, values = find_distinct(present.astype(object))
    occurrences = np.bincount(codes, minlength=len(values)).tolist()
    return {spell(value): (value, n) for value, n in zip(values, occurrences, strict=True)}


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
