"""The cells of a column, taken out of any storage: pandas', NumPy's, Arrow's, sparse, categorical.

In goes a column as the user stored it. Out come its different cells, each listed once, and the
position in the list of every row's cell. A cell is what it would be if it were the only one of its
column. What it means is found out by :mod:`~sdv_threea.intake.scalars`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.intake.dates import INVALID, MISSING, from_storage

#: Built-in types, by identity, whose equal values mean the same. Only their cells are compared and
#: hashed, as other types may do both in their own way. So may the type of a type: hence identity.
PLAIN_TYPES = {id(kind) for kind in (str, int, float, bool, type(None))}
NUMBER_TYPES = {id(kind) for kind in (int, float, bool)}

#: The dtype of Python's objects.
OBJECT = np.dtype(object)

#: Stands for a cell that cannot be taken out of its storage. It cannot become a canonical scalar.
NO_SCALAR = ...

#: Stand for the position of a cell that is missing, and of one that is no canonical scalar.
MISSING_PLACE, INVALID_PLACE = -1, -2


class Distinct(NamedTuple):
    """A column, with each different value listed once.

    Args:
        codes: The position of each cell's value in the list, :data:`MISSING_PLACE` where it is
            missing, and :data:`INVALID_PLACE` where it is no canonical scalar; shape (n,).
        listed: The different values.
    """

    codes: NDArray[np.integer]
    listed: list[Hashable]


def list_cells(column: pd.Series) -> Distinct:
    """List the different cells of a column, as they are; equal ones of plain types once.

    Formal guarantees:
        * a cell is the same object, or an equal one of the same type, as if it were the only one;
          no two are taken for one that :func:`~sdv_threea.intake.scalars.read_scalar` tells apart

    Args:
        column: The cells, in any storage that :func:`spread` returns.

    Returns:
        The cells, :data:`NO_SCALAR` for those that cannot be taken out of their storage; and the
        position of each row's cell. Some missing cells have the position -1, others are listed.
    """
    dtype, kind = column.dtype, getattr(column.dtype, 'kind', 'O')
    if isinstance(dtype, pd.CategoricalDtype):
        return _list_categories(column.cat.codes.to_numpy(), dtype.categories.to_flat_index())
    if kind == 'M':
        return _list_dates(column)
    if kind == 'm':
        # NumPy's lengths of time in their own unit: pandas turns them into nanoseconds, and lets
        # those beyond 64 bits wrap around.
        arrow = isinstance(dtype, pd.ArrowDtype)
        lengths = np.asarray((column.array._pa_array if arrow else column).to_numpy())
        codes, counts = pd.factorize(lengths.view(np.int64))
        return Distinct(codes, list(counts.view(lengths.dtype)))
    if kind in 'biuf':
        wide = kind == 'f' and dtype in (np.float16, np.longdouble)
        codes, numbers = pd.factorize(column.astype(np.float64) if wide else column)
        # As NumPy's scalars, which know whether they are single floats; Python's do not.
        exact = numbers.to_numpy(dtype=getattr(numbers.dtype, 'numpy_dtype', numbers.dtype))
        return Distinct(codes, list(exact))
    if str(getattr(dtype, 'storage', dtype)).endswith('pyarrow') or isinstance(
        dtype, pd.ArrowDtype
    ):
        return _list_arrow(column.array)
    # Objects as they are: pandas' own arrays look for missing ones first.
    return _list_objects(column.to_numpy() if dtype is OBJECT else _as_objects(column.array))


def spread(column: pd.Series) -> pd.Series:
    """Return a sparse column, or one with a dictionary of Arrow's, in a storage cell by cell."""
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
    """Return the value at each position in a list, and ``gap`` for -1; shape (n,)."""
    # From an iterator, element by element: NumPy would turn a list of tuples into a matrix.
    listed = np.fromiter((*values, gap), dtype=object, count=len(values) + 1)
    return np.asarray(listed[codes])


def _list_categories(codes: NDArray[np.integer], categories: pd.Index) -> Distinct:
    """List the categories that occur: others may have been left by rows that are gone."""
    used = np.bincount(codes[codes >= 0], minlength=len(categories)) > 0
    listed = list_cells(pd.Series(categories[used], dtype=categories.dtype))
    places = np.full(len(categories) + 1, MISSING_PLACE)
    places[:-1][used] = listed.codes
    return Distinct(places[codes], listed.listed)


def _list_arrow(array: Any) -> Distinct:
    """List the different values of an array of Arrow's, which compares all of their bytes."""
    try:
        codes, listed = pd.factorize(array)
    except Exception:  # nested values cannot be compared
        return _list_objects(_as_objects(array))
    return Distinct(codes, _as_objects(listed).tolist())


def _list_dates(column: pd.Series) -> Distinct:
    """List the different dates of a column that stores them as counts."""
    codes, moments = pd.factorize(from_storage(column))
    zoned = getattr(getattr(column.dtype, 'pyarrow_dtype', column.dtype), 'tz', None)
    ends = {MISSING: None, INVALID: NO_SCALAR}
    cells = [
        ends[each] if each in ends else pd.Timestamp(each, unit='ns', tz=zoned and 'UTC')
        for each in moments.tolist()
    ]
    return Distinct(codes, cells)


def _list_objects(objects: NDArray[np.object_]) -> Distinct:
    """List different objects, by their values if all are plain, else by their identity."""
    cells = objects.tolist()
    kinds = set(map(id, map(type, cells)))
    if id(type(pd.NA)) in kinds:
        cells = [None if cell is pd.NA else cell for cell in cells]
        kinds = kinds - {id(type(pd.NA))} | {id(type(None))}
    if not kinds <= PLAIN_TYPES:
        # Other types may compare in their own way, so only the same object counts as equal.
        return _list_once(list(map(id, cells)), cells)
    if len(kinds & NUMBER_TYPES) > 1:
        # ``1`` and ``True`` are equal in Python, but are different cells: compare with the type.
        return _list_once(list(zip(map(type, cells), cells, strict=True)), cells)
    return _list_once(cells, cells)


def _list_once(keys: Sequence[Hashable], cells: list[Any]) -> Distinct:
    """List one cell of each key, in the order in which keys first occur."""
    places: defaultdict[Hashable, int] = defaultdict()
    # A new key gets the next position: the number of keys before it.
    places.default_factory = places.__len__
    codes = np.fromiter(map(places.__getitem__, keys), dtype=np.int64, count=len(keys))
    listed = list(places) if keys is cells else list(dict(zip(keys, cells, strict=True)).values())
    return Distinct(codes, listed)


def _as_objects(array: Any) -> NDArray[np.object_]:
    """Return the cells of a pandas array as objects, each as it would be if it were alone."""
    if not hasattr(array, 'to_numpy'):
        return np.asarray(array, dtype=object)
    try:
        return np.asarray(array.to_numpy(dtype=object), dtype=object)
    except Exception:  # Arrow may hold dates and bytes that Python cannot: find those by halving
        if len(array) == 1:
            return take_values((), NO_SCALAR, np.array([-1]))
    half = len(array) // 2
    return np.concatenate([_as_objects(array[:half]), _as_objects(array[half:])])
