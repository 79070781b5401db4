from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from sdv_threea.domain import TIME_STEPS, Category, Domain, Number
from sdv_threea.synthesizers.cells import (
    EARLIEST,
    LATEST,
    decode,
    encode,
    fit_into,
    from_seconds,
    to_numbers,
    to_scalars,
    to_seconds,
)

DAY = 86_400.0


def list_cells(encoded):
    """Show what is stored, however it is: which values are listed differs from part to part."""
    return encoded.astype(object).where(encoded.notna(), None)


def test_a_row_is_encoded_by_itself(mixed_table, mixed_metadata):
    columns = mixed_metadata.tables['people'].columns
    names = tuple(name for name in columns if name not in ('key', 'email', 'city', 'unknown'))
    together = encode(mixed_table, columns, names)

    for rows in (slice(0, 1), slice(7, 8), slice(500, 1000)):
        alone = encode(mixed_table.iloc[rows], columns, names)
        expected = together.iloc[rows].reset_index(drop=True)
        pd.testing.assert_frame_equal(list_cells(alone), list_cells(expected))


def test_encoded_columns_are_floats_or_categories_without_other_nulls(mixed_table, mixed_metadata):
    columns = mixed_metadata.tables['people'].columns
    encoded = encode(mixed_table, columns, ('int16', 'zoned', 'string', 'code_missing'))

    assert list(encoded.dtypes) == [float, float, 'category', object]
    for name in encoded:
        np.testing.assert_array_equal(encoded[name].isna(), mixed_table[name].isna())
    assert {type(value) for value in encoded['code_missing']} == {float, type(None)}


def test_categories_become_python_scalars_of_their_own_kind():
    for values, kind in (([1, 2], int), ([1.0, 2.0], float), (['a', 'b'], str)):
        assert {type(value) for value in to_scalars(pd.Series(values))} == {kind}
    assert list(to_scalars(pd.Series([1.0, None]))) == [1.0, None]


@pytest.mark.parametrize('dtype', [bool, object, 'boolean', 'category'])
def test_booleans_become_python_booleans(dtype):
    assert [value is True for value in to_scalars(pd.Series([True, False], dtype=dtype))] == [
        True, False,
    ]  # fmt: skip


@pytest.mark.parametrize('dtype', [object, 'Int64', 'Float32', 'float32', 'float64'])
def test_numbers_of_any_storage(dtype):
    numbers = to_numbers(pd.Series([1, None, 3], dtype=dtype))

    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, [1, np.nan, 3])


@pytest.mark.parametrize('dtype', ['float32', 'Float32'])
def test_a_float32_means_the_decimal_it_is_printed_as(dtype):
    assert list(to_numbers(pd.Series([0.1, -2.35], dtype=dtype))) == [0.1, -2.35]


@pytest.mark.parametrize(
    ('column', 'datetime_format'),
    [
        (pd.Series(['01/02/2000 00:00', None]), '%d/%m/%Y %H:%M'),
        (pd.Series(['1.2.2000', None]), '%-d.%-m.%Y'),
        (pd.Series([20000201, None]), '%Y%m%d'),
        (pd.Series([20000201]), '%Y%m%d'),
        (pd.Series(['2000-02-01', '2000-02-01 00:00:00']), None),
        (pd.Series(['2000-02-01T02:00+0200']), '%Y-%m-%dT%H:%M%z'),
        (pd.Series(pd.to_datetime(['2000-02-01', None])), None),
        (pd.Series(pd.to_datetime(['2000-02-01'])).astype('datetime64[s]'), None),
        (pd.Series(pd.to_datetime(['2000-02-01 09:00'])).dt.tz_localize('Asia/Tokyo'), None),
    ],
)
def test_dates_of_any_storage_are_seconds_since_2000(column, datetime_format):
    seconds = to_seconds(column, datetime_format)

    np.testing.assert_array_equal(seconds, np.where(column.isna(), np.nan, 31 * DAY))


def test_a_date_that_cannot_be_read_is_missing():
    assert np.isnan(to_seconds(pd.Series(['31/02/2000', 'never']), '%d/%m/%Y')).all()
    assert np.isnan(to_seconds(pd.Series(['9999-12-31']), None)).all()


@pytest.mark.parametrize(
    'dtype',
    ['datetime64[ns]', 'datetime64[s]', 'datetime64[us, UTC]', 'datetime64[ns, Asia/Tokyo]'],
)
def test_dates_return_to_their_dtype(dtype):
    moments = pd.Series(pd.to_datetime(['1931-05-06 07:08:09', '2190-01-01 00:00:00', None]))
    if 'UTC' in dtype or 'Tokyo' in dtype:
        moments = moments.dt.tz_localize(dtype.split(', ')[1][:-1])
    moments = moments.astype(dtype)

    restored = from_seconds(to_seconds(moments, None), moments.dtype, None, 1.0)
    pd.testing.assert_series_equal(restored, moments)


@pytest.mark.parametrize(
    ('step', 'datetime_format', 'expected'),
    [
        (DAY, None, '2000-01-02'),
        (60.0, None, '2000-01-02 00:00:00'),
        (0.0, None, '2000-01-02 00:00:00.000000'),
        (1.0, '%d.%m.%y', '02.01.00'),
        (1.0, '%Y-%m-%d%z', '2000-01-02+0000'),
    ],
)
def test_dates_return_to_their_text(step, datetime_format, expected):
    texts = from_seconds(np.array([DAY, np.nan]), np.dtype(object), datetime_format, step)

    assert texts[0] == expected
    assert pd.isna(texts[1])


