"""Columns of every type that a metadata can name, in every storage, with values of all extremes.

A column is drawn as a small pool of values by hypothesis, which knows where the corners are, and
spread over the rows by a generator: so tables have repeated values, gaps, outliers and ordinary
numbers, and are made fast.
"""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

#: What must never be shown: it is put into every column of text.
CANARY = 'canary-731733'

#: What metadata may say about dates.
FORMATS = ('%Y-%m-%d', '%d/%m/%Y', '%Y%m%d', '%d %b %Y %H:%M', '%Y-%m-%dT%H:%M:%S')

#: Texts of any script, with signs of every kind; those that a metadata must not hold are left out.
TEXTS = st.text(max_size=6) | st.sampled_from(
    [
        '', ' ', 'nan', 'None', 'NULL', '0', 'True', 'å∫ç', '数据', 'بيانات', '👩‍👩‍👧', '\x00',
        'a\nb', '"', "'",
    ]
)  # fmt: skip

FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 5e-324, 1.7976931348623157e308, -1e308, 1e200, 2.0**53 + 2, 0.1 + 0.2, 1e-12]
)

SCALARS = st.one_of(TEXTS, st.integers(-(2**70), 2**70), st.booleans(), FLOATS)

INTEGER_DTYPES = [f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)]


class Color(enum.StrEnum):
    """Equal to a text, and another value."""

    RED = 'red'


class Size(enum.IntEnum):
    """Equal to a number, and another value."""

    ONE = 1


#: Values that are equal to others, or that pandas likes to make something else of.
OBJECTS = [
    datetime.date(2020, 2, 29), datetime.datetime(2020, 2, 29), Decimal('1.0'), Color.RED, Size.ONE,
    1, 1.0, True, 'red', pd.Timestamp('2020-02-29'), pd.Timedelta(days=1), np.int64(1),
    np.str_('red'),
]  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column of a private table.

    Args:
        about: What the metadata says.
        cells: The column.
        faulty: Whether it may be refused, as it is not what the metadata says.
    """

    about: dict[str, Any]
    cells: pd.Series
    faulty: bool = False


def spread(draw: st.DrawFn, pool: list[Any], num_rows: int) -> list[Any]:
    """Spread some values over the rows: evenly, or all but a few rows the first of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rare = draw(st.sampled_from([0.02, 0.3, 1.0]))
    places = np.where(rng.random(num_rows) < rare, rng.integers(0, len(pool), num_rows), 0)
    return [pool[place] for place in places]


