"""The cells of a private table as plain values, each read by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from sys import intern

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Numbers beyond this, infinite ones too, count as this: what is computed of them stays finite.
LARGEST_NUMBER = 1e200

#: How often each value occurs: by key, which no other value shares, the value and its count.
Tally = dict[Hashable, tuple[Hashable, int]]


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
    values = np.empty(len(column), dtype=object)
    missing = column.isna().to_numpy()
    hashable = True
    for at, value in enumerate(column.astype(object)):
        if not missing[at]:
            values[at] = value.item() if isinstance(value, np.generic) else value
            hashable = hashable and _is_hashable(values[at])
    if not hashable:
        raise TypeError(
            f'Column {column.name!r} is categorical, but not all of its values are hashable: turn '
            'lists, sets and dictionaries into text.'
        )
    return values


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
    spellings = [spell(value) for value in present]
    values = dict(zip(spellings, present, strict=True))
    return {key: (values[key], count) for key, count in Counter(spellings).items()}


def detach(value: Hashable) -> Hashable:
    """Make equal texts one object: which cells of a table shared one would show in a pickle."""
    return intern(value) if type(value) is str else value


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