@pytest.mark.parametrize('dtype', [np.dtype('datetime64[ns]'), np.dtype(object)])
def test_a_released_range_beyond_the_calendar_is_cut(dtype):
    texts = from_seconds(np.array([-1e12, 1e12]), dtype, None, DAY).astype(str)

    assert list(texts) == [str(EARLIEST)[:10], str(LATEST)[:10]]


def test_numbers_are_cut_to_what_their_dtype_can_hold():
    numbers = pd.Series([-1e40, 5.0, 1e40])

    assert list(fit_into(numbers, pd.Int8Dtype())) == [-128, 5, 127]
    assert np.isfinite(fit_into(numbers, np.dtype('float32')).astype('float32')).all()
    assert fit_into(numbers, np.dtype(object)) is numbers


@pytest.mark.parametrize('dtype', ['int64', 'uint64', 'int32', 'uint8'])
def test_the_largest_integers_do_not_wrap_around(dtype):
    limits = np.iinfo(dtype)
    cut = fit_into(pd.Series([-1e40, 1e40]), np.dtype(dtype)).astype(dtype)

    assert cut[0] == limits.min
    assert cut[1] > limits.max * 0.999


def test_whole_numbers_that_were_objects_become_integers():
    whole = fit_into(pd.Series([1.0, np.nan]), np.dtype(object), 1.0)

    assert (type(whole[0]), pd.isna(whole[1])) == (int, True)
    assert fit_into(pd.Series([1.0]), np.dtype(object), 0.5).dtype == np.float64


def test_decoding_inverts_encoding(mixed_table, mixed_metadata):
    columns = mixed_metadata.tables['people'].columns
    numbers = {'int16': 1.0, 'cents': 0.01, 'text_date': DAY, 'moment': 1.0, 'zoned': 1.0}
    domain = Domain(
        (
            *(Number(name=name, step=step, steps=TIME_STEPS) for name, step in numbers.items()),
            Category(name='letter_missing'),
        )
    )
    encoded = encode(mixed_table, columns, domain.names)
    decoded = decode(encoded, columns, mixed_table.dtypes.to_dict(), domain)

    assert list(decoded) == list(domain.names)
    for name in decoded:
        restored = decoded[name].astype(mixed_table[name].dtype).where(decoded[name].notna())
        pd.testing.assert_series_equal(restored, mixed_table[name], check_names=False)


def test_a_released_range_wider_than_the_dtype_is_cut():
    decoded = decode(
        pd.DataFrame({'x': [-1e9, 1e9]}),
        {'x': {'sdtype': 'numerical'}},
        {'x': pd.Int8Dtype()},
        Domain((Number(name='x', low=-1e9, high=1e9, step=1.0),)),
    )
    assert list(decoded['x']) == [-128, 127]


@pytest.mark.parametrize('stranger', ['text', None, 3, pd.Timestamp('2020-01-01')])
@pytest.mark.parametrize('value', [datetime.datetime(2020, 1, 1), datetime.date(2020, 1, 1)])
def test_a_record_among_dates_does_not_change_what_the_others_are(value, stranger):
    columns = {'x': {'sdtype': 'categorical'}}
    alone = pd.DataFrame({'x': pd.Series([value] * 3, dtype=object)})
    together = pd.DataFrame({'x': pd.Series([value] * 3 + [stranger], dtype=object)})
    encoded = [encode(table, columns, ('x',))['x'] for table in (alone, together)]

    assert [list(map(type, each.head(3))) for each in encoded] == [[type(value)] * 3] * 2
    assert list(encoded[0]) == list(encoded[1].head(3))


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('dtype', ['datetime64[ns]', 'object'])
def test_dates_beyond_what_can_be_stored_come_back_as_the_last_ones(dtype):
    moments = from_seconds(np.array([-1e300, 1e300, np.nan]), np.dtype(dtype), '%Y', 0.0)

    years = pd.to_datetime(moments).dt.year
    assert list(years[:2]) == [EARLIEST.astype(object).year, LATEST.astype(object).year]
    assert pd.isna(moments[2])


def test_rows_without_columns_are_still_rows():
    assert decode(pd.DataFrame(index=range(4)), {}, {}, Domain(())).shape == (4, 0)


def test_single_floats_are_the_decimals_that_they_are_printed_as():
    rng = np.random.default_rng(0)
    sizes = rng.normal(size=20_000) * 10.0 ** rng.integers(-12, 12, 20_000)
    odd = [0.0, -0.0, np.nan, np.inf, -np.inf, 2.0**24, 2.0**24 - 1, 1e-4, 3e38, 1e-45, 0.1, 16.7]
    decimals = np.concatenate([sizes, sizes.round(3), sizes.round(), odd]).astype(np.float32)
    found = to_numbers(pd.Series(decimals))

    expected = [float(str(each)) for each in decimals]
    np.testing.assert_array_equal(found, expected)
    alone = [to_numbers(pd.Series([each]))[0] for each in decimals[:200]]
    np.testing.assert_array_equal(alone, found[:200])
    nullable = pd.Series([0.1, None], dtype='Float32')
    np.testing.assert_array_equal(to_numbers(nullable), [0.1, np.nan])
