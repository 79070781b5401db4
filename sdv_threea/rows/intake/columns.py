"""Columns in any storage, read cell by cell as canonical columns.

A canonical column is float64 with NaN for missing numbers, or canonical scalars
(:mod:`~sdv_threea.rows.intake.scalars`) with ``None``. Reading a canonical column again does not
change it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake.cells import (
    INVALID_PLACE,
    MISSING_PLACE,
    Distinct,
    list_cells,
    spread,
    take_values,
)
from sdv_threea.rows.intake.dates import MISSING, find_zones, from_storage, read_dates
from sdv_threea.rows.intake.scalars import NoScalarError, Scalar, read_scalar, spell

#: Larger and infinite numbers are read as this one, so that sums stay finite.
LARGEST_NUMBER = 1e200

#: Single-precision floats between these two print with at most this many decimal places.
SMALLEST_USUAL, LARGEST_USUAL, MOST_SINGLE_PLACES = 1e-4, 2.0**24, 13


class Numbers(NamedTuple):
    """Numbers, NaN if missing or invalid, infinite if too large; and which ones are missing."""

    values: NDArray[np.float64]
    is_missing: NDArray[np.bool_]


def make_table(columns: Mapping[str, Any], index: pd.Index) -> pd.DataFrame:
    """Return a table of columns, each with its own dtype.

    Formal guarantees: a cell keeps its value and its type, whatever the other rows hold. (pandas'
    own constructor turns a column of objects into dates if all of them are dates.)
    """
    cells = {name: pd.Series(each, index, each.dtype) for name, each in columns.items()}
    return pd.DataFrame(cells, index, copy=False)


def find_numbers(column: pd.Series) -> Numbers:
    """Return the numbers of a column, float32 as printed, and which of them are missing.

    Formal guarantees:
        * each number is a function of its own cell and of the dtype
        * equal numbers are the same, bit for bit: there is no negative zero
    """
    column = spread(column)
    dtype = getattr(column.dtype, 'numpy_dtype', column.dtype)
    if not (isinstance(dtype, np.dtype) and dtype.kind in 'iuf'):
        return _spread_numbers(find_distinct(column))
    if dtype == np.float32:
        numbers = _as_decimals(column.to_numpy(dtype=np.float32, na_value=np.nan))
    elif isinstance(column.dtype, pd.ArrowDtype):
        # A safe cast would refuse the whole column for one integer that no float equals.
        exact = column.array._pa_array
        numbers = np.asarray(exact.cast('float64', safe=False).to_numpy(), dtype=np.float64)
    else:
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = np.asarray(numbers + 0.0)
    return Numbers(numbers, np.isnan(numbers))


def find_moments(column: pd.Series, template: str | None) -> NDArray[np.int64]:
    """Return the dates of a column in microseconds since 1970, shape (n,).

    A result can also be :data:`~sdv_threea.rows.intake.dates.MISSING` or
    :data:`~sdv_threea.rows.intake.dates.INVALID`. ``template`` is the format of texts and numbers;
    without a format each text is read by itself.
    """
    column = spread(column)
    if getattr(column.dtype, 'kind', 'O') == 'M':
        return from_storage(column)
    codes, listed = list_cells(column)
    return np.asarray(np.append(read_dates(listed, template), MISSING)[codes])


def find_strange_zones(column: pd.Series, template: str | None) -> NDArray[np.bool_]:
    """Return which dates have a time zone that neither dtype nor format states, shape (n,)."""
    column = spread(column)
    if getattr(column.dtype, 'kind', 'O') == 'M':
        return np.zeros(len(column), dtype=np.bool_)
    codes, listed = list_cells(column)
    return np.asarray(np.append(find_zones(listed, template), False)[codes])


def find_distinct(column: pd.Series) -> Distinct:
    """Return the canonical scalars of a column, each listed once, and their positions by row.

    Formal guarantees: each value is a function of its own cell and of the dtype; no two different
    values are merged, and equal numbers are not listed twice.
    """
    return read_scalars(*list_cells(spread(column)))


def read_scalars(codes: NDArray[np.integer], cells: Sequence[object]) -> Distinct:
    """Return the canonical scalars of listed cells, each once, and their positions by row."""
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
    """Return a column as finite numbers, NaN if missing, shape (n,).

    Formal guarantees: each number is a function of its own cell.

    Raises:
        UnreadableRowsError: If a cell is neither a number nor missing.
    """
    numbers, is_missing = find_numbers(column)
    if (np.isnan(numbers) & ~is_missing).any():
        raise UnreadableRowsError(
            f'Column {column.name!r} is numerical, but not all of its values are numbers: turn '
            'them into float64, or declare the column categorical.'
        )
    return np.asarray(np.clip(numbers, -LARGEST_NUMBER, LARGEST_NUMBER))


def read_categories(column: pd.Series) -> Distinct:
    """Return a column as canonical scalars, each listed once; an error if a cell has none."""
    found = find_distinct(column)
    if (found.codes == INVALID_PLACE).any():
        raise UnreadableRowsError(
            f'Column {column.name!r} is categorical, but not all of its values are booleans, '
            'numbers, texts or dates: turn the others into text.'
        )
    return found


def store(codes: NDArray[np.integer], values: Sequence[Scalar]) -> Any:
    """Return canonical scalars in a fast storage, shape (n,); codes below 0 are missing."""
    # Categories must differ in Python, and cannot be tuples.
    if len(set(values)) == len(values) and not any(type(each) is tuple for each in values):
        listed = pd.Index(take_values(values, None, np.arange(len(values))), dtype=object)
        return pd.Categorical.from_codes(np.maximum(codes, -1), listed)
    return take_values(values, None, np.maximum(codes, -1))


def _spread_numbers(found: Distinct) -> Numbers:
    listed = [
        float(value) if type(value) in (int, float) else np.nan  # type: ignore[arg-type]
        for value in found.listed
    ]
    values = np.array([*listed, np.nan, np.nan], dtype=np.float64)
    return Numbers(values[found.codes], found.codes == MISSING_PLACE)


def _as_decimals(singles: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the shortest decimals of 32-bit floats: 0.1, not 0.10000000149."""
    exact = singles.astype(np.float64)
    # The shortest decimal of a usual number has the fewest places that give the same 32-bit float.
    # Searching for it is much faster than printing all floats.
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
