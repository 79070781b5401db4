"""One cell, read as a canonical scalar: a plain, immutable object.

Cells that mean the same have the same canonical scalar:

==================================================  ==============================================
a cell                                              its scalar
==================================================  ==============================================
``None``, NaN, ``NA``, ``NaT``                      ``None``
booleans of Python and NumPy                        ``bool``
whole numbers below 2^63, whatever their type       ``int``
other numbers                                       ``float``; single floats as the decimal that
                                                    they are printed as; whole numbers that no
                                                    float holds as ``int``, those beyond all
                                                    floats as infinite
text, times of day, UUIDs                           ``str``
dates and times of Python, NumPy and pandas         ``pd.Timestamp`` in whole nanoseconds, in UTC
                                                    if they have a time zone
lengths of time                                     ``pd.Timedelta`` in whole nanoseconds
intervals                                           ``pd.Interval`` of canonical ends
tuples                                              ``tuple`` of canonical scalars
==================================================  ==============================================

An instance of a subclass is read as an instance of its base class. Any other cell has no scalar.
"""

import datetime
import math
from collections.abc import Callable, Hashable
from contextlib import suppress
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd

#: From this size on, whole numbers become floats if a float equals them.
LONG = 2**63

#: A decimal with more digits before the point exceeds any float.
MOST_DIGITS = 310

#: The first readable day, and the day after the last, as ordinals: the full years that pandas can
#: store in nanoseconds.
FIRST_DAY = datetime.date(1678, 1, 1).toordinal()
LAST_DAY = datetime.date(2262, 1, 1).toordinal()

#: The same for dates that are counted in microseconds: the years of Python's dates.
FIRST_YEAR, AFTER_YEARS = 1, datetime.date.max.toordinal() + 1

#: The first day of 1900, which Python combines with a time of day without a date.
YEAR_1900 = datetime.date(1900, 1, 1).toordinal()

#: The day from which nanoseconds are counted, as an ordinal.
EPOCH = datetime.date(1970, 1, 1).toordinal()

#: Units of time in nanoseconds.
DAY, SECOND, MICROSECOND = 86_400 * 10**9, 10**9, 10**3

DEEPEST = 16

NUMPY_TYPES = frozenset(np.sctypeDict.values())

UNKNOWN_TYPE = 'The cell is of a type that is not read.'

NO_DATE = 'The cell is no date.'

FAR_TIME = 'The time is outside the range of 64-bit nanoseconds.'

#: A canonical scalar; ``None`` is a missing value.
Scalar = Hashable


class NoScalarError(ValueError):
    """A cell has no canonical scalar."""


def read_scalar(cell: object) -> Scalar:
    """Return the canonical scalar of a cell, ``None`` if missing.

    Formal guarantees:
        * the scalar is a function of the cell alone
        * it is a new or an immutable plain object, without any attribute of a subclass
        * equal numbers give the same scalar, bit for bit; there is no negative zero
        * no method that the cell's class or metaclass overrides is run, except those of its time
          zone

    Raises:
        NoScalarError: If the type is unknown, a date is outside the years 1678 to 2261, or tuples
        are nested too deeply. The message shows no value.
    """
    for base in _list_bases(type(cell)):
        if id(base) in _READERS:
            return _READERS[id(base)](cell)
    raise NoScalarError(UNKNOWN_TYPE)


def spell(value: Scalar) -> str:
    """Return a text that no other canonical scalar has; ``True`` and ``1`` differ."""
    return f'{type(value).__name__} {value!r}'


def read_moment(cell: object) -> int | None:
    """Return a date from year 1 to 9999 in microseconds since 1970 in UTC, ``None`` if missing.

    A time of day without a zone belongs to the first day of 1900, as in texts of a format without a
    date.

    Raises:
        NoScalarError: If the cell is not a date.
    """
    for base in _list_bases(type(cell)):
        if id(base) in _MOMENTS:
            return _MOMENTS[id(base)](cell)
    if read_scalar(cell) is not None:
        raise NoScalarError(NO_DATE)
    return None


def _count_date(cell: Any) -> int:
    return _count_days(cell) * DAY // MICROSECOND


def _count_datetime(cell: Any) -> int:
    fields = datetime.datetime
    try:
        offset = fields.utcoffset(cell)
    except Exception:  # the user's time zone fails
        raise NoScalarError(NO_DATE) from None
    clock = _count_clock(cell, fields)
    length = 0 if offset is None else _count_length(offset) // MICROSECOND
    return check_moment(_count_date(cell) + clock - length)


