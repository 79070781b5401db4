"""Synthetic tables as users store them: dtypes, the proxy table, and values.

SDV and RDT learn dtypes, formats and seeds of generators from the table they are fitted on. RDT
seeds a generator with a hash of the name of the column and its first five values: fitted on private
rows, it would disclose these values through the seed and the generated values. So SDV and RDT are
fitted on a proxy, made only from public and released facts, and never see a private row.

Dtypes are schema, and as public as column names: neighbouring tables have the same. A synthetic
column has the dtype of the private one, with two exceptions:

* the categories of a categorical dtype are values of rows, so the released ones replace them;
* integers and booleans of NumPy cannot be missing. A column without released values is missing
  throughout, and stored as floats or objects. Integers with some unreleased, and therefore missing,
  values are stored as ``Int64``.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.arrays import Floats
from sdv_threea.domain import MISSING, SPREAD, Category, Column, Domain, Number
from sdv_threea.storage.metadata import ColumnMetadata

FLOAT, OBJECT = np.dtype('float64'), np.dtype('object')

#: Cells of the proxy: a text that can be read as a date and as a number; and a number of seven
#: digits, or of one digit if seven do not fit. For columns of unknown kind, SDV generates numbers
#: with as many digits as the proxy has.
TEXT, LONG, SHORT = '2000', 1_000_000, 1


#: Dates are counted in seconds from this moment.
ORIGIN = np.datetime64('2000-01-01', 'us')

#: The dates that Python can hold, and those that fit into nanoseconds.
YEARS = np.datetime64('0001-01-01', 'us'), np.datetime64('9999-12-31T23:59:59.999999', 'us')

YEARS_OF_NANOSECONDS = np.datetime64('1678-01-01', 'us'), np.datetime64('2262-01-01', 'us')


def declare(dtype: Any) -> Any:
    """Return the dtype of a private column without its categories.

    Formal guarantees:
        * the answer is a function of the dtype; of a categorical one, only of its order
    """
    return pd.CategoricalDtype(ordered=dtype.ordered) if is_categorical(dtype) else dtype


def is_categorical(dtype: Any) -> bool:
    """Return whether a dtype is categorical."""
    return isinstance(dtype, pd.CategoricalDtype)


def choose_dtypes(
    columns: Mapping[str, ColumnMetadata], declared: Mapping[str, Any], domain: Domain
) -> dict[str, Any]:
    """Return the dtypes of a synthetic table, in order; columns not ``declared`` are objects."""
    dtypes = {name: declared.get(name, OBJECT) for name in columns}
    return dtypes | {each.name: choose_dtype(each, dtypes[each.name]) for each in domain.columns}


def choose_dtype(column: Column, declared: Any) -> Any:
    """Return the dtype of a synthetic column, by the rules of this module."""
    if not isinstance(column, Category):
        return declared
    values = list(column.values or ())  # noqa: PD011 (not pandas)
    stand_ins = [] if column.unreleased in (SPREAD, MISSING) else [column.unreleased]
    values += [each for each in stand_ins if each not in values]
    if is_categorical(declared):
        return pd.CategoricalDtype(values, declared.ordered)
    if not isinstance(declared, np.dtype):
        return declared
    if values and declared.kind in 'iu':
        if not all(isinstance(each, int) for each in stand_ins):
            return OBJECT
        return pd.Int64Dtype() if column.nullable else declared
    if values:
        return declared
    return {'b': OBJECT, 'i': FLOAT, 'u': FLOAT}.get(declared.kind, declared)


def find_zone(dtype: Any) -> Any:
    """Return the time zone of a dtype of dates; ``None`` for any other dtype."""
    return getattr(getattr(dtype, 'pyarrow_dtype', dtype), 'tz', None)


def make_proxy(dtypes: Mapping[str, Any]) -> pd.DataFrame:
    """Make the table that SDV is fitted on: three equal rows that show only the dtypes.

    Formal guarantees:
        * the proxy is a function of its argument, which is public or released
    """
    return pd.DataFrame(
        {name: pd.Series([_placeholder(each)] * 3).astype(each) for name, each in dtypes.items()}
    )


def _placeholder(dtype: Any) -> Any:
    if isinstance(dtype, pd.IntervalDtype):
        low, high = pd.Series([0, 1]).astype(dtype.subtype)
        return pd.Interval(low, high, dtype.closed)
    dtype = getattr(dtype, 'subtype', dtype)  # the dtype of the cells of a sparse column
    if pd.api.types.is_bool_dtype(dtype):
        return True
    if not pd.api.types.is_numeric_dtype(dtype):
        return TEXT
    if dtype.kind == 'O':
        return Decimal(SHORT)
    return LONG if dtype.itemsize > np.dtype('int16').itemsize else SHORT


def decode(
    sampled: pd.DataFrame,
    columns: Mapping[str, Mapping[str, Any]],
    dtypes: Mapping[str, Any],
    domain: Domain,
) -> pd.DataFrame:
    """Turn sampled rows into the user's values, the inverse of ``read_table``; SDV sets dtypes."""
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
    """Clip numbers (NaN: missing) to the range of a dtype, which a released range may exceed.

    Objects become Python's integers if the granularity ``step`` is whole.
    """
    dtype = getattr(dtype, 'numpy_dtype', dtype)
    if isinstance(dtype, np.dtype) and dtype.kind in 'iu':
        limits = np.iinfo(dtype)
        # No float equals the largest 64-bit integer: use the next smaller float.
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
    """Return texts of dates, with four digits for years below 1000, which reading needs."""
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
