"""Parts of one table, which must be stored as declared for the whole table.

A loader that guesses dtypes guesses them part by part. If a part contains any text, ``1.0`` and
``01`` stay texts; otherwise they become numbers. The guess cannot be undone, so a part whose
storage differs from the declared one is refused.
"""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake.cells import INVALID_PLACE, spread
from sdv_threea.rows.intake.columns import find_distinct, find_numbers

#: Below this, floats and integers hold the same whole numbers.
EXACT = 2.0**53

NUMBERS = ('integer', 'float64')

#: Types of the canonical scalars of each kind of storage that may also be stored as objects.
SCALARS: dict[str, tuple[type, ...]] = {
    'text': (str,),
    'boolean': (bool,),
    'integer': (int, float),
    'float64': (int, float),
}

MERGED = (
    "Column '{name}' is stored as a category with NUL characters in it: pandas may have merged "
    'texts that are equal up to the first NUL. Remove these characters before you make '
    'categories, or store the column as texts.'
)


def check_part(column: pd.Series, dtype: Any) -> None:
    """Raise :class:`UnreadableRowsError` if a part of a column is not stored as declared.

    A part in which all cells are missing is accepted in any storage. A category with NUL characters
    is refused.

    Formal guarantees:
        * the scalar of a cell does not depend on the storage of its part: two accepted parts whose
          loaders made them from the same cell give the same scalar
        * whether a part is accepted depends on this part alone
    """
    if holds_nul(column.dtype):
        raise UnreadableRowsError(MERGED.format(name=column.name))
    if not _is_stored_as(column, dtype):
        raise UnreadableRowsError(
            f'Column {column.name!r} is declared as {dtype}, and a part of the table stores it in '
            'another way, which depends on all rows of the part: let the loader state the dtype '
            f"(pandas.read_csv(..., dtype={{{column.name!r}: '{dtype}'}})), or convert each part "
            'by astype. Whole numbers from 2**53 on have to be integers in all parts or in none.'
        )


def holds_nul(dtype: Any) -> bool:
    """Return whether a dtype lists texts with NUL characters, which pandas may have merged."""
    return isinstance(dtype, pd.CategoricalDtype) and any(
        issubclass(type(each), str) and '\0' in str.__str__(each)
        for each in dtype.categories.to_flat_index()
    )


def _is_stored_as(column: pd.Series, dtype: Any) -> bool:
    column = spread(column)
    stored, declared = _name_kind(column.dtype), _name_kind(spread(pd.Series(dtype=dtype)).dtype)
    if column.isna().all():
        return True
    if stored == declared == 'category':
        listed = column.cat.categories.to_series(name=column.name)
        return _is_stored_as(listed, dtype.categories.dtype)
    if stored == declared:
        return True
    if stored in NUMBERS and declared in NUMBERS:
        numbers, is_missing = find_numbers(column)
        return bool((is_missing | (np.abs(numbers) < EXACT)).all())
    if stored == 'object' and declared in SCALARS:
        codes, listed = find_distinct(column)
        return not (codes == INVALID_PLACE).any() and all(
            type(each) in SCALARS[declared] and _is_exact(each) for each in listed
        )
    return stored == 'text' and declared == 'object'


def _is_exact(value: Hashable) -> bool:
    """Return whether floats and 64-bit integers represent the value equally, if it is a number."""
    return not isinstance(value, int | float) or abs(value) < EXACT


def _name_kind(dtype: Any) -> str:
    """Return the kind of cells that a storage holds; equal kinds hold the same cells."""
    if isinstance(dtype, pd.StringDtype) or getattr(dtype, 'type', None) is str:
        return 'text'
    match getattr(dtype, 'kind', 'O'):
        case 'i' | 'u':
            return 'integer'
        case 'f':
            return str(getattr(dtype, 'numpy_dtype', dtype))
        case 'b':
            return 'boolean'
        case 'M':
            zone = getattr(getattr(dtype, 'pyarrow_dtype', dtype), 'tz', None)
            return 'zoned date' if zone else 'date'
        case 'm':
            return 'length of time'
    return str(dtype)
