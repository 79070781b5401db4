"""Parts of one table that are stored differently, cast to the dtype that is declared for all.

In go a part of a column and the declared dtype. Out come its cells as that dtype would hold them.
This is needed because pandas chooses the dtype of a part by its rows: where one is missing,
integers become floats and booleans become objects. And Dask turns objects into texts, part by part.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.intake.cells import INVALID_PLACE, NO_SCALAR, take_values
from sdv_threea.intake.columns import find_distinct
from sdv_threea.intake.dates import INVALID, read_texts
from sdv_threea.intake.scalars import Scalar, read_scalar

#: The booleans of texts that Dask has made of them.
FLAGS = {'True': True, 'False': False}


def conform(column: pd.Series, dtype: Any) -> Any:
    """Cast a part of a column to the declared dtype of the whole column, as far as that goes.

    Formal guarantees:
        * what becomes of a cell is a function of its value and of the dtype, whatever storage the
          other cells of its part have led to. There is one exception: a whole float in a column of
          texts may become a text with or without a decimal point

    Args:
        column: A part of a column.
        dtype: The declared dtype. NumPy's integers are cast to floats, as they cannot be missing.

    Returns:
        The cells, shape (n,): floats for numbers, the array as it is if it is stored as declared,
        and objects otherwise.
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
    return take_values((*cells, NO_SCALAR), None, ends)


def _as_float(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind == 'f' else np.dtype(np.float64)


def _find_restorer(dtype: Any) -> Callable[[str], Scalar] | None:
    """Return a function that turns a text back into the value of a dtype; ``None`` for texts."""
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
