"""The cells of a column from any storage: pandas, NumPy, Arrow, sparse or categorical.

The output lists the different cells once, with the position of each row's cell in the list. A cell
does not depend on the other cells of its column. :mod:`~sdv_threea.rows.intake.scalars` interprets
cells.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.intake.dates import INVALID, MISSING, from_storage

#: Built-in types whose equal values mean the same, by identity. Only cells of these types are
#: compared and hashed: other types, and even metaclasses, may define their own comparisons.
PLAIN_TYPES = {id(kind) for kind in (str, int, float, bool, type(None))}
NUMBER_TYPES = {id(kind) for kind in (int, float, bool)}

OBJECT = np.dtype(object)

#: A cell that cannot be taken out of its storage; it has no canonical scalar.
NO_SCALAR = ...

#: Positions of a missing cell, and of one without a canonical scalar.
MISSING_PLACE, INVALID_PLACE = -1, -2


class Distinct(NamedTuple):
    """A column, with each different value listed once.

    ``codes`` are positions in the list, shape (n,), or :data:`MISSING_PLACE` or
    :data:`INVALID_PLACE`.
    """

    codes: NDArray[np.integer]
    listed: list[Hashable]


def list_cells(column: pd.Series) -> Distinct:
    """Return the different cells of a column that :func:`spread` returned, and their positions.

    A cell that cannot be taken out of its storage is :data:`NO_SCALAR`. A missing cell has the
    position -1 or is listed.

    Formal guarantees: a cell is the same object, or an equal one of the same type, as if it were
    the only one; cells that ``read_scalar`` distinguishes are never merged.
    """
    dtype, kind = column.dtype, getattr(column.dtype, 'kind', 'O')
    if isinstance(dtype, pd.CategoricalDtype):
        return _list_categories(column.cat.codes.to_numpy(), dtype.categories.to_flat_index())
    if kind == 'M':
        return _list_dates(column)
    if kind == 'm':
        # NumPy time differences keep their unit: pandas would convert them into nanoseconds, which
        # wrap around beyond 64 bits.
        arrow = isinstance(dtype, pd.ArrowDtype)
        lengths = np.asarray((column.array._pa_array if arrow else column).to_numpy())
        codes, counts = pd.factorize(lengths.view(np.int64))
        return Distinct(codes, list(counts.view(lengths.dtype)))
    if kind in 'biuf':
        wide = kind == 'f' and dtype in (np.float16, np.longdouble)
        codes, numbers = pd.factorize(column.astype(np.float64) if wide else column)
        # NumPy scalars know whether they are single floats; Python's do not.
        exact = numbers.to_numpy(dtype=getattr(numbers.dtype, 'numpy_dtype', numbers.dtype))
        return Distinct(codes, list(exact))
    if str(getattr(dtype, 'storage', dtype)).endswith('pyarrow') or isinstance(
        dtype, pd.ArrowDtype
    ):
        return _list_arrow(column.array)
    # Object columns bypass pandas arrays, which would look for missing cells first.
    return _list_objects(column.to_numpy() if dtype is OBJECT else _as_objects(column.array))


def spread(column: pd.Series) -> pd.Series:
    """Return a column with each cell stored by itself, if it is sparse or dictionary-encoded."""
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
    # From an iterator, because NumPy would turn a list of tuples into a matrix.
    listed = np.fromiter((*values, gap), dtype=object, count=len(values) + 1)
    return np.asarray(listed[codes])


def _list_categories(codes: NDArray[np.integer], categories: pd.Index) -> Distinct:
    used = np.bincount(codes[codes >= 0], minlength=len(categories)) > 0
    listed = list_cells(pd.Series(categories[used], dtype=categories.dtype))
    places = np.full(len(categories) + 1, MISSING_PLACE)
    places[:-1][used] = listed.codes
    return Distinct(places[codes], listed.listed)


def _list_arrow(array: Any) -> Distinct:
    """Return the different values of an Arrow array, compared by all their bytes."""
    try:
        codes, listed = pd.factorize(array)
    except Exception:  # nested values cannot be compared
        return _list_objects(_as_objects(array))
    return Distinct(codes, _as_objects(listed).tolist())


def _list_dates(column: pd.Series) -> Distinct:
    codes, moments = pd.factorize(from_storage(column, 'ns'))
    zoned = getattr(getattr(column.dtype, 'pyarrow_dtype', column.dtype), 'tz', None)
    ends = {MISSING: None, INVALID: NO_SCALAR}
    cells = [
        ends[each] if each in ends else pd.Timestamp(each, unit='ns', tz=zoned and 'UTC')
        for each in moments.tolist()
    ]
    return Distinct(codes, cells)


def _list_objects(objects: NDArray[np.object_]) -> Distinct:
    """Return different objects: by value if all types are plain, otherwise by identity."""
    cells = objects.tolist()
    kinds = set(map(id, map(type, cells)))
    if id(type(pd.NA)) in kinds:
        cells = [None if cell is pd.NA else cell for cell in cells]
        kinds = kinds - {id(type(pd.NA))} | {id(type(None))}
    if not kinds <= PLAIN_TYPES:
        # Other types may compare in their own way, so only the same object counts as equal.
        return _list_once(list(map(id, cells)), cells)
    if len(kinds & NUMBER_TYPES) > 1:
        # ``1`` and ``True`` are equal in Python, but different cells, so types are compared, too.
        return _list_once(list(zip(map(type, cells), cells, strict=True)), cells)
    return _list_once(cells, cells)


def _list_once(keys: Sequence[Hashable], cells: list[Any]) -> Distinct:
    """Return one cell per key, in the order in which keys first occur."""
    places: defaultdict[Hashable, int] = defaultdict()
    # A new key gets the next position: the number of keys before it.
    places.default_factory = places.__len__
    codes = np.fromiter(map(places.__getitem__, keys), dtype=np.int64, count=len(keys))
    listed = list(places) if keys is cells else list(dict(zip(keys, cells, strict=True)).values())
    return Distinct(codes, listed)


def _as_objects(array: Any) -> NDArray[np.object_]:
    """Return the cells of a pandas array as objects, each independent of the others."""
    if not hasattr(array, 'to_numpy'):
        return np.asarray(array, dtype=object)
    try:
        return np.asarray(array.to_numpy(dtype=object), dtype=object)
    except Exception:  # Halving isolates dates and bytes that only Arrow can hold
        if len(array) == 1:
            return take_values((), NO_SCALAR, np.array([-1]))
    half = len(array) // 2
    return np.concatenate([_as_objects(array[:half]), _as_objects(array[half:])])
