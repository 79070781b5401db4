"""Parts of one table that are stored differently, cast to the one dtype that all are declared in.

pandas chooses the dtype of a part by its rows: integers become floats where one is missing, and
truth values objects; and Dask makes texts of objects, part by part.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.intake.cells import INVALID_PLACE, STRANGE, take_values
from sdv_threea.intake.columns import find_distinct
from sdv_threea.intake.dates import INVALID, read_texts
from sdv_threea.intake.scalars import Scalar, read_scalar

#: How a cell is spelled that Dask made a text of.
FLAGS = {'True': True, 'False': False}


def conform(column: pd.Series, dtype: Any) -> Any:
    """Cast a part of a column to the dtype that the whole is declared in, as far as that goes.

    Formal guarantees:
        * what becomes of a cell is a function of its value and of the dtype, whichever storage the
          other cells of its part have led to; but for whole floats in a column of texts, which
          are texts without a point or with one

    Args:
        column: A part of a column.
        dtype: The declared dtype. NumPy's integers become floats: they have no place for a gap.

    Returns:
        The cells: floats, what they were, or objects; shape (n,).
    """
    is_number = isinstance(dtype, np.dtype) and dtype.kind in 'iuf'
    stored = getattr(column.dtype, 'numpy_dtype', column.dtype)
    if is_number and isinstance(stored, np.dtype) and stored.kind in 'iuf':
        return column.to_numpy(_as_float(dtype), na_value=np.nan)
    is_text = isinstance(column.dtype, pd.StringDtype)
    if not is_number and is_text == isinstance(dtype, pd.StringDtype):
        return column.array
    restore = _find_restorer(dtype) if is_text else None
    codes, cells = find_distinct(column)
    if restore is not None:
        cells = [restore(each) if type(each) is str else each for each in cells]
    if is_number:
        cast = _as_float(dtype).type
        cells = [cast(each) if type(each) in (int, float) else each for each in cells]
    if isinstance(dtype, pd.StringDtype):
        cells = [each if type(each) is str else str(each) for each in cells]
    ends = np.where(codes == INVALID_PLACE, len(cells), codes)
    return take_values((*cells, STRANGE), None, ends)


def _as_float(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind == 'f' else np.dtype(np.float64)


def _find_restorer(dtype: Any) -> Callable[[str], Scalar] | None:
    """Find what turns texts back into the values that they were made of."""
    match getattr(dtype, 'kind', 'O'):
        case 'i' | 'u' | 'f':
            return _restore_number
        case 'b':
            return lambda text: FLAGS.get(text, text)
        case 'M':
            zone = 'UTC' if getattr(dtype, 'tz', None) else None
            return lambda text: _restore_date(text, zone)
    return None


def _restore_number(text: str) -> Scalar:
    try:
        return read_scalar(Decimal(text))
    except ArithmeticError:
        return text


def _restore_date(text: str, zone: str | None) -> Scalar:
    (moment,) = read_texts([text], None)
    return text if moment == INVALID else pd.Timestamp(moment, unit='ns', tz=zone)