def _count_time(cell: Any) -> int:
    fields = datetime.time
    if fields.tzinfo.__get__(cell) is not None:
        raise NoScalarError(NO_DATE)
    return (YEAR_1900 - EPOCH) * DAY // MICROSECOND + _count_clock(cell, fields)


def _count_clock(cell: Any, fields: Any) -> int:
    hour, minute = fields.hour.__get__(cell), fields.minute.__get__(cell)
    second, micro = fields.second.__get__(cell), fields.microsecond.__get__(cell)
    return int((3600 * hour + 60 * minute + second) * SECOND // MICROSECOND + micro)


def _count_numpy(cell: Any) -> int | None:
    if cell.dtype.kind != 'M':
        if read_scalar(cell) is not None:
            raise NoScalarError(NO_DATE)
        return None
    if np.isnat(cell):
        return None
    # Days first: microseconds beyond 64 bits would wrap around.
    if not FIRST_YEAR <= int(cell.astype('datetime64[D]').astype(np.int64)) + EPOCH < AFTER_YEARS:
        raise NoScalarError(NO_DATE)
    return int(cell.astype('datetime64[us]').astype(np.int64))


def check_moment(micros: int) -> int:
    """Return the microseconds since 1970, if they are in the years 1 to 9999."""
    if not FIRST_YEAR <= micros * MICROSECOND // DAY + EPOCH < AFTER_YEARS:
        raise NoScalarError(NO_DATE)
    return micros


def _read_missing(_: object) -> None:
    return None


def _read_integer(cell: Any) -> int | float:
    whole = int.__int__(cell)
    if -LONG < whole < LONG:
        return whole
    try:
        near = float(whole)
    except OverflowError:
        return math.inf if whole > 0 else -math.inf
    return near if near == whole else whole


def _read_float(cell: Any) -> int | float | None:
    number = float.__float__(cell)
    if math.isnan(number):
        return None
    return int(number) if number.is_integer() and -LONG < number < LONG else number


def _read_text(cell: Any) -> str:
    return str.__str__(cell)


def _read_time(cell: Any) -> str:
    _refuse_subclass(cell, datetime.time)
    with suppress(Exception):  # of a time zone
        return str(cell)
    raise NoScalarError(UNKNOWN_TYPE)


def _read_uuid(cell: Any) -> str:
    _refuse_subclass(cell, UUID)
    return str(cell)


def _read_decimal(cell: Any) -> int | float | None:
    number = Decimal(cell)
    if number.is_nan():
        return None
    if number.is_infinite() or (number and number.adjusted() > MOST_DIGITS):
        return -math.inf if number.is_signed() else math.inf
    if number == number.to_integral_value():
        return _read_integer(int(number))
    return _read_float(float(number))


def _read_numpy(cell: Any) -> Scalar:
    """Return a NumPy scalar by its kind; a single-precision float as its printed decimal."""
    _refuse_subclass(cell, *NUMPY_TYPES)
    match cell.dtype.kind:
        case 'b':
            return bool(cell)
        case 'i' | 'u':
            return _read_integer(int(cell))
        case 'f' if cell.dtype == np.float32:
            return _read_float(float(str(np.float32(cell))))
        case 'f':
            return _read_float(float(cell))
        case 'M' | 'm':
            return _read_numpy_time(np.asarray(cell))
    raise NoScalarError(UNKNOWN_TYPE)


def _read_numpy_time(cell: Any, *, zoned: bool = False) -> pd.Timestamp | pd.Timedelta | None:
    if np.isnat(cell):
        return None
    kind = cell.dtype.kind
    fine = np.array('NaT', f'{kind}8[ns]')
    with suppress(OverflowError):  # NumPy 2.5 and later
        fine = cell.astype(fine.dtype)
    # In older NumPy, nanoseconds beyond 64 bits wrap around, and do not give the same time back.
    if fine.astype(cell.dtype) != cell or np.isnat(fine):
        raise NoScalarError(FAR_TIME)
    whole = int(fine.astype(np.int64))
    return _make_timestamp(whole, zoned=zoned) if kind == 'M' else pd.Timedelta(whole, 'ns')


def _read_date(cell: Any) -> pd.Timestamp:
    return _make_timestamp(_count_days(cell) * DAY, zoned=False)


def _read_datetime(cell: Any) -> pd.Timestamp:
    """Read a datetime by the fields of its base class, because a subclass may override them."""
    fields = datetime.datetime
    whole = _count_days(cell) * DAY + _count_clock(cell, fields) * MICROSECOND
    try:
        offset = fields.utcoffset(cell)
    except Exception:
        whole = -(2**63)  # the user's time zone fails: this count is outside all years, so refused
    else:
        whole -= 0 if offset is None else _count_length(offset)
    return _make_timestamp(whole, zoned=fields.tzinfo.__get__(cell) is not None)


def _read_timestamp(cell: Any) -> Any:
    """Read the UTC count that pandas stores, because years beyond 9999 have no readable fields."""
    zoned = datetime.datetime.tzinfo.__get__(cell) is not None
    return _read_numpy_time(np.asarray(pd.Timestamp.to_datetime64(cell)), zoned=zoned)


def _count_days(cell: Any) -> int:
    return int(datetime.date.toordinal(cell)) - EPOCH


def _make_timestamp(whole: int, *, zoned: bool) -> pd.Timestamp:
    if not FIRST_DAY <= whole // DAY + EPOCH < LAST_DAY:
        raise NoScalarError('The date is outside the years 1678 to 2261.')
    return pd.Timestamp(whole, unit='ns', tz='UTC' if zoned else None)


def _read_length(cell: Any) -> pd.Timedelta:
    whole = _count_length(cell)
    if not -(2**63) < whole < 2**63:
        raise NoScalarError('The time is outside the range of 64-bit nanoseconds.')
    return pd.Timedelta(whole, 'ns')


def _count_length(cell: Any) -> int:
    fields = datetime.timedelta
    days, seconds = fields.days.__get__(cell), fields.seconds.__get__(cell)
    micro = fields.microseconds.__get__(cell)
    return int((days * 86_400 + seconds) * SECOND + micro * MICROSECOND)


def _read_timedelta(cell: Any) -> Any:
    return _read_numpy_time(np.asarray(pd.Timedelta.to_timedelta64(cell)))


def _read_interval(cell: Any) -> pd.Interval:
    _refuse_subclass(cell, pd.Interval)
    ends = read_scalar(cell.left), read_scalar(cell.right)
    try:
        return pd.Interval(*ends, closed=str(cell.closed))
    except (TypeError, ValueError):
        pass
    raise NoScalarError('The ends of the interval are not read.')


def _read_tuple(cell: Any, depth: int = 1) -> tuple[Scalar, ...]:
    if depth > DEEPEST:
        raise NoScalarError('The tuples are nested too deeply.')
    return tuple(
        _read_tuple(part, depth + 1) if issubclass(type(part), tuple) else read_scalar(part)
        for part in tuple.__iter__(cell)
    )


def _refuse_subclass(cell: object, *types: type) -> None:
    """Refuse a subclass of a type that cannot be read without running its code."""
    if not any(type(cell) is each for each in types):
        raise NoScalarError(UNKNOWN_TYPE)


#: Returns a class and its base classes, in the order of attribute lookup. The function is taken
#: from ``type``, because a metaclass may override it.
_list_bases: Callable[[type], tuple[type, ...]] = type.__dict__['__mro__'].__get__

#: Functions that count microseconds, by type as in :data:`_READERS`.
_MOMENTS: dict[int, Callable[[Any], int | None]] = {
    id(np.generic): _count_numpy,
    id(pd.Timestamp): lambda cell: _count_numpy(np.asarray(pd.Timestamp.to_datetime64(cell))),
    id(datetime.datetime): _count_datetime,
    id(datetime.date): _count_date,
    id(datetime.time): _count_time,
    id(type(pd.NaT)): _read_missing,
}

#: Functions that read instances of a type and of its subclasses, by the identity of the type.
_READERS: dict[int, Callable[[Any], Scalar]] = {
    id(kind): reader
    for kind, reader in (
        (type(None), _read_missing),
        (type(pd.NA), _read_missing),
        (type(pd.NaT), _read_missing),
        (bool, bool),
        (int, _read_integer),
        (float, _read_float),
        (str, _read_text),
        (Decimal, _read_decimal),
        (np.generic, _read_numpy),
        (pd.Timestamp, _read_timestamp),
        (datetime.datetime, _read_datetime),
        (datetime.date, _read_date),
        (datetime.time, _read_time),
        (pd.Timedelta, _read_timedelta),
        (datetime.timedelta, _read_length),
        (UUID, _read_uuid),
        (pd.Interval, _read_interval),
        (tuple, _read_tuple),
    )
}
