"""One cell as one canonical scalar, whatever its type."""

import datetime
import enum
import math
import pickle
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from sdv_threea.rows.intake.scalars import NoScalarError, read_moment, read_scalar, spell

HOUR = datetime.timedelta(hours=1)
NOON = pd.Timestamp('2020-01-01 12:00')


class Text(str):
    """A text that has a secret attribute, and gives wrong answers about itself."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.secret = 'secret'
        return self

    def __str__(self):
        return 'secret'

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class Whole(int):
    def __int__(self):
        return 777


class Real(float):
    def __float__(self):
        return 777.0


class Exact(Decimal):
    secret = 'secret'


class Moment(datetime.datetime):
    @property
    def year(self):
        return 1999

    def utcoffset(self):
        return HOUR


class Color(enum.StrEnum):
    RED = 'red'


class Size(enum.IntEnum):
    SMALL = 1


class Pair(tuple):
    def __iter__(self):
        yield 'secret'


class BrokenZone(datetime.tzinfo):
    def utcoffset(self, moment):
        raise ValueError('secret')


@pytest.mark.parametrize(
    ('cell', 'scalar'),
    [
        (None, None), (math.nan, None), (pd.NA, None), (pd.NaT, None), (np.float32('nan'), None),
        (np.datetime64('NaT'), None), (np.timedelta64('NaT'), None), (Decimal('NaN'), None),
        (Decimal('sNaN'), None), (Real('nan'), None),
        (True, True), (np.bool_(False), False),
        (1, 1), (1.0, 1), (np.int8(1), 1), (np.float16(1), 1), (Decimal('1.00'), 1),
        (Size.SMALL, 1), (Whole(1), 1), (Real(1), 1), (-0.0, 0), (np.uint64(2**64 - 1), 2**64 - 1),
        (2**53 + 1, 2**53 + 1), (Decimal(2**70 + 1), 2**70 + 1), (2**64, 2.0**64),
        (1e300, 1e300), (0.5, 0.5), (np.float64(0.1), 0.1), (np.float32(0.1), 0.1),
        (Decimal('0.1'), 0.1), (Exact('0.5'), 0.5), (Real(2.5), 2.5), (np.longdouble(1.5), 1.5),
        (math.inf, math.inf), (10**400, math.inf), (-(10**400), -math.inf),
        (Decimal('1e999999'), math.inf), (Decimal('-Infinity'), -math.inf),
        ('a\0b', 'a\0b'), (np.str_('a'), 'a'), (Text('a'), 'a'), (Color.RED, 'red'),
        (datetime.time(9, 30), '09:30:00'), (UUID(int=1), '00000000-0000-0000-0000-000000000001'),
        (datetime.date(2020, 1, 1), pd.Timestamp('2020-01-01')),
        (datetime.datetime(2020, 1, 1, 12), NOON), (np.datetime64('2020-01-01T12'), NOON),
        (NOON.as_unit('s'), NOON), (NOON + pd.Timedelta(1), NOON + pd.Timedelta(1)),
        (Moment(2020, 1, 1, 12), NOON),
        (NOON.tz_localize('Asia/Tokyo'), NOON.tz_localize('Asia/Tokyo')),
        (HOUR, pd.Timedelta(HOUR)), (np.timedelta64(1, 'h'), pd.Timedelta(HOUR)),
        (pd.Interval(0.0, 1.5), pd.Interval(0, 1.5)), ((1.0, None, 'a'), (1, None, 'a')),
        (Pair((1, 2)), (1, 2)),
    ],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_a_cell_becomes_a_plain_scalar_that_is_spelled_in_one_way(cell, scalar):
    read = read_scalar(cell)

    assert spell(read) == spell(scalar) or read == scalar
    plain = {type(None), bool, int, float, str, tuple, pd.Timestamp, pd.Timedelta, pd.Interval}
    assert type(read) in plain
    assert spell(read_scalar(read)) == spell(read)
    assert b'secret' not in pickle.dumps(read)


def test_equal_numbers_are_one_value_and_a_boolean_is_no_number():
    for cells in (
        [1, 1.0, np.int64(1), np.float32(1), Decimal(1), Size.SMALL],
        [2.0**63, 2**63, np.uint64(2**63), Decimal(2**63)],
        [0.1, np.float32(0.1), Decimal('0.1')],
    ):
        assert len({spell(read_scalar(cell)) for cell in cells}) == 1
    assert len({spell(read_scalar(cell)) for cell in (True, 1, '1', 'True', (1,), (True,))}) == 6


@pytest.mark.parametrize(
    'cell',
    [
        [1], {1}, {'a': 1}, b'secret', 1j, object(), np.array([1]), pd.Period('2020'), float, len,
        np.complex64(1), np.bytes_(b'secret'), ('a', ['secret']), frozenset({'secret'}),
        datetime.date(1677, 1, 1), datetime.date(2262, 1, 1), np.datetime64('3000-01-01'),
        np.datetime64(2**62, 'Y'), np.timedelta64(2**62, 'D'), datetime.timedelta(days=999_999),
        pd.Timestamp.max, datetime.datetime(2020, 1, 1, tzinfo=BrokenZone()),
        type('Odd', (np.float64,), {'dtype': property(lambda self: 1 / 0)})(1.0),
    ],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_anything_else_is_no_scalar_and_the_error_shows_nothing_of_it(cell):
    with pytest.raises(NoScalarError) as caught:
        read_scalar(cell)

    assert 'secret' not in str(caught.value)
    assert caught.value.__context__ is None


def test_dates_count_in_microseconds_and_those_with_a_zone_in_utc():
    assert read_moment(datetime.date(1970, 1, 2)) == 86_400 * 10**6
    assert read_moment(pd.Timestamp(1, unit='us', tz='Asia/Tokyo')) == 1
    assert read_moment(None) is None
    zoned = datetime.datetime(1970, 1, 1, 1, tzinfo=datetime.timezone(HOUR))
    assert read_moment(zoned) == 0
    with pytest.raises(NoScalarError):
        read_moment('2020-01-01')


def test_a_time_is_another_value_with_a_zone_than_without():
    assert spell(read_scalar(NOON)) != spell(read_scalar(NOON.tz_localize('UTC')))


def test_the_two_sides_of_a_clock_change_are_two_values():
    sides = [
        datetime.datetime(2020, 10, 25, 2, 30, tzinfo=ZoneInfo('Europe/Berlin'), fold=fold)
        for fold in (0, 1)
    ]

    assert sides[0] == sides[1]
    assert read_moment(sides[1]) - read_moment(sides[0]) == 3600 * 10**6
