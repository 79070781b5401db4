"""Sampled values as users store them: the way back from :mod:`sdv_threea.intake`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.domain import Domain, Number
from sdv_threea.storage.dtypes import find_zone

#: Dates are counted in seconds from here.
ORIGIN = np.datetime64('2000-01-01', 'us')

#: The dates that pandas can hold at any resolution.
EARLIEST, LATEST = np.datetime64('1678-01-01', 'us'), np.datetime64('2262-01-01', 'us')


def decode(
    sampled: pd.DataFrame,
    columns: Mapping[str, Mapping[str, Any]],
    dtypes: Mapping[str, Any],
    domain: Domain,
) -> pd.DataFrame:
    """Translate sampled rows back, up to dtypes, which SDV casts.

    It is the inverse of :func:`sdv_threea.intake.table.read_table`.

    Args:
        sampled: Numbers as float64, categories as objects.
        columns: What the metadata says about each column.
        dtypes: The dtypes of the synthetic table.
        domain: The released columns.

    Returns:
        The same columns: dates as dates or texts, numbers within what their dtype can hold.
    """
    decoded = {}
    for column in domain.columns:
        name, cells = column.name, sampled[column.name].reset_index(drop=True)
        if columns[name]['sdtype'] == 'datetime' and isinstance(column, Number):
            template = columns[name].get('datetime_format')
            cells = from_seconds(cells.to_numpy(), dtypes[name], template, column.step or 0.0)
        elif isinstance(column, Number):
            cells = fit_into(cells, dtypes[name], column.step or 0.0)
        decoded[name] = cells
    return pd.DataFrame(decoded, index=pd.RangeIndex(len(sampled)), copy=False)


def fit_into(numbers: pd.Series, dtype: Any, step: float = 0.0) -> pd.Series:
    """Clip numbers to what a dtype can hold, as a released range may be wider than it.

    Args:
        numbers: Numbers, NaN where missing.
        dtype: The dtype of the column; objects become Python's integers if they are whole.
        step: Granularity of the numbers, 0 if continuous.

    Returns:
        The numbers, in a dtype that can be cast to the one of the column.
    """
    dtype = getattr(dtype, 'numpy_dtype', dtype)
    if isinstance(dtype, np.dtype) and dtype.kind in 'iu':
        limits = np.iinfo(dtype)
        # The largest integer of 64 bits is no float: the next smaller float is.
        top = float(limits.max)
        top = top if int(top) <= limits.max else float(np.nextafter(top, 0))
        return numbers.clip(float(limits.min), top)
    if isinstance(dtype, np.dtype) and dtype.kind == 'f':
        limit = float(np.finfo(dtype).max)
        return numbers.clip(-limit, limit)
    if dtype == np.dtype(object) and step and step % 1 == 0:
        whole = [each if np.isnan(each) else int(each) for each in numbers]
        return pd.Series(whole, numbers.index, dtype=object)
    return numbers


def from_seconds(
    seconds: NDArray[np.float64], dtype: Any, datetime_format: str | None, step: float
) -> pd.Series:
    """Turn seconds since :data:`ORIGIN` back into dates.

    Args:
        seconds: Shape (rows,), NaN where missing.
        dtype: The dtype of the column; dates for a datetime dtype, otherwise texts.
        datetime_format: The format of texts; if ``None``, ISO 8601 as long as ``step`` asks for.
        step: Granularity of the dates in seconds, 0 if continuous.

    Returns:
        The dates, shape (rows,).
    """
    first, last = ((end - ORIGIN) / np.timedelta64(1, 's') for end in (EARLIEST, LATEST))
    passed = np.rint(np.clip(seconds, first, last) * 1e6).astype('timedelta64[us]')
    moments = pd.DatetimeIndex(ORIGIN + passed)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return pd.Series(moments.tz_localize(find_zone(dtype) and 'UTC')).astype(dtype)
    return pd.Series(moments.tz_localize('UTC')).dt.strftime(datetime_format or _iso_format(step))


def _iso_format(step: float) -> str:
    if step and step % 86_400 == 0:
        return '%Y-%m-%d'
    return '%Y-%m-%d %H:%M:%S' if step and step % 1 == 0 else '%Y-%m-%d %H:%M:%S.%f'
