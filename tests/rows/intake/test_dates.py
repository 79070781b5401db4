"""Dates and texts that spell dates, each read by itself."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.rows.intake.dates import (
    INVALID,
    MISSING,
    YEAR_2000,
    read_dates,
    read_texts,
    to_seconds,
)

TEXTS = [
    '2020-01-05', '2020-01-05 10:00 XYZ', '13/01/2020', '01/13/2020', '01/02/2020', 'now', 'today',
    '10:30', 'May', '2020', '20200105', '', ' ', 'NaT', 'nan', '2020-01-05\0x', '9999-12-31',
    '1500-01-01', '2020-01-05T00:00+02:00', '20', '1e5', 'Jan 5 2020', '5', '2020-02-30',
    'tomorrow', '2020-01-05 ' * 9, '2020-01-05T25:00', '1.2.2020', '-2020', '٢٠٢٠-٠١-٠١',
]  # fmt: skip

TEMPLATES = [None, '%Y-%m-%d', '%d/%m/%Y', '%m/%d/%Y', '%Y%m%d', '%Y-%m-%dT%H:%M%z', '%H:%M', '%b']


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('template', TEMPLATES)
def test_each_text_is_read_by_itself(template):
    together = read_texts(TEXTS, template)

    assert [read_texts([text], template)[0] for text in TEXTS] == together.tolist()
    assert read_texts(TEXTS[::-1], template)[::-1].tolist() == together.tolist()
    # From fifty texts on, pandas keeps a cache, unless it is told not to.
    assert read_texts(TEXTS * 9, template).tolist() == together.tolist() * 9


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('template', [None, '%Y-%m-%d', '%H:%M', '%b'])
def test_no_date_depends_on_the_day_on_which_it_is_read(template):
    clock = [text for text in TEXTS if read_texts([text], template)[0] > INVALID]
    now = pd.Timestamp.now().to_datetime64().astype('datetime64[us]').astype(np.int64)

    assert all(abs(read_texts([text], template)[0] - now) > 86_400 * 10**6 for text in clock)


def test_a_text_that_is_no_date_is_invalid_and_no_missing_one():
    cells = ['NaT', '', 'x', None, pd.NaT, 7, True, 7.5]

    assert read_dates(cells, '%Y-%m-%d').tolist() == [INVALID] * 3 + [MISSING] * 2 + [INVALID] * 3


def test_numbers_spell_dates_if_there_is_a_format():
    assert (
        read_dates([20200101, 20200101.0, np.int64(20200101)], '%Y%m%d').tolist()
        == [pd.Timestamp('2020-01-01').value // 1000] * 3
    )
    assert read_dates([20200101], None).tolist() == [INVALID]


def test_seconds_are_exact_to_the_microsecond():
    moments = YEAR_2000 + np.array([0, 1, 86_400 * 10**6, -(10**6)])

    assert to_seconds(moments).tolist() == [0.0, 1e-6, 86_400.0, -1.0]
    assert np.isnan(to_seconds(np.array([MISSING, INVALID]))).all()


@pytest.mark.parametrize('day', ['0001-01-01', '1677-02-03', '1999-12-31', '9999-12-31'])
def test_the_first_and_the_last_years_are_as_far_away_as_they_are(day):
    moments = read_texts([day], '%Y-%m-%d')
    expected = (np.datetime64(day, 's') - np.datetime64('2000-01-01', 's')).astype(np.int64)

    assert to_seconds(moments).tolist() == [float(expected)]
