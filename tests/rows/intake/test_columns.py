"""Columns in every storage, read: numbers, dates, values, and tables of them."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdv_threea.rows.guard import UnreadableRowsError
from sdv_threea.rows.intake.cells import INVALID_PLACE
from sdv_threea.rows.intake.columns import (
    LARGEST_NUMBER,
    find_distinct,
    find_moments,
    find_numbers,
    make_table,
    read_categories,
    read_numbers,
    store,
)
from sdv_threea.rows.intake.dates import INVALID, MISSING, to_seconds
from sdv_threea.rows.intake.scalars import spell

DAY = 86_400.0


def objects(*values, name='odd'):
    cells = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        cells[at] = value
    return pd.Series(cells, name=name)


def arrow(values, kind):
    return pd.Series(pd.array(values, dtype=pd.ArrowDtype(kind)))


def list_cells(found):
    """Return the canonical scalars of a column as a list."""
    ends = {-1: None, INVALID_PLACE: 'invalid'}
    return [ends[code] if code < 0 else found.listed[code] for code in found.codes]


@pytest.mark.parametrize(
    'column',
    [
        pd.Series([1.5, np.nan, -3.0]),
        objects(1.5, None, -3),
        objects(1.5, pd.NA, np.float32(-3)),
        objects(Decimal('1.5'), pd.NaT, Decimal(-3)),
        pd.Series([1.5, pd.NA, -3], dtype='Float64'),
        pd.Series([1.5, np.nan, -3], dtype='float32'),
        pd.Series([1.5, np.nan, -3], dtype='float16'),
        pd.Series(np.array([1.5, np.nan, -3], dtype=np.longdouble)),
        pd.Series(pd.arrays.SparseArray([1.5, np.nan, -3])),
        arrow([1.5, None, -3], pa.float64()),
        arrow([Decimal('1.5'), None, Decimal(-3)], pa.decimal128(5, 2)),
        pd.Series([1.5, None, -3], dtype='category'),
    ],
    ids=lambda column: str(column.dtype),
)
def test_numbers_of_any_storage(column):
    numbers, is_missing = find_numbers(column)

    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, [1.5, np.nan, -3])
    assert is_missing.tolist() == [False, True, False]


def test_what_is_no_number_is_told_from_what_is_missing():
    column = objects('7', True, None, [7], 7, np.inf, 10**400)
    numbers, is_missing = find_numbers(column)

    np.testing.assert_array_equal(numbers, [np.nan] * 4 + [7, np.inf, np.inf])
    assert is_missing.tolist() == [False, False, True, False, False, False, False]
    with pytest.raises(UnreadableRowsError, match="'odd' is numerical") as caught:
        read_numbers(column)
    assert caught.value.__context__ is None


def test_numbers_are_finite_and_have_one_zero():
    numbers = read_numbers(pd.Series([-0.0, 0.0, np.inf, -np.inf, 1e308]))

    assert np.signbit(numbers).tolist() == [False, False, False, True, False]
    assert np.abs(numbers).tolist() == [0, 0] + [LARGEST_NUMBER] * 3


def test_single_floats_are_the_decimals_that_they_are_printed_as():
    rng = np.random.default_rng(0)
    sizes = rng.normal(size=20_000) * 10.0 ** rng.integers(-12, 12, 20_000)
    odd = [0.0, -0.0, np.nan, np.inf, -np.inf, 2.0**24, 2.0**24 - 1, 1e-4, 3e38, 1e-45, 0.1, 16.7]
    decimals = np.concatenate([sizes, sizes.round(3), sizes.round(), odd]).astype(np.float32)
    found = find_numbers(pd.Series(decimals))[0]

    np.testing.assert_array_equal(found, [float(str(each)) for each in decimals])
    alone = [find_numbers(pd.Series([each], dtype=np.float32))[0][0] for each in decimals[:200]]
    np.testing.assert_array_equal(alone, found[:200])
    for column in (pd.Series([0.1, None], dtype='Float32'), arrow([0.1, None], pa.float32())):
        np.testing.assert_array_equal(find_numbers(column)[0], [0.1, np.nan])


NUL = ['flu', 'flu\0 John Smith', 'flu\0', None, 'cold']


@pytest.mark.parametrize(
    'column',
    [
        objects(*NUL),
        pd.Series(NUL, dtype='string[python]'),
        pd.Series(NUL, dtype='string[pyarrow]'),
        arrow(NUL, pa.string()),
        arrow(NUL, pa.dictionary(pa.int32(), pa.string())),
        pd.Series(pd.Categorical.from_codes([0, 1, 2, -1, 3], objects(*NUL[:3], NUL[4]))),
        objects(*(np.str_(text) if text else None for text in NUL)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_text_is_no_other_text_though_it_is_to_a_c_string(column):
    assert list_cells(find_distinct(column)) == NUL
    stored = pd.Series(store(*find_distinct(column)))
    assert list_cells(find_distinct(stored)) == NUL


@pytest.mark.parametrize(
    'column',
    [
        pd.Series([7, 8]),
        pd.Series([7.0, 8.0]),
        pd.Series([7, 8], dtype='uint8'),
        pd.Series([7, 8], dtype='float32'),
        pd.Series([7, 8], dtype='Int8'),
        pd.Series([7, 8], dtype='category'),
        pd.Series([7, 8.0, 2.5], dtype='category').head(2),
        pd.Series(pd.arrays.SparseArray([7, 8])),
        arrow([7, 8], pa.int16()),
        arrow([Decimal(7), Decimal(8)], pa.decimal128(5, 2)),
        objects(np.int16(7), Decimal('8.0')),
        objects(7.0, 8),
    ],
    ids=lambda column: str(column.dtype),
)
def test_equal_numbers_are_one_category_in_any_storage(column):
    values = list_cells(find_distinct(column))

    assert [(type(value), value) for value in values] == [(int, 7), (int, 8)]


def test_values_that_python_takes_for_equal_are_told_apart():
    column = objects(True, 1, '1', 1.0, (1,), (True,), False, 0, -0.0)
    found = find_distinct(column)

    assert list(map(spell, list_cells(found))) == list(
        map(spell, [True, 1, '1', 1, (1,), (True,), False, 0, 0])
    )
    assert len(found.listed) == 7


def test_no_object_of_the_table_is_behind_a_category():
    class Text(str):
        pass

    named = Text('name')
    named.owner = 'secret'
    read = read_categories(objects(named, 'other'))

    assert [type(value) for value in read.listed] == [str, str]
    assert b'secret' not in pickle.dumps(read)


def test_what_is_no_scalar_is_told_from_what_is_missing():
    found = find_distinct(objects('a', ['secret'], None, b'x'))

    assert list_cells(found) == ['a', 'invalid', None, 'invalid']
    with pytest.raises(UnreadableRowsError, match="'odd' is categorical") as caught:
        read_categories(objects('a', ['secret']))
    assert 'secret' not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ('column', 'template'),
    [
        (objects('01/02/2000 00:00', None), '%d/%m/%Y %H:%M'),
        (objects('1.2.2000', None), '%-d.%-m.%Y'),
        (pd.Series([20000201, None]), '%Y%m%d'),
        (pd.Series([20000201, None], dtype='Int64'), '%Y%m%d'),
        (pd.Series([20000201]), '%Y%m%d'),
        (objects('2000-02-01', '2000-02-01 00:00:00'), None),
        (objects('2000-02-01T02:00+0200'), '%Y-%m-%dT%H:%M%z'),
        (pd.Series(['2000-02-01', None], dtype='category'), '%Y-%m-%d'),
        (pd.Series(pd.to_datetime(['2000-02-01', None])), None),
        (pd.Series(pd.to_datetime(['2000-02-01'])).astype('datetime64[s]'), None),
        (pd.Series(pd.to_datetime(['2000-02-01 09:00'])).dt.tz_localize('Asia/Tokyo'), None),
        (arrow([datetime.date(2000, 2, 1), None], pa.date32()), None),
        (arrow([datetime.datetime(2000, 2, 1), None], pa.timestamp('us')), None),
        (objects(datetime.date(2000, 2, 1), pd.Timestamp('2000-02-01'), None), None),
    ],
    ids=lambda each: str(getattr(each, 'dtype', each)),
)
def test_dates_of_any_storage(column, template):
    seconds = to_seconds(find_moments(column, template))

    np.testing.assert_array_equal(seconds, np.where(column.isna(), np.nan, 31 * DAY))


def test_dates_beyond_the_calendar_are_none():
    far = pd.Series(np.array(['10000-01-01', 'NaT', '2000-01-01'], dtype='datetime64[s]'))

    assert find_moments(far, None).tolist()[:2] == [INVALID, MISSING]
    assert find_moments(far, None)[2] > INVALID


FAR = np.array([0, 10**13, -(2**63)])


@pytest.mark.parametrize(
    'column',
    [
        pd.Series(FAR.view('M8[s]')),
        pd.Series(FAR.view('M8[s]')).astype('category'),
        pd.Series(FAR.view('M8[s]')).astype(object),
        pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(FAR.view('M8[s]'))]))),
        arrow([0, 10**7, None], pa.int32()).astype(pd.ArrowDtype(pa.date32())),
        arrow([0, 10**7, None], pa.int32())
        .astype(pd.ArrowDtype(pa.date32()))
        .astype(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.date32()))),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_far_date_is_none_in_any_storage_and_does_not_wrap_around(column):
    assert find_moments(column, None).tolist() == [0, INVALID, MISSING]
    assert list_cells(find_distinct(column)) == [pd.Timestamp(0), 'invalid', None]


@pytest.mark.parametrize('dictionary', [False, True])
def test_bytes_that_are_no_text_spoil_no_other_cell(dictionary):
    ends = pa.py_buffer(np.array([0, 1, 2, 3], dtype=np.int32).tobytes())
    broken = pa.Array.from_buffers(pa.string(), 3, [None, ends, pa.py_buffer(b'a\xffb')])
    broken = broken.dictionary_encode() if dictionary else broken
    column = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([broken])))

    assert list_cells(find_distinct(column)) == ['a', 'invalid', 'b']


def test_dates_are_read_from_sparse_and_decimal_columns():
    day = np.array(['2020-01-05', 'NaT'], dtype='M8[ns]')
    sparse = pd.Series(pd.arrays.SparseArray(day))
    number = arrow([Decimal(20200105), None], pa.decimal128(9, 0))

    expected = [pd.Timestamp('2020-01-05').value // 1000, MISSING]
    assert find_moments(sparse, None).tolist() == expected
    assert find_moments(number, '%Y%m%d').tolist() == expected


DATES = [datetime.datetime(2020, 1, 1), datetime.date(2020, 1, 1), pd.Timedelta(days=1), 7, True]


@pytest.mark.parametrize('value', DATES)
def test_a_table_keeps_the_types_of_objects_whatever_the_other_rows_hold(value):
    """By default, pandas turns a column of objects into dates if all of them are dates."""
    for others in ([], ['text'], [None]):
        column = np.array([value, value, *others], dtype=object)
        table = make_table({'x': column}, pd.RangeIndex(len(column)))

        assert table['x'].dtype == object
        assert [type(each) for each in table['x'].head(2)] == [type(value)] * 2


def test_a_table_keeps_rows_without_columns_and_the_names_of_rows():
    assert make_table({}, pd.RangeIndex(3)).shape == (3, 0)
    table = make_table({'x': np.array([1.0, np.nan])}, pd.Index([7, 9]))
    assert (list(table.index), table['x'].dtype) == ([7, 9], float)