def with_gaps(draw: st.DrawFn, cells: pd.Series) -> pd.Series:
    """Take some values out, or none, or all, of a column that can be missing."""
    share = draw(st.sampled_from([0.0, 0.0, 0.1, 1.0]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return cells.mask(rng.random(len(cells)) < share) if share else cells


@st.composite
def numbers(draw: st.DrawFn, num_rows: int) -> Column:
    """Numbers of ordinary size with adversarial ones among them, in every storage."""
    about = {'sdtype': 'numerical'}
    kind = draw(st.sampled_from(['float', 'integer', 'ordinary', 'object']))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    if kind == 'ordinary':
        scale, places = draw(st.sampled_from([(1.0, 9), (1e-9, 15), (1e6, 2), (1e15, 0)]))
        values = (rng.standard_normal(num_rows) * scale).round(places)
        for at, value in enumerate(draw(st.lists(FLOATS, max_size=2))):
            values[at % num_rows] = value
        return Column(about, with_gaps(draw, pd.Series(values)))
    if kind == 'integer':
        dtype = draw(st.sampled_from(INTEGER_DTYPES))
        limits = np.iinfo(dtype)
        pool = draw(st.lists(st.integers(limits.min, limits.max), min_size=1, max_size=5))
        cells = pd.Series(np.array(spread(draw, pool, num_rows), dtype=dtype))
        if draw(st.booleans()):
            return Column(about, cells)
        return Column(
            about, with_gaps(draw, cells.astype(dtype.replace('i', 'I').replace('u', 'U')))
        )
    if kind == 'float':
        dtype = draw(st.sampled_from(['float16', 'float32', 'float64', 'Float32', 'Float64']))
        width = int(dtype[-2:])
        one = st.floats(allow_nan=False, allow_infinity=False, width=width)
        pool = draw(st.lists(one, min_size=1, max_size=5))
        cells = pd.Series(spread(draw, pool, num_rows), dtype=dtype)
        return Column(about, with_gaps(draw, cells))
    one = st.integers(-(2**60), 2**60) | FLOATS | st.just(Decimal('1.25'))
    pool = draw(st.lists(one, min_size=1, max_size=4))
    return Column(about, with_gaps(draw, pd.Series(spread(draw, pool, num_rows), dtype=object)))


@st.composite
def dates(draw: st.DrawFn, num_rows: int) -> Column:
    """Dates of all centuries that pandas can hold, as dates, texts and numbers."""
    about: dict[str, Any] = {'sdtype': 'datetime'}
    first, last = datetime.datetime(1678, 1, 1), datetime.datetime(2261, 12, 31)
    pool = draw(st.lists(st.datetimes(first, last), min_size=1, max_size=5))
    if draw(st.booleans()):
        pool += [datetime.datetime(2020, 1, 1) + datetime.timedelta(days=n) for n in range(40)]
    moments = pd.Series(spread(draw, pool, num_rows)).astype('datetime64[us]')
    kind = draw(st.sampled_from(['ns', 'us', 's', 'zone', 'text', 'number', 'iso', 'date']))
    if kind in ('ns', 'us', 's'):
        cells = moments.dt.floor('s').astype(f'datetime64[{kind}]')
    elif kind == 'zone':
        cells = moments.dt.tz_localize('UTC').dt.tz_convert('Asia/Tokyo')
    elif kind == 'text':
        about['datetime_format'] = draw(st.sampled_from(FORMATS))
        cells = moments.dt.strftime(about['datetime_format'])
    elif kind == 'number':
        about['datetime_format'] = '%Y%m%d'
        return Column(about, moments.dt.strftime('%Y%m%d').astype('int64'))
    else:
        cells = moments.dt.strftime('%Y-%m-%d') if kind == 'iso' else moments.dt.date
    return Column(about, with_gaps(draw, cells))


@st.composite
def categories(draw: st.DrawFn, num_rows: int) -> Column:
    """Values of any type, some equal but not the same, as objects, texts and categories."""
    one = st.one_of(SCALARS, st.tuples(st.integers(0, 2), TEXTS), st.sampled_from(OBJECTS))
    kind = draw(st.sampled_from(['object', 'string', 'category', 'integer', 'many']))
    ordinal = draw(st.booleans())
    about = {'sdtype': 'ordinal' if ordinal else 'categorical'}
    if kind == 'many':
        values = [f'{CANARY}-{row}' for row in range(num_rows)]
        return Column(about, pd.Series(values, dtype=object))
    if kind == 'integer':
        pool = draw(st.lists(st.integers(-9, 9), min_size=1, max_size=5))
        return Column(about, pd.Series(spread(draw, pool, num_rows)))
    values = draw(st.lists(TEXTS if kind != 'object' else one, min_size=1, max_size=6))
    cells = pd.Series(spread(draw, [*values, CANARY], num_rows), dtype=object)
    if kind == 'category':
        # pandas mixes up texts with NUL characters, so that such a category is refused.
        merged = any('\0' in value for value in values)
        return Column(about, with_gaps(draw, cells.astype('category')), faulty=merged)
    if kind == 'object' and draw(st.booleans()):
        alike = draw(st.lists(st.sampled_from(OBJECTS), min_size=1, max_size=3))
        cells = pd.Series(spread(draw, alike, num_rows), dtype=object)
    return Column(about, with_gaps(draw, cells if kind == 'object' else cells.astype('string')))


@st.composite
def flags(draw: st.DrawFn, num_rows: int) -> Column:
    """Booleans in every storage."""
    pool = draw(st.lists(st.booleans(), min_size=1, max_size=3))
    cells = pd.Series(spread(draw, pool, num_rows), dtype=bool)
    dtype = draw(st.sampled_from(['bool', 'object', 'boolean']))
    about = {'sdtype': 'boolean'}
    return Column(about, cells if dtype == 'bool' else with_gaps(draw, cells.astype(dtype)))


@st.composite
def made_up(draw: st.DrawFn, num_rows: int) -> Column:
    """Columns that are never looked at, whatever is in them."""
    about = draw(
        st.sampled_from(
            [
                {'sdtype': 'id'},
                {'sdtype': 'id', 'regex_format': '[A-Z]{3}-[0-9]{2}'},
                {'sdtype': 'email', 'pii': True},
                {'sdtype': 'country_code', 'pii': True},
                {'sdtype': 'unknown', 'pii': True},
            ]
        )
    )
    values = draw(st.lists(SCALARS, min_size=1, max_size=3))
    return Column(about, pd.Series(spread(draw, [*values, CANARY], num_rows), dtype=object))


@st.composite
def wrong(draw: st.DrawFn, num_rows: int) -> Column:
    """Columns that are not what the metadata says, or hold what no column can."""
    sdtype = draw(st.sampled_from(['numerical', 'datetime', 'categorical', 'boolean', 'ordinal']))
    odd = st.sampled_from(
        [np.inf, -np.inf, 1j, [1], {'a': 1}, {1}, object(), 10**400, Decimal('NaN'),
         Decimal('Infinity'), CANARY, b'\xff', Fraction(1, 3), frozenset({1}), np.array([1, 2]),
         pd.NaT, pd.Timestamp.max, pd.Timedelta('1D'), float, '31/02/2020', True, -1, '\ud800',
         pd.Interval(0, 1)]
    )  # fmt: skip
    pool = draw(st.lists(odd, min_size=1, max_size=3))
    cells = pd.Series(spread(draw, pool, num_rows), dtype=object)
    about = {'sdtype': sdtype}
    if draw(st.booleans()):
        return Column(about, _odd_storage(draw, num_rows), faulty=True)
    if sdtype == 'datetime' and draw(st.booleans()):
        about['datetime_format'] = draw(st.sampled_from([*FORMATS, '%Q', 'never', '']))
    return Column(about, cells, faulty=True)


def _odd_storage(draw: st.DrawFn, num_rows: int) -> pd.Series:
    dtype = draw(st.sampled_from(['timedelta64[ns]', 'complex128', 'Sparse[float]', 'period']))
    if dtype == 'period':
        return pd.Series(pd.period_range('2020', periods=num_rows))
    return pd.Series(range(num_rows)).astype(dtype)


GOOD: tuple[Callable[[int], st.SearchStrategy[Column]], ...] = (
    numbers, numbers, dates, categories, flags, made_up,
)  # fmt: skip


def columns(num_rows: int) -> st.SearchStrategy[Column]:
    """Columns that are what the metadata says."""
    return st.one_of([kind(num_rows) for kind in GOOD])
