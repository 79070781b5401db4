"""Columns in any storage as canonical ones, cell by cell, without inference and without a memory.

A canonical column holds float64 with NaN where a number is missing, or canonical scalars
(:mod:`~sdv_threea.intake.scalars`) with ``None`` where a value is. Reading a canonical column gives
the same column.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.guard import UnreadableRowsError
from sdv_threea.intake.dates import INVALID, MISSING, from_storage, read_dates
from sdv_threea.intake.scalars import NoScalarError, Scalar, read_scalar, spell

#: Numbers beyond this, infinite ones too, count as this: what is computed of them stays finite.
LARGEST_NUMBER = 1e200

#: Single floats of these sizes have so many decimal places at most.
SMALLEST_USUAL, LARGEST_USUAL, MOST_PLACES = 1e-4, 2.0**24, 13

#: Types of Python's of which equal values are the same, and whose hashes are Python's own; by
#: identity, as the type of a type may hash in its own way.
PLAIN = {id(kind) for kind in (str, int, float, bool, type(None))}

#: What stands for a cell that cannot be taken out of its storage: it is no scalar.
STRANGE = ...

#: The place of a cell that is missing, and of one that is no scalar.
MISSING_PLACE, INVALID_PLACE = -1, -2


class Distinct(NamedTuple):
    """A column of values, each of which is listed once.

    Args:
        codes: The place of each cell's value in the list, -1 where it is missing, and
            :data:`INVALID_PLACE` where it is no scalar, shape (n,).
        listed: The list, of canonical scalars that are spelled differently.
    """

    codes: NDArray[np.integer]
    listed: list[Hashable]


class Numbers(NamedTuple):
    """A column of numbers.

    Args:
        values: Numbers, NaN where missing or invalid, infinite where too large; shape (n,).
        is_missing: Which cells are missing, shape (n,).
    """

    values: NDArray[np.float64]
    is_missing: NDArray[np.bool_]


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


def find_numbers(column: pd.Series) -> Numbers:
    """Read a column as numbers, as far as its cells are numbers.

    Formal guarantees:
        * each number is a function of its own cell and of the dtype
        * numbers that are equal are the same, bit for bit: there is no negative zero

    Args:
        column: Cells in any storage. A single float stands for the decimal that it is printed as.

    Returns:
        The numbers.
    """
    column = _spread(column)
    dtype = getattr(column.dtype, 'numpy_dtype', column.dtype)
    if not (isinstance(dtype, np.dtype) and dtype.kind in 'iuf'):
        return _spread_numbers(find_distinct(column))
    if dtype == np.float32:
        numbers = _as_decimals(column.to_numpy(dtype=np.float32, na_value=np.nan))
    elif isinstance(column.dtype, pd.ArrowDtype):
        # Arrow refuses to turn integers that no float holds into floats, for all rows at once.
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
        Nanoseconds since 1970; :data:`~sdv_threea.intake.dates.MISSING` or
        :data:`~sdv_threea.intake.dates.INVALID`, shape (n,).
    """
    column = _spread(column)
    if getattr(column.dtype, 'kind', 'O') == 'M':
        return from_storage(column)
    codes, listed = _list_cells(column)
    return np.asarray(np.append(read_dates(listed, template), MISSING)[codes])


def find_distinct(column: pd.Series) -> Distinct:
    """Read a column as values, and list each once: what is done to values is done to few of them.

    Formal guarantees:
        * each value is a function of its own cell and of the dtype; no two that differ are taken
          for one, and no two that are equal numbers for two

    Args:
        column: Cells in any storage.

    Returns:
        The list, and the places of the cells in it.
    """
    codes, cells = _list_cells(_spread(column))
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
    """Read a column all of whose cells are numbers.

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
    """Read a column all of whose cells are canonical scalars, or what they are made of.

    Args:
        column: Values in any storage.

    Returns:
        The values.

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
    """Store canonical scalars by their places in a list, so that they are read again quickly.

    Args:
        codes: The places, below 0 for missing, shape (n,).
        values: The list, of values that are spelled differently.

    Returns:
        A categorical array if no two values are equal, or else Python objects, ``None`` where
        missing; shape (n,).
    """
    if len(set(values)) == len(values) and not any(type(each) is tuple for each in values):
        listed = pd.Index(take_values(values, None, np.arange(len(values))), dtype=object)
        return pd.Categorical.from_codes(np.maximum(codes, -1), listed)
    return take_values(values, None, np.maximum(codes, -1))


def take_values(
    values: Sequence[Hashable], gap: Hashable, codes: NDArray[np.integer]
) -> NDArray[np.object_]:
    """Look values up by their place in a list, and ``gap`` for -1; shape (n,)."""
    # Element by element: NumPy would take tuples for rows.
    listed = np.fromiter((*values, gap), dtype=object, count=len(values) + 1)
    return np.asarray(listed[codes])


