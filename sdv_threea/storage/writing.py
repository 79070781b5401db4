"""Sampled values as users store them: the reverse of :mod:`sdv_threea.rows.intake`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats
from sdv_threea.domain import Domain, Number
from sdv_threea.storage.dtypes import find_zone

#: Dates are counted in seconds from this moment.
ORIGIN = np.datetime64('2000-01-01', 'us')

#: The dates that Python can hold, and those that fit into nanoseconds.
YEARS = np.datetime64('0001-01-01', 'us'), np.datetime64('9999-12-31T23:59:59.999999', 'us')
YEARS_OF_NANOSECONDS = np.datetime64('1678-01-01', 'us'), np.datetime64('2262-01-01', 'us')


def decode(
    sampled: pd.DataFrame,
    columns: Mapping[str, Mapping[str, Any]],
    dtypes: Mapping[str, Any],
    domain: Domain,
) -> pd.DataFrame:
    """Translate sampled rows back, up to dtypes, which SDV casts: the inverse of ``read_table``."""
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
    """Clip numbers, NaN where missing, to the range of a dtype, which a released range may exceed.

    Objects become Python's integers if the granularity ``step`` is whole.
    """
    dtype = getattr(dtype, 'numpy_dtype', dtype)
    if isinstance(dtype, np.dtype) and dtype.kind in 'iu':
        limits = np.iinfo(dtype)
        # No float equals the largest 64-bit integer, so take the next smaller float.
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
    seconds: Floats, dtype: Any, datetime_format: str | None, step: float
) -> pd.Series:
    """Turn seconds since :data:`ORIGIN`, NaN where missing, into dates, shape (rows,).

    Dates become texts unless ``dtype`` is a date dtype. Without a format, texts are in ISO 8601 and
    as precise as ``step``, the granularity in seconds (0 if continuous).
    """
    is_date = pd.api.types.is_datetime64_any_dtype(dtype)
    fine = is_date and '[ns' in str(dtype)
    first, last = YEARS_OF_NANOSECONDS if fine else YEARS
    reach = float((YEARS[1] - YEARS[0]) / np.timedelta64(1, 's'))
    passed = np.rint(np.clip(np.nan_to_num(seconds), -reach, reach) * 1e6).astype('timedelta64[us]')
    dates = np.clip(ORIGIN + passed, first, last)
    moments = pd.DatetimeIndex(np.where(np.isnan(seconds), np.datetime64('NaT'), dates))
    if is_date:
        return pd.Series(moments.tz_localize(find_zone(dtype) and 'UTC')).astype(dtype)
    if isinstance(dtype, pd.ArrowDtype) and dtype.kind == 'O' and 'time' in str(dtype):
        return pd.Series(moments.time, dtype=object).astype(dtype)
    return _spell(moments, datetime_format or _iso_format(step))


def _spell(moments: pd.DatetimeIndex, template: str) -> pd.Series:
    """Return texts of dates; a year below 1000 has four digits, which reading needs."""
    zoned = pd.Series(moments.tz_localize('UTC'))
    texts = zoned.dt.strftime(template).copy()
    for at in np.flatnonzero(moments.year < 1000).tolist():
        padded = template.replace('%Y', f'{moments[at].year:04d}')
        texts[at] = zoned[[at]].dt.strftime(padded)[at]
    return texts


def _iso_format(step: float) -> str:
    if step and step % 86_400 == 0:
        return '%Y-%m-%d'
    return '%Y-%m-%d %H:%M:%S' if step and step % 1 == 0 else '%Y-%m-%d %H:%M:%S.%f'
