"""Cells that pandas, NumPy, Arrow and Python take for each other, infer from, or stumble over."""

from __future__ import annotations

import datetime
import enum
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import dateutil.tz
import numpy as np
import pandas as pd
import pyarrow as pa
import pytz
from hypothesis import strategies as st


class Text(str):
    """Equal to every text, and printed as another one."""

    def __eq__(self, other: object) -> bool:
        return True

    def __str__(self) -> str:
        return 'lie'

    __hash__ = str.__hash__


class Whole(int):
    """A number that is printed as another one."""

    def __int__(self) -> int:
        return 777

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Real(float):
    """A number that is another one when it is asked."""

    def __float__(self) -> float:
        return 777.0

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Day(datetime.datetime):
    """A date that tells another year."""

    year = 1999

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Size(enum.IntEnum):
    """Equal to a number."""

    ONE = 1


class Kind(type):
    """The type of a type that claims to be ``str``."""

    __mro__ = (str,)

    def __hash__(cls) -> int:
        return hash(str)

    def __eq__(cls, other: object) -> bool:
        return True


class Posing(metaclass=Kind):
    """A cell that claims to be a text, and equal to all of them."""

    def __hash__(self) -> int:
        return hash('flu')

    def __eq__(self, other: object) -> bool:
        return True


class FailingZone(datetime.tzinfo):
    """A time zone that tells the date in an error."""

    def utcoffset(self, moment: datetime.datetime | None) -> datetime.timedelta:
        raise ValueError('secret')


def make_float(bits: int) -> float:
    """Make the float of some bits."""
    return struct.unpack('<d', struct.pack('<Q', bits))[0]


BERLIN, MIDNIGHT = ZoneInfo('Europe/Berlin'), datetime.datetime(2020, 10, 25, 2, 30)
DEEP = reduce(lambda inner, _: (inner,), range(300), ())