def _list_cells(column: pd.Series) -> Distinct:
    """List the cells of a column as they are: those of plain types once, if equal.

    Returns:
        Places, -1 for some of the missing cells, shape (n,); and the cells.
    """
    dtype, kind = column.dtype, getattr(column.dtype, 'kind', 'O')
    if isinstance(dtype, pd.CategoricalDtype):
        return _list_categories(column.cat.codes.to_numpy(), dtype.categories.to_flat_index())
    if kind == 'M':
        return _list_dates(column)
    if kind == 'm':
        # Left to itself, pandas lets lengths beyond 64 bits of nanoseconds wrap around.
        arrow = isinstance(dtype, pd.ArrowDtype)
        lengths = np.asarray((column.array._pa_array if arrow else column).to_numpy())
        codes, counts = pd.factorize(lengths.view(np.int64))
        return Distinct(codes, list(counts.view(lengths.dtype)))
    if isinstance(dtype, np.dtype) and kind in 'biuf':
        numbers = column.to_numpy()
        kept = kind != 'f' or numbers.dtype in (np.float32, np.float64)
        return Distinct(*pd.factorize(numbers if kept else numbers.astype(np.float64)))
    return _list_objects(_as_objects(column.array))


def _list_categories(codes: NDArray[np.integer], categories: pd.Index) -> Distinct:
    """List the categories that occur."""
    used = np.bincount(codes[codes >= 0], minlength=len(categories)) > 0
    listed = _list_cells(pd.Series(categories[used], dtype=categories.dtype))
    places = np.full(len(categories) + 1, MISSING_PLACE)
    places[:-1][used] = listed.codes
    return Distinct(places[codes], listed.listed)


def _list_dates(column: pd.Series) -> Distinct:
    codes, moments = pd.factorize(from_storage(column))
    zoned = getattr(getattr(column.dtype, 'pyarrow_dtype', column.dtype), 'tz', None)
    ends = {MISSING: None, INVALID: STRANGE}
    cells = [
        ends[each] if each in ends else pd.Timestamp(each, unit='ns', tz=zoned and 'UTC')
        for each in moments.tolist()
    ]
    return Distinct(codes, cells)


def _list_objects(objects: NDArray[np.object_]) -> Distinct:
    cells = objects.tolist()
    kinds = list(map(id, map(type, cells)))
    found = set(kinds)
    if id(type(pd.NA)) in found:
        cells = [None if cell is pd.NA else cell for cell in cells]
        kinds = list(map(id, map(type, cells)))
        found = set(kinds)
    # Equal values of one plain type are the same; of two types they need not be, as ``1`` and
    # ``True``. Of other types, one object is itself.
    keys: Sequence[Hashable] = cells
    if not found <= PLAIN:
        keys = list(map(id, cells))
    elif len(found) > 1:
        keys = list(zip(kinds, cells, strict=True))
    once = dict(zip(keys, cells, strict=True))
    places = dict(zip(once, range(len(once)), strict=True))
    codes = np.fromiter(map(places.__getitem__, keys), dtype=np.int64, count=len(keys))
    return Distinct(codes, list(once.values()))


def _as_objects(array: Any) -> NDArray[np.object_]:
    """List what a pandas array holds as objects, each as it would be if it were alone."""
    if not hasattr(array, 'to_numpy'):
        return np.asarray(array, dtype=object)
    try:
        return np.asarray(array.to_numpy(dtype=object), dtype=object)
    except Exception:  # of a library: Arrow may hold dates and bytes that Python cannot
        if len(array) == 1:
            return take_values((), STRANGE, np.array([-1]))
    half = len(array) // 2
    return np.concatenate([_as_objects(array[:half]), _as_objects(array[half:])])


def _spread(column: pd.Series) -> pd.Series:
    """Store a sparse column, or one with a dictionary of Arrow's, cell by cell."""
    dtype = column.dtype
    if isinstance(dtype, pd.SparseDtype):
        return column.sparse.to_dense()
    value_type = getattr(getattr(dtype, 'pyarrow_dtype', None), 'value_type', None)
    if value_type is not None and str(dtype.pyarrow_dtype).startswith('dictionary'):
        return column.astype(pd.ArrowDtype(value_type))
    return column


def _spread_numbers(found: Distinct) -> Numbers:
    """Look up which of the listed values are numbers."""
    listed = [
        float(value) if type(value) in (int, float) else np.nan  # type: ignore[arg-type]
        for value in found.listed
    ]
    values = np.array([*listed, np.nan, np.nan], dtype=np.float64)
    return Numbers(values[found.codes], found.codes == MISSING_PLACE)


def _as_decimals(singles: NDArray[np.float32]) -> NDArray[np.float64]:
    """Find the shortest decimals that single floats are printed as, shape (n,)."""
    exact = singles.astype(np.float64)
    # Of usual size, the decimal with fewest places that is the same single float.
    usual = (np.abs(exact) >= SMALLEST_USUAL) & (np.abs(exact) < LARGEST_USUAL)
    left = np.flatnonzero(usual)
    decimals = exact.copy()
    for places in range(MOST_PLACES + 1):
        rounded = np.rint(exact[left] * 10.0**places) / 10.0**places
        same = rounded.astype(np.float32) == singles[left]
        decimals[left[same]] = rounded[same]
        left = left[~same]
    printed = np.concatenate([left, np.flatnonzero(~usual & (exact != 0) & np.isfinite(exact))])
    decimals[printed] = singles[printed].astype(str).astype(np.float64)
    return decimals


