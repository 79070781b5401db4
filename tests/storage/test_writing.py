import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdv_threea.rows.intake.columns import find_moments
from sdv_threea.rows.intake.dates import to_seconds
from sdv_threea.schema import Link
from sdv_threea.storage.relationships import write_references
from sdv_threea.storage.writing import YEARS, YEARS_OF_NANOSECONDS, fit_into, from_seconds

DAY = 86_400.0


@pytest.mark.parametrize(
    'dtype',
    ['datetime64[ns]', 'datetime64[s]', 'datetime64[us, UTC]', 'datetime64[ns, Asia/Tokyo]'],
)
def test_dates_return_to_their_dtype(dtype):
    moments = pd.Series(pd.to_datetime(['1931-05-06 07:08:09', '2190-01-01 00:00:00', None]))
    if 'UTC' in dtype or 'Tokyo' in dtype:
        moments = moments.dt.tz_localize(dtype.split(', ')[1][:-1])
    moments = moments.astype(dtype)

    restored = from_seconds(to_seconds(find_moments(moments, None)), moments.dtype, None, 1.0)
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


def test_numbers_are_cut_to_what_their_dtype_can_hold():
    numbers = pd.Series([-1e40, 5.0, 1e40])

    assert list(fit_into(numbers, pd.Int8Dtype())) == [-128, 5, 127]
    assert np.isfinite(fit_into(numbers, np.dtype('float32')).astype('float32')).all()
    assert fit_into(numbers, np.dtype(object)) is numbers


@pytest.mark.parametrize(
    'cells',
    [
        ['0001-01-01', '9999-12-31', '0999-02-03', None],
        pd.Series(['0001-01-01', '9999-12-31'], dtype='datetime64[s]'),
        pd.Series([datetime.date(1, 1, 1), datetime.date(9999, 12, 31)], dtype=object),
        pd.Series(['0001-01-01', '9999-12-31'], dtype='datetime64[us, UTC]'),
    ],
)
def test_dates_of_the_years_1_to_9999_return(cells):
    column = pd.Series(cells)
    seconds = to_seconds(find_moments(column, '%Y-%m-%d'))
    back = from_seconds(seconds, column.dtype, '%Y-%m-%d', DAY)

    assert to_seconds(find_moments(back, '%Y-%m-%d')).tolist()[:2] == seconds.tolist()[:2]
    assert seconds[0] < -6e10 < 2e11 < seconds[1]
    assert back.isna().tolist() == column.isna().tolist()


@pytest.mark.parametrize('dtype', [object, pd.ArrowDtype(pa.time64('us'))])
def test_times_of_day_return_to_their_dtype(dtype):
    """As texts of their format, unless the dtype has times."""
    times = pd.Series([datetime.time(0, 0), datetime.time(23, 59, 58), None], dtype=dtype)
    back = from_seconds(to_seconds(find_moments(times, '%H:%M:%S')), times.dtype, '%H:%M:%S', 1.0)

    assert back.dtype == times.dtype
    assert back.dropna().astype(str).tolist() == ['00:00:00', '23:59:58']


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('dtype', ['datetime64[ns]', 'object'])
def test_dates_beyond_what_can_be_stored_come_back_as_the_last_ones(dtype):
    moments = from_seconds(np.array([-1e300, 1e300, np.nan]), np.dtype(dtype), '%Y', 0.0)

    years = [int(str(each)[:4]) for each in moments[:2]]
    ends = YEARS if dtype == 'object' else YEARS_OF_NANOSECONDS
    assert years == [end.astype(object).year for end in ends]
    assert pd.isna(moments[2])


LINK = Link('stay', ('site', 'num'), 'ward')

#: Two neighbours that are one float.
LARGE = [2**60, 2**60 + 1]


def write(keys, referred, dtype):
    """Write references to a key of one column, and return the column."""
    child = pd.DataFrame({'los': np.arange(len(referred))}, index=range(3, 3 + len(referred)))
    link = Link('stay', ('num',), 'ward')
    parent = pd.DataFrame({'id': keys})
    write_references(child, link, np.array(referred), parent, ('id',), {'num': dtype})
    return child['num']


@pytest.mark.parametrize('referred', [[1, 0, 1], [1, -1, 0]], ids=['all there', 'one missing'])
@pytest.mark.parametrize('dtype', ['int64', 'Int64', 'UInt64', 'int64[pyarrow]', 'object'])
@pytest.mark.parametrize('stored', ['int64', 'uint64', 'int32', 'Int64', 'object'])
def test_long_keys_keep_all_digits_and_the_dtype(dtype, stored, referred):
    if dtype == 'int64' and -1 in referred:
        return  # has no missing values: see below
    keys = LARGE if stored != 'int32' else [5, 6]
    written = write(pd.Series(keys, dtype=stored), referred, pd.Series(dtype=dtype).dtype)

    assert written.isna().tolist() == [each < 0 for each in referred]
    assert [int(each) for each in written.dropna()] == [keys[at] for at in referred if at >= 0]
    assert written.dtype == pd.Series(dtype=dtype).dtype


@pytest.mark.parametrize('referred', [[1, 0], [1, -1]])
def test_long_keys_are_exact_rather_than_floats(referred):
    written = write(pd.Series(LARGE), referred, np.dtype('float64'))

    assert written.iloc[0] == LARGE[1]
    assert written.dtype.kind == 'i'


def test_parts_of_a_key_are_written_each():
    child = pd.DataFrame({'los': [1.0, 2.0, 3.0]})
    parent = pd.DataFrame({'a': ['x', 'y'], 'b': LARGE})
    dtypes = {'site': np.dtype(object), 'num': pd.Int64Dtype()}
    write_references(child, LINK, np.array([1, -1, 0]), parent, ('a', 'b'), dtypes)

    assert child['site'].dropna().tolist() == ['y', 'x']
    assert child['num'].dropna().tolist() == [LARGE[1], LARGE[0]]
    assert child.isna().sum().tolist() == [0, 1, 1]
