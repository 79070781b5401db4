"""Columns in any storage, read as canonical ones, cell by cell.

In goes a column as the user stored it. Out comes a canonical column: float64 with NaN where a
number is missing, or canonical scalars (:mod:`~sdv_threea.intake.scalars`) with ``None`` where a
value is missing. A canonical column that is read again stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.cells import (
    INVALID_PLACE,
    MISSING_PLACE,
    Distinct,
    list_cells,
    spread,
    take_values,
)
from sdv_threea.intake.dates import MISSING, find_zones, from_storage, read_dates
from sdv_threea.intake.scalars import NoScalarError, Scalar, read_scalar, spell
from sdv_threea.privacy.guard import UnreadableRowsError

#: Larger numbers, infinite ones too, are read as this one, so that sums of them stay finite.
LARGEST_NUMBER = 1e200

#: Single floats between these two have at most this many decimal places, as they are printed.
SMALLEST_USUAL, LARGEST_USUAL, MOST_SINGLE_PLACES = 1e-4, 2.0**24, 13


class Numbers(NamedTuple):
    """A column of numbers.

    Args:
        values: Numbers, NaN where missing or invalid, infinite where too large; shape (n,).
        is_missing: Which cells are missing, shape (n,).
    """

    values: NDArray[np.float64]
    is_missing: NDArray[np.bool_]


def make_table(columns: Mapping[str, Any], index: pd.Index) -> pd.DataFrame:
    """Make a table of columns, each with its own dtype.

    Formal guarantees:
        * a cell keeps its value and its type, whatever the other rows hold; pandas' own
          constructor turns a column of objects into dates if all of them are dates

    Args:
        columns: The columns by name, shape (n,) each.
        index: The names of the rows, of length n.

    Returns:
        The table.
    """
    cells = {name: pd.Series(each, index, each.dtype) for name, each in columns.items()}
    return pd.DataFrame(cells, index, copy=False)


def find_numbers(column: pd.Series) -> Numbers:
    """Read a column as numbers, as far as its cells are numbers.

    Formal guarantees:
        * each number is a function of its own cell and of the dtype
        * numbers that are equal are the same, bit for bit: there is no negative zero

    Args:
        column: Cells in any storage. A single float is read as the decimal that it is printed as.

    Returns:
        The numbers, and which are missing.
    """
    column = spread(column)
    dtype = getattr(column.dtype, 'numpy_dtype', column.dtype)
    if not (isinstance(dtype, np.dtype) and dtype.kind in 'iuf'):
        return _spread_numbers(find_distinct(column))
    if dtype == np.float32:
        numbers = _as_decimals(column.to_numpy(dtype=np.float32, na_value=np.nan))
    elif isinstance(column.dtype, pd.ArrowDtype):
        # Unsafe, because Arrow would refuse the whole column for one integer that no float equals.
        exact = column.array._pa_array
        numbers = np.asarray(exact.cast('float64', safe=False).to_numpy(), dtype=np.float64)
    else:
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = np.asarray(numbers + 0.0)
    return Numbers(numbers, np.isnan(numbers))


def find_moments(column: pd.Series, template: str | None) -> NDArray[np.int64]:
    """Read a column as dates, as far as its cells are dates.

    Args:
        column: Cells in any storage.
        template: The format of texts and numbers; if ``None``, each text is read by itself.

    Returns:
        Nanoseconds since 1970, :data:`~sdv_threea.intake.dates.MISSING`, or
        :data:`~sdv_threea.intake.dates.INVALID` where a cell is no date; shape (n,).
    """
    column = spread(column)
    if getattr(column.dtype, 'kind', 'O') == 'M':
        return from_storage(column)
    codes, listed = list_cells(column)
    return np.asarray(np.append(read_dates(listed, template), MISSING)[codes])


def find_strange_zones(column: pd.Series, template: str | None) -> NDArray[np.bool_]:
    """Find the dates whose time zone neither the dtype nor the format of their column tells.

    Samples of such a column could not say in which zone they are.

    Args:
        column: Cells in any storage.
        template: The format of texts and numbers.

    Returns:
        Whether it is one of those, shape (n,).
    """
    column = spread(column)
    if getattr(column.dtype, 'kind', 'O') == 'M':
        return np.zeros(len(column), dtype=np.bool_)
    codes, listed = list_cells(column)
    return np.asarray(np.append(find_zones(listed, template), False)[codes])


def find_distinct(column: pd.Series) -> Distinct:
    """Read a column as canonical scalars, each different one listed once.

    So whatever is done to values later is done once per value, not once per row.

    Formal guarantees:
        * each value is a function of its own cell and of the dtype; no two that differ are taken
          for one, and no two that are equal numbers for two

    Args:
        column: Cells in any storage.

    Returns:
        The list, and the position of each row's value in it.
    """
    return read_scalars(*list_cells(spread(column)))


def read_scalars(codes: NDArray[np.integer], cells: Sequence[object]) -> Distinct:
    """Read listed cells as canonical scalars, and list each different one once.

    Args:
        codes: The position of each row's cell in the list.
        cells: What :func:`~sdv_threea.intake.cells.list_cells` lists.

    Returns:
        The scalars, and the position of each row's.
    """
    places: dict[str, int] = {}
    listed: list[Scalar] = []
    found = np.full(len(cells) + 1, MISSING_PLACE, dtype=np.int64)
    for at, cell in enumerate(cells):
        try:
            value = read_scalar(cell)
        except NoScalarError:
            found[at] = INVALID_PLACE
            continue
        if value is None:
            continue
        found[at] = places.setdefault(spell(value), len(listed))
        if found[at] == len(listed):
            listed.append(value)
    return Distinct(found[codes], listed)


def read_numbers(column: pd.Series) -> NDArray[np.float64]:
    """Read a column of numbers; it is an error if a cell is anything else.

    Formal guarantees:
        * each number is a function of its own cell

    Args:
        column: Numbers in any storage.

    Returns:
        Finite numbers, NaN where missing, shape (n,).

    Raises:
        UnreadableRowsError: If the column holds anything else.
    """
    numbers, is_missing = find_numbers(column)
    if (np.isnan(numbers) & ~is_missing).any():
        raise UnreadableRowsError(
            f'Column {column.name!r} is numerical, but not all of its values are numbers: turn '
            'them into float64, or declare the column categorical.'
        )
    return np.asarray(np.clip(numbers, -LARGEST_NUMBER, LARGEST_NUMBER))


def read_categories(column: pd.Series) -> Distinct:
    """Read a column as canonical scalars; it is an error if a cell cannot become one.

    Args:
        column: Values in any storage.

    Returns:
        The different values, and the position of each row's.

    Raises:
        UnreadableRowsError: If a cell is no scalar.
    """
    found = find_distinct(column)
    if (found.codes == INVALID_PLACE).any():
        raise UnreadableRowsError(
            f'Column {column.name!r} is categorical, but not all of its values are booleans, '
            'numbers, texts or dates: turn the others into text.'
        )
    return found


def store(codes: NDArray[np.integer], values: Sequence[Scalar]) -> Any:
    """Store canonical scalars in a way that can be read again quickly.

    Args:
        codes: The position of each row's value in ``values``, below 0 for missing, shape (n,).
        values: The different values, as :func:`~sdv_threea.intake.scalars.spell` tells them apart.

    Returns:
        A categorical array if no two values are equal, or else Python objects, ``None`` where
        missing; shape (n,).
    """
    if len(set(values)) == len(values) and not any(type(each) is tuple for each in values):
        listed = pd.Index(take_values(values, None, np.arange(len(values))), dtype=object)
        return pd.Categorical.from_codes(np.maximum(codes, -1), listed)
    return take_values(values, None, np.maximum(codes, -1))


def _spread_numbers(found: Distinct) -> Numbers:
    """Return the numbers among the values of a column, NaN for all other values."""
    listed = [
        float(value) if type(value) in (int, float) else np.nan  # type: ignore[arg-type]
        for value in found.listed
    ]
    values = np.array([*listed, np.nan, np.nan], dtype=np.float64)
    return Numbers(values[found.codes], found.codes == MISSING_PLACE)


def _as_decimals(singles: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the shortest decimals that single floats are printed as, shape (n,).

    So 0.1 in 32 bits is read as 0.1, and not as 0.10000000149, which it is in 64 bits.
    """
    exact = singles.astype(np.float64)
    # For usual sizes, try 0, 1, 2, ... places: the first decimal that is the same single float is
    # the one that is printed. This is much faster than to print them all.
    usual = (np.abs(exact) >= SMALLEST_USUAL) & (np.abs(exact) < LARGEST_USUAL)
    left = np.flatnonzero(usual)
    decimals = exact.copy()
    for places in range(MOST_SINGLE_PLACES + 1):
        rounded = np.rint(exact[left] * 10.0**places) / 10.0**places
        same = rounded.astype(np.float32) == singles[left]
        decimals[left[same]] = rounded[same]
        left = left[~same]
    printed = np.concatenate([left, np.flatnonzero(~usual & (exact != 0) & np.isfinite(exact))])
    decimals[printed] = singles[printed].astype(str).astype(np.float64)
    return decimals