MISSING = [
    None, float('nan'), make_float(0x7FF8000000000001), make_float(0xFFF0000000000123), pd.NA,
    pd.NaT, np.float32('nan'), np.float16('nan'), Decimal('NaN'), Decimal('sNaN'), Real('nan'),
    np.datetime64('NaT'), np.timedelta64('NaT', 's'),
]  # fmt: skip
NUMBERS = [
    0, -0.0, 0.0, Decimal('-0'), Decimal('0E+9999'), 1, 1.0, Whole(1), Real(1), Size.ONE,
    np.int8(1), np.float16(0.1), np.float32(0.1), 0.1, Decimal('0.1'), Decimal('1e-400'), 5e-324,
    2**53, 2**53 + 1, float(2**53), Decimal(2**53 + 1), 2**63, np.uint64(2**63), 2**64 + 1, 1e22,
    10**22, 1e308, -1e308, 1e200, 10**400, -(10**400), Decimal('1e99999'), float('inf'),
    -float('inf'), np.longdouble('1e4000'), np.float32(123456789), 123456789, 20200105, 20200105.0,
    np.nextafter(1.0, 2.0), Fraction(1, 3), 1 + 0j,
]  # fmt: skip
TEXTS = [
    '', ' ', 'flu', 'flu\0', 'flu\0 John Smith', 'flu ', 'Flu', 'ﬂu', 'flu\u200b', '\ud800',
    '\udcff', 'é', 'e\u0301', 'Å', '\u212b', 'ı', 'nan', 'NaN', 'None', 'NaT', '<NA>', 'null',
    'True', 'true', '1', '1.0', '01', '1e5', '0x1', 'inf', '\x1b[31m', '\x7f', '\n', '\r\n',
    '\u2028',     Text('flu'), np.str_('flu'), 'a' * 300, "'", '"', '\\x00', 'str', '%s', '{}',
]  # fmt: skip
FLAGS = [True, False, np.bool_(True), np.bool_(False)]
DATE_TEXTS = [
    '2020-01-05', '2020-01-05 00:00:00', '05/01/2020', '01/05/2020', '13/01/2020', '01/13/2020',
    '20200105', '2020-01-05T10:00Z', '2020-01-05T10:00+02:00', '2020-01-05 10:00 CEST',
    '2020-01-05 10:00 XYZ', '2020-10-25 02:30 Europe/Berlin', 'Jan 5 2020', '5. Januar 2020',
    '2020', '2020-1', '20-1-5', '1.2.2020', '2020-02-30', '9999-12-31', '1500-01-01', '0001-01-01',
    '2020-01-05\0', '2020-01-05\ud800', '٢٠٢٠-٠١-٠٥', '2020-W01-1', '2020-005', '2020Q1', 'now',
    'today', '10:30', '2020-01-05 24:00', '2020-01-05 23:59:60', '2020-01-05 10:30:15.123456789',
    '1e400', '9' * 40, '-2020', '2020-01-05' * 9,
]  # fmt: skip
DATES = [
    datetime.date(2020, 1, 5), datetime.datetime(2020, 1, 5), Day(2020, 1, 5),
    pd.Timestamp('2020-01-05'), pd.Timestamp('2020-01-05').as_unit('s'),
    pd.Timestamp('2020-01-05') + pd.Timedelta(1), np.datetime64('2020-01-05'),
    np.datetime64('2020-01-05', 'ns'), np.datetime64('2020', 'Y'), np.datetime64(2**62, 'Y'),
    np.datetime64('9999-12-31', 's'), pd.Timestamp('9999-12-31').as_unit('s'), pd.Timestamp.max,
    datetime.datetime.min, datetime.datetime.max, datetime.date.max,
    pd.Timestamp('2020-01-05', tz='UTC'), pd.Timestamp('2020-01-05', tz='Asia/Tokyo'),
    pd.Timestamp('1880-01-05', tz='Europe/Berlin'),
    datetime.datetime(2020, 1, 5, tzinfo=datetime.timezone(datetime.timedelta(hours=-23))),
    *(MIDNIGHT.replace(tzinfo=BERLIN, fold=fold) for fold in (0, 1)),
    *(MIDNIGHT.replace(tzinfo=dateutil.tz.gettz('Europe/Berlin'), fold=fold) for fold in (0, 1)),
    *(pytz.timezone('Europe/Berlin').localize(MIDNIGHT, is_dst=flag) for flag in (True, False)),
    *(pd.Timestamp(MIDNIGHT).tz_localize(BERLIN, ambiguous=flag) for flag in (True, False)),
    datetime.datetime.max.replace(tzinfo=BERLIN),
    datetime.datetime(2020, 1, 5, tzinfo=FailingZone()),
]  # fmt: skip
OTHERS = [
    datetime.time(10, 30), datetime.time(10, 30, tzinfo=FailingZone()), UUID(int=1),
    pd.Timedelta(1, 'D'), datetime.timedelta(days=1), np.timedelta64(1, 'D'),
    np.timedelta64(2**62, 'D'), np.timedelta64(5), datetime.timedelta.max,
    pd.Interval(0, 1), pd.Interval(0.0, 1.0), pd.Interval(0, 1, closed='left'),
    pd.Interval(pd.Timestamp('2020'), pd.Timestamp('2021')),
    pd.Period('2020'), pd.Period('2020-01'),
    (), (1,), (1.0,), (True,), ('1',), (None,), (float('nan'),), (1, (2, (3,))), DEEP, ([1],),
    [1], [1, 2], {'a': 1}, {1}, frozenset({1}), b'flu', bytearray(b'flu'), np.bytes_(b'flu'),
    np.array([1, 2]), np.array(1), pd.Series([1, 2]), object, len, ..., Posing(), 1j,
]  # fmt: skip

#: All of them together.
CELLS = [*MISSING, *NUMBERS, *TEXTS, *FLAGS, *DATE_TEXTS, *DATES, *OTHERS]

ZONES = st.sampled_from([None, datetime.UTC, BERLIN, dateutil.tz.gettz('America/New_York')])

DRAWN = st.one_of(
    st.text(max_size=8),
    st.text('0123456789-/.: TZ+JanW', max_size=20),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.floats(width=32).map(np.float32),
    st.decimals(allow_nan=True),
    st.datetimes(timezones=ZONES),
    st.dates(),
    st.timedeltas(),
    st.tuples(st.integers(0, 2), st.text(max_size=2)),
)


def pick(cells: list[Any]) -> st.SearchStrategy[Any]:
    """Draw one of some cells, which need not hash."""
    return st.integers(0, len(cells) - 1).map(cells.__getitem__)


#: Lists of cells of any kinds together.
MIXED = st.lists(pick(CELLS) | DRAWN, min_size=1, max_size=12)


#: Stores cells.
Make = Callable[[list[Any]], pd.Series]


def in_arrow(kind: Any) -> Make:
    """Store cells in a type of Arrow's."""
    return lambda cells: pd.Series(pd.array(cells, dtype=pd.ArrowDtype(kind)), name='x')


