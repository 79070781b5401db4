"""The cells of a column, taken out of any storage: pandas', NumPy's, Arrow's, sparse, categorical.

Each cell is what it would be if it were the only one. Nothing is read of it here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.dates import INVALID, MISSING, from_storage

#: Types of Python's of which equal values are the same, and whose hashes are Python's own; by
#: identity, as the type of a type may hash in its own way.
PLAIN = {id(kind) for kind in (str, int, float, bool, type(None))}
NUMBERS = {id(kind) for kind in (int, float, bool)}

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


def list_cells(column: pd.Series) -> Distinct:
    """List the cells of a column as they are: those of plain types once, if equal.

    Formal guarantees:
        * a cell is the same object, or an equal one of the same type, as if it were the only one;
          no two are taken for one that :func:`~sdv_threea.intake.scalars.read_scalar` tells apart

    Args:
        column: The cells, in any storage that :func:`spread` returns.

    Returns:
        Places, -1 for some of the missing cells, shape (n,); and the cells, :data:`STRANGE` for
        those that their storage cannot give.
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
    if kind in 'biuf':
        wide = kind == 'f' and dtype in (np.float16, np.longdouble)
        codes, numbers = pd.factorize(column.astype(np.float64) if wide else column)
        # Taken one by one, the numbers would lose whether they are single floats.
        exact = numbers.to_numpy(dtype=getattr(numbers.dtype, 'numpy_dtype', numbers.dtype))
        return Distinct(codes, list(exact))
    if str(getattr(dtype, 'storage', dtype)).endswith('pyarrow') or isinstance(
        dtype, pd.ArrowDtype
    ):
        return _list_arrow(column.array)
    return _list_objects(_as_objects(column.array))


def spread(column: pd.Series) -> pd.Series:
    """Store a sparse column, or one with a dictionary of Arrow's, cell by cell."""
    dtype = column.dtype
    if isinstance(dtype, pd.SparseDtype):
        return column.sparse.to_dense()
    value_type = getattr(getattr(dtype, 'pyarrow_dtype', None), 'value_type', None)
    if value_type is not None and str(dtype.pyarrow_dtype).startswith('dictionary'):
        return column.astype(pd.ArrowDtype(value_type))
    return column


def take_values(
    values: Sequence[Hashable], gap: Hashable, codes: NDArray[np.integer]
) -> NDArray[np.object_]:
    """Look values up by their place in a list, and ``gap`` for -1; shape (n,)."""
    # Element by element: NumPy would take tuples for rows.
    listed = np.fromiter((*values, gap), dtype=object, count=len(values) + 1)
    return np.asarray(listed[codes])


def _list_categories(codes: NDArray[np.integer], categories: pd.Index) -> Distinct:
    """List the categories that occur."""
    used = np.bincount(codes[codes >= 0], minlength=len(categories)) > 0
    listed = list_cells(pd.Series(categories[used], dtype=categories.dtype))
    places = np.full(len(categories) + 1, MISSING_PLACE)
    places[:-1][used] = listed.codes
    return Distinct(places[codes], listed.listed)


def _list_arrow(array: Any) -> Distinct:
    """List the values that Arrow holds, which compares all of their bytes."""
    try:
        codes, listed = pd.factorize(array)
    except Exception:  # nested ones
        return _list_objects(_as_objects(array))
    return Distinct(codes, _as_objects(listed).tolist())


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
    kinds = set(map(id, map(type, cells)))
    if id(type(pd.NA)) in kinds:
        cells = [None if cell is pd.NA else cell for cell in cells]
        kinds = kinds - {id(type(pd.NA))} | {id(type(None))}
    if not kinds <= PLAIN:
        # Of other types, one object is itself.
        return _list_once(list(map(id, cells)), cells)
    if len(kinds & NUMBERS) > 1:
        # Equal numbers of two types need not be the same, as ``1`` and ``True``.
        return _list_once(list(zip(map(type, cells), cells, strict=True)), cells)
    return _list_once(cells, cells)


def _list_once(keys: Sequence[Hashable], cells: list[Any]) -> Distinct:
    """List one cell of each key."""
    places: defaultdict[Hashable, int] = defaultdict()
    # A key that is new gets the next place.
    places.default_factory = places.__len__
    codes = np.fromiter(map(places.__getitem__, keys), dtype=np.int64, count=len(keys))
    listed = list(places) if keys is cells else list(dict(zip(keys, cells, strict=True)).values())
    return Distinct(codes, listed)


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
