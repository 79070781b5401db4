"""Translation of cells: what SDV's users store, and the plain values that the pipeline knows.

Numbers become floats with NaN, dates become seconds since :data:`ORIGIN`, categories become Python
scalars with ``None``. Each cell is translated by itself, whatever the other rows hold, so that
one record never changes what becomes of another.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.domain import Domain, Number
from sdv_threea.encoding.values import find_distinct, make_table, store

#: Dates are counted in seconds from here.
ORIGIN = np.datetime64('2000-01-01', 'us')

#: Single floats of these sizes have so many decimal places at most.
SMALLEST_USUAL, LARGEST_USUAL, MOST_PLACES = 1e-4, 2.0**24, 13

#: The dates that pandas can hold at any resolution.
EARLIEST, LATEST = np.datetime64('1678-01-01', 'us'), np.datetime64('2262-01-01', 'us')


def encode(
    table: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]], names: tuple[str, ...]
) -> pd.DataFrame:
    """Translate the modelled columns of a private table.

    Formal guarantees:
        * a row of the result is a function of the same row of the table and of the metadata

    Args:
        table: The private table, validated.
        columns: What the metadata says about each column.
        names: The modelled columns.

    Returns:
        One column per name, float64 (NaN: missing) or object (``None``: missing); a fresh index.
    """
    encoded = {name: _encode_column(table[name], columns[name]) for name in names}
    return make_table(encoded, pd.RangeIndex(len(table)))


def decode(
    sampled: pd.DataFrame,
    columns: Mapping[str, Mapping[str, Any]],
    dtypes: Mapping[str, Any],
    domain: Domain,
) -> pd.DataFrame:
    """Translate sampled rows back; inverse of :func:`encode` up to dtypes, which SDV casts.

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


def _encode_column(column: pd.Series, description: Mapping[str, Any]) -> Any:
    match description['sdtype']:
        case 'numerical':
            return to_numbers(column)
        case 'datetime':
            return to_seconds(column, description.get('datetime_format'))
        case _:
            return to_scalars(column)


def to_numbers(column: pd.Series) -> NDArray[np.float64]:
    """Turn numbers of any storage into float64, NaN where missing; shape (rows,).

    A float32 stands for the decimal it is printed as, or it would have a granularity of its own.
    """
    dtype = getattr(column.dtype, 'numpy_dtype', column.dtype)
    if dtype == np.float32:
        return _as_decimals(column.to_numpy(dtype=np.float32, na_value=np.nan))
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _as_decimals(singles: NDArray[np.float32]) -> NDArray[np.float64]:
    """Find the shortest decimals that single floats are printed as, shape (rows,)."""
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


def to_scalars(column: pd.Series) -> Any:
    """Turn categories of any storage into Python scalars, shape (rows,); see :func:`store`."""
    codes, distinct = find_distinct(column)
    return store(codes, list(map(to_scalar, distinct)))


def to_scalar(value: Hashable) -> Hashable:
    """Turn a category into a Python scalar."""
    return value.item() if isinstance(value, np.generic) else value


def to_seconds(column: pd.Series, datetime_format: str | None) -> NDArray[np.float64]:
    """Turn dates of any storage into seconds since :data:`ORIGIN`; shape (rows,).

    Dates with a time zone count in UTC; texts with offsets come back in UTC.

    Args:
        column: Dates, texts, or numbers that spell dates (20240229).
        datetime_format: The format of texts and numbers; if ``None``, each text is read by itself.

    Returns:
        NaN where a date is missing or cannot be read.
    """
    if isinstance(column.dtype, pd.ArrowDtype | pd.CategoricalDtype):
        column = column.astype(object)
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert('UTC')
    elif not pd.api.types.is_datetime64_any_dtype(column.dtype):
        if pd.api.types.is_numeric_dtype(column.dtype):
            column = column.astype('Int64').astype('string')
        column = pd.to_datetime(
            column, format=_readable(datetime_format), errors='coerce', utc=True
        )
    moments = column.dt.tz_localize(None).to_numpy(dtype='datetime64[us]')
    return np.asarray((moments - ORIGIN) / np.timedelta64(1, 's'))


def from_seconds(
    seconds: NDArray[np.float64], dtype: Any, datetime_format: str | None, step: float
) -> pd.Series:
    """Turn seconds since :data:`ORIGIN` back into dates; inverse of :func:`to_seconds`.

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
        zone = getattr(getattr(dtype, 'pyarrow_dtype', dtype), 'tz', None)
        return pd.Series(moments.tz_localize(zone and 'UTC')).astype(dtype)
    return pd.Series(moments.tz_localize('UTC')).dt.strftime(datetime_format or _iso_format(step))


def _readable(datetime_format: str | None) -> str:
    """Return the format for reading, which has no signs for the padding of digits."""
    return (datetime_format or 'mixed').replace('%-', '%').replace('%#', '%')


def _iso_format(step: float) -> str:
    if step and step % 86_400 == 0:
        return '%Y-%m-%d'
    return '%Y-%m-%d %H:%M:%S' if step and step % 1 == 0 else '%Y-%m-%d %H:%M:%S.%f'