def in_dtype(dtype: Any) -> Make:
    """Store cells in a dtype."""
    return lambda cells: pd.Series(cells, dtype=dtype, name='x')


def sparse(dtype: str, fill: Any) -> Make:
    """Store cells that differ from one of them."""
    return lambda cells: pd.Series(
        pd.arrays.SparseArray(np.array(cells, dtype=dtype), fill_value=fill), name='x'
    )


def in_days(unit: str) -> Make:
    """Store dates in NumPy's counts of a unit."""
    return lambda cells: pd.Series(
        np.array([cell and cell.to_datetime64() for cell in cells], dtype=f'M8[{unit}]'), name='x'
    )


def in_zone(unit: str) -> Make:
    """Store dates, which are in UTC, in a zone whose clocks change."""
    return lambda cells: in_days(unit)(cells).dt.tz_localize('UTC').dt.tz_convert('Europe/Berlin')


WHOLE = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([0, 1, 2**53, 2**53 + 1, 20200105])
SMALL = st.integers(-128, 127)
REAL = st.floats(allow_nan=False) | st.sampled_from([-0.0, 0.0, 5e-324, 1e308])
SINGLE = st.floats(width=32, allow_nan=False).map(np.float32)
MOMENTS = st.datetimes(datetime.datetime(1678, 1, 1), datetime.datetime(2261, 12, 31)).map(
    lambda moment: pd.Timestamp(moment.replace(microsecond=0))
)
LENGTHS = st.integers(-(2**62), 2**62).map(lambda count: pd.Timedelta(count // 10**9, 's'))
SCRIPT = st.text(st.characters(exclude_categories=['Cs']), max_size=5) | pick(
    [each for each in TEXTS if type(each) is str and each.isprintable() or '\0' in each]
)
FIXED = st.decimals(-999, 999, places=2)

#: What holds cells of one kind: how they are drawn, what stores them and gaps, and what them alone.
STORAGES: dict[str, tuple[st.SearchStrategy[Any], list[Make], list[Make]]] = {
    'whole': (
        WHOLE,
        [
            in_dtype('Int64'), in_arrow(pa.int64()), in_arrow(pa.decimal128(19, 0)),
            in_arrow(pa.dictionary(pa.int8(), pa.int64())),
        ],
        [in_dtype('int64'), sparse('int64', 0)],
    ),
    'small': (
        SMALL,
        [
            in_dtype('Int8'), in_dtype('Int32'), in_arrow(pa.int8()), in_dtype('Float32'),
            in_dtype('float16'), in_dtype('float32'), in_dtype('float64'),
        ],
        [in_dtype('int8'), in_dtype('int16'), sparse('int8', 7)],
    ),
    'real': (
        REAL,
        [
            in_dtype('float64'), in_dtype('Float64'), in_dtype(np.longdouble),
            in_arrow(pa.float64()), sparse('float64', np.nan),
            in_arrow(pa.dictionary(pa.int8(), pa.float64())),
        ],
        [],
    ),
    'single': (
        SINGLE,
        [in_dtype('float32'), in_dtype('Float32'), in_arrow(pa.float32()), sparse('float32', 0)],
        [],
    ),
    'decimal': (FIXED, [in_arrow(pa.decimal128(9, 2)), in_arrow(pa.decimal256(50, 2))], []),
    'flag': (
        st.booleans(),
        [in_dtype('boolean'), in_arrow(pa.bool_())],
        [in_dtype('bool'), sparse('bool', False)],
    ),
    'text': (
        SCRIPT,
        [
            in_dtype('string[python]'), in_dtype('string[pyarrow]'), in_dtype(object),
            in_dtype(pd.StringDtype('pyarrow', na_value=np.nan)), in_arrow(pa.string()),
            in_arrow(pa.large_string()), in_arrow(pa.dictionary(pa.int32(), pa.string())),
        ],
        [],
    ),
    'moment': (
        MOMENTS,
        [
            *map(in_days, ('s', 'ms', 'us', 'ns')),
            *(in_arrow(pa.timestamp(unit)) for unit in ('s', 'ms', 'us', 'ns')),
        ],
        [],
    ),
    'zoned': (MOMENTS, [in_zone('s'), in_zone('ns')], []),
    'length': (
        LENGTHS,
        [in_dtype('timedelta64[s]'), in_dtype('timedelta64[ns]'), in_arrow(pa.duration('s'))],
        [],
    ),
}  # fmt: skip
