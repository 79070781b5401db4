"""Keys: which rows have the same key, and which row a foreign key refers to.

Columns of keys become whole numbers: one per different key, or the position of the row with the
key. Equal numbers are the same key in any storage. Large floats that equal several whole numbers
cannot be keys.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.util import hash_array

from sdv_threea.rows.intake.cells import (
    INVALID_PLACE,
    MISSING_PLACE,
    NO_SCALAR,
    Distinct,
    list_cells,
    spread,
)
from sdv_threea.rows.intake.columns import find_numbers, read_scalars
from sdv_threea.rows.intake.parts import holds_nul
from sdv_threea.rows.intake.scalars import Scalar, spell

#: NumPy floats that are not Python floats, by identity of their types.
OTHER_FLOATS = frozenset(map(id, (np.float16, np.float32, np.longdouble)))


class Flaws(NamedTuple):
    """Flaws of the keys of a table: repeated keys, missing parts, unreadable cells.

    Unreadable are objects without a scalar, ambiguous large floats, and cells of a category with
    NUL characters, which pandas may have merged.
    """

    repeated: bool
    missing: bool
    unreadable: bool


def find_flaws(keys: pd.DataFrame) -> Flaws:
    """Return the flaws of the keys of a table."""
    places = number_keys([keys])[0]
    repeated = bool((np.bincount(places[places >= 0]) > 1).any())
    return Flaws(
        repeated, bool((places == MISSING_PLACE).any()), bool((places < MISSING_PLACE).any())
    )


def has_repeats(keys: pd.DataFrame) -> bool:
    """Return whether two rows have the same key; keys with a missing part are ignored."""
    return find_flaws(keys).repeated


def find_rows(wanted: pd.DataFrame, known: pd.DataFrame) -> NDArray[np.int64]:
    """Return the row of ``known`` that has each wanted key, shape (n,).

    The position is ``MISSING_PLACE`` if a part of the key is missing, and ``INVALID_PLACE`` if no
    row has the key. No known key may occur twice.
    """
    of_known, of_wanted = number_keys([known, wanted])
    # The position of the row by the number of its key; the last two entries are for -2 and -1.
    rows = np.full(max(of_known.max(initial=-1), of_wanted.max(initial=-1)) + 3, INVALID_PLACE)
    rows[MISSING_PLACE] = MISSING_PLACE
    present = np.flatnonzero(of_known >= 0)
    rows[of_known[present]] = present
    return np.asarray(rows[of_wanted], dtype=np.int64)


def number_keys(tables: Sequence[pd.DataFrame]) -> list[NDArray[np.int64]]:
    """Return a number per row, for each table; rows have the same number if they have the same key.

    A key with a missing part has -1, one with an unreadable part -2.

    Formal guarantees: whether two rows have the same number depends on their keys alone.
    """
    numbers = number_values([table.iloc[:, 0] for table in tables])
    for at in range(1, tables[0].shape[1]):
        columns = number_values([table.iloc[:, at] for table in tables])
        together = np.concatenate(numbers), np.concatenate(columns)
        worst = np.minimum(*together)
        # Both numbers are below the number of rows, so a number for each pair fits into 64 bits.
        _, combined = np.unique(
            together[0] * (together[1].max(initial=0) + 1) + together[1], return_inverse=True
        )
        combined = np.where(worst < 0, worst, combined)
        numbers = np.split(combined, np.cumsum([len(table) for table in tables])[:-1])
    return numbers


def hash_keys(keys: pd.DataFrame) -> NDArray[np.uint64]:
    """Return a number per row, shape (n,), the same for equal keys in any storage and table."""
    found = np.zeros(len(keys), dtype=np.uint64)
    for at in range(keys.shape[1]):
        found = np.asarray(found * np.uint64(31) + _hash_values(keys.iloc[:, at]))
    return found


def _hash_values(column: pd.Series) -> NDArray[np.uint64]:
    whole = _read_whole(column)
    if whole is not None:
        return np.asarray(hash_array(whole[0]))
    found = _list_keys(column)
    numbers = [type(each) is int and abs(each) < 2**63 for each in found.listed]
    pairs = list(zip(found.listed, numbers, strict=True))
    texts = [each if type(each) is str else spell(each) for each in found.listed]
    hashed = hash_array(np.array(texts, dtype=object), categorize=False)
    hashed[numbers] = hash_array(np.array([each for each, fits in pairs if fits], dtype=np.int64))
    return np.asarray(np.append(hashed, np.zeros(2, dtype=np.uint64))[found.codes])


def number_values(columns: Sequence[pd.Series]) -> list[NDArray[np.int64]]:
    """Return a number per value, for each column, as :func:`number_keys` does for keys."""
    whole = [_read_whole(column) for column in columns]
    if all(each is not None for each in whole):
        found = [each for each in whole if each is not None]
        numbers, _ = pd.factorize(np.concatenate([values for values, _ in found]))
        parts = np.split(numbers, np.cumsum([len(values) for values, _ in found])[:-1])
        return [
            np.where(flaws < 0, flaws, part) for part, (_, flaws) in zip(parts, found, strict=True)
        ]
    places: dict[Scalar, int] = {}
    return [_look_up(_list_keys(column), places) for column in columns]


def _list_keys(column: pd.Series) -> Distinct:
    if holds_nul(column.dtype):
        return Distinct(np.full(len(column), INVALID_PLACE), [])
    column = spread(column)
    codes, cells = list_cells(column)
    end = _first_ambiguous(column.dtype)
    return read_scalars(codes, [NO_SCALAR if _is_ambiguous(each, end) else each for each in cells])


def _is_ambiguous(cell: object, end: float) -> bool:
    """Return whether a cell is a float from ``end`` on; runs no code of a subclass of float."""
    kind = type(cell)
    if id(kind) in OTHER_FLOATS:
        return bool(abs(cell) >= min(end, _first_ambiguous(np.dtype(kind))))  # type: ignore[arg-type]
    return issubclass(kind, float) and float.__abs__(cell) >= end  # type: ignore[arg-type]


def _first_ambiguous(dtype: Any) -> float:
    """Return the least whole number stored as the same float as the next; ``2^53`` in 64 bits."""
    dtype = getattr(dtype, 'numpy_dtype', dtype)
    is_float = isinstance(dtype, np.dtype) and dtype.kind == 'f'
    return float(2.0 ** (min(np.finfo(dtype if is_float else np.float64).nmant, 52) + 1))


def _look_up(found: Distinct, places: dict[Scalar, int]) -> NDArray[np.int64]:
    """Return the number of each row's value; new values get the next numbers in ``places``."""
    # The key of a value that is not a text is a tuple of its spelling, so that no text equals the
    # key.
    keys = [value if type(value) is str else (spell(value),) for value in found.listed]
    numbers = [places.setdefault(key, len(places)) for key in keys]
    ends = [*numbers, INVALID_PLACE, MISSING_PLACE]
    return np.asarray(np.array(ends, dtype=np.int64)[found.codes])


def _read_whole(column: pd.Series) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return 64-bit whole numbers, and flaws: -1 missing, -2 ambiguous, or 0; else ``None``."""
    dtype = getattr(column.dtype, 'numpy_dtype', column.dtype)
    if not isinstance(dtype, np.dtype) or dtype.kind not in 'iuf':
        return None
    if dtype.kind == 'f':
        cells, gone = find_numbers(column)
        ambiguous = np.abs(cells) >= _first_ambiguous(dtype)
        kept = np.where(gone | ambiguous, 0.0, cells)
        if (kept % 1 != 0).any():
            return None
        flaws = np.select([gone, ambiguous], [MISSING_PLACE, INVALID_PLACE], 0)
        return kept.astype(np.int64), flaws
    gone = np.asarray(column.isna(), dtype=np.bool_)
    kept = column.to_numpy(dtype=dtype, na_value=0)
    if (kept > np.iinfo(np.int64).max).any():
        return None
    return kept.astype(np.int64), np.where(gone, MISSING_PLACE, 0)
