"""Shares of rows: bins of numbers and dates, levels of categories, rare levels pooled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.distributions import (
    FEWEST,
    NUM_BINS,
    NUM_LEVELS,
    compare_distributions,
)
from sdv_threea.report.inputs import DAY_ZERO, count_days

NUMERICAL = {'sdtype': 'numerical'}
CATEGORICAL = {'sdtype': 'categorical'}


def test_whole_numbers_in_a_small_range_get_a_bin_each():
    shares = compare_distributions(pd.Series([1, 1, 3, 4]), pd.Series([1, 5]), NUMERICAL)

    assert list(shares.labels) == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(shares.real, [0.5, 0, 0.25, 0.25, 0])
    np.testing.assert_allclose(shares.synthetic, [0.5, 0, 0, 0, 0.5])
    assert shares.binned


@pytest.mark.parametrize('top', [38, 39, 40, 41, 99, 100, 10**6])
def test_bins_of_whole_numbers_hold_equally_many(top):
    column = pd.Series(np.arange(min(top, 200) + 1) * max(top // 200, 1))
    shares = compare_distributions(column, pd.Series([top]), NUMERICAL)

    widths = np.diff(shares.labels)
    assert set(widths) == {widths[0]}
    assert widths[0] == np.round(widths[0])
    assert len(shares.labels) <= NUM_BINS
    assert shares.real.sum() == pytest.approx(1.0)
    assert shares.synthetic.sum() == 1.0


def test_other_numbers_share_the_same_bins_and_missing_ones_are_in_none():
    real = pd.Series([0.5, 10.0, np.nan, 2.5])
    shares = compare_distributions(real, pd.Series([12.5, None], dtype='Float64'), NUMERICAL)

    assert len(shares.labels) == NUM_BINS
    assert shares.real.sum() == pytest.approx(0.75)
    assert shares.synthetic.sum() == pytest.approx(0.5)
    assert shares.synthetic[-1] == 0.5
    assert shares.missing == (0.25, 0.5)
    assert shares.beyond == (0, 0)


def test_far_values_do_not_squash_the_axis_and_are_told():
    real = pd.Series([*np.linspace(0, 10, 1000), 1e6])
    shares = compare_distributions(real, pd.Series([*np.linspace(0, 12, 99), -1e9]), NUMERICAL)

    assert -1 < shares.labels[0] < shares.labels[-1] < 13
    assert shares.beyond[0] == pytest.approx(1 / 1001)
    assert shares.beyond[1] == pytest.approx(0.01)
    assert shares.real.sum() + shares.beyond[0] == pytest.approx(1)


def test_synthetic_values_that_are_all_far_off_leave_the_axis_to_the_real_ones():
    shares = compare_distributions(
        pd.Series(np.linspace(0, 1, 500)), pd.Series(np.linspace(1e5, 2e5, 500)), NUMERICAL
    )
    assert shares.labels[-1] <= 1
    assert shares.beyond == (0, 1)


@pytest.mark.parametrize('values', [[], [np.nan], [0.25, 0.25]])
def test_empty_and_constant_columns_can_be_drawn(values):
    column = pd.Series(values, dtype=float)
    shares = compare_distributions(column, column, NUMERICAL)
    assert len(shares.labels) == 1
    assert shares.real.sum() == (1.0 if len(values) == 2 else 0.0)


@pytest.mark.parametrize(
    ('read', 'description'),
    [
        (lambda text: text, {'sdtype': 'datetime', 'datetime_format': '%d.%m.%Y'}),
        (lambda text: pd.to_datetime(text, dayfirst=True), {'sdtype': 'datetime'}),
        (lambda text: pd.to_datetime(text, dayfirst=True, utc=True), {'sdtype': 'datetime'}),
    ],
)
def test_dates_are_binned_in_time_however_they_are_written(read, description):
    text = pd.Series(['01.02.2020', '11.02.2020', None])
    shares = compare_distributions(read(text), read(text.iloc[:1]), description)

    assert list(shares.labels) == list(pd.date_range('2020-02-01', '2020-02-11'))
    assert shares.real[0] == shares.real[-1] == pytest.approx(1 / 3)
    assert shares.synthetic[0] == 1.0


def test_levels_are_ordered_by_the_real_table_and_rare_ones_are_pooled():
    real = pd.Series([f'level {row}' for row in range(15) for _ in range(20 - row)])
    shares = compare_distributions(real, pd.Series(['level 1', 'new']), CATEGORICAL)

    assert list(shares.labels) == [f'level {row}' for row in range(NUM_LEVELS)] + ['all others']
    assert shares.real.sum() == shares.synthetic.sum() == pytest.approx(1.0)
    assert shares.synthetic[1] == shares.synthetic[-1] == 0.5
    assert not shares.binned


def test_missing_categories_are_a_level_and_booleans_are_named():
    real = pd.Series([True, True, False, None] * FEWEST, dtype='boolean')
    shares = compare_distributions(real, pd.Series([True, False]), {'sdtype': 'boolean'})

    assert list(shares.labels) == ['True', 'False', 'missing']
    np.testing.assert_allclose(shares.real, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(shares.synthetic, [0.5, 0.5, 0])


def test_a_level_of_few_real_rows_is_not_named():
    real = pd.Series(['common'] * 20 + ['enough'] * FEWEST + ['Jane Doe'] * (FEWEST - 1))
    shares = compare_distributions(real, real, CATEGORICAL)

    assert list(shares.labels) == ['common', 'enough', 'all others']
    np.testing.assert_allclose(shares.real[-1], (FEWEST - 1) / len(real))


@pytest.mark.parametrize('text', [False, True])
def test_days_are_counted_up_to_the_ends_of_time(text):
    times = pd.Series([pd.Timestamp.min.ceil('D'), pd.NaT, DAY_ZERO, pd.Timestamp.max.floor('D')])
    given = times.dt.strftime('%Y-%m-%d') if text else times

    days = count_days(given, {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'})

    assert days.isna().tolist() == [False, True, False, False]
    assert days[[0, 2, 3]].tolist() == [-117708.0, 0.0, 95794.0]
