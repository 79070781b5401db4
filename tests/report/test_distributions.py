"""Shares of rows: bins of numbers and dates, levels of categories, rare levels pooled."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.distributions import (
    FEWEST,
    NUM_BINS,
    compare_distributions,
)

NUMERICAL = {'sdtype': 'numerical'}
CATEGORICAL = {'sdtype': 'categorical'}


def test_whole_numbers_in_a_small_range_get_a_bin_each():
    shares = compare_distributions(pd.Series([1, 1, 3, 4]), pd.Series([1, 5]), NUMERICAL)

    assert list(shares.labels) == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(shares.real, [0.5, 0, 0.25, 0.25, 0])
    np.testing.assert_allclose(shares.synthetic, [0.5, 0, 0, 0, 0.5])
    assert shares.binned


def test_other_numbers_share_the_same_bins_and_missing_ones_are_in_none():
    real = pd.Series([0.5, 10.0, np.nan, 2.5])
    shares = compare_distributions(real, pd.Series([12.5, None], dtype='Float64'), NUMERICAL)

    assert len(shares.labels) == NUM_BINS
    assert shares.real.sum() == pytest.approx(0.75)
    assert shares.synthetic.sum() == pytest.approx(0.5)
    assert shares.synthetic[-1] == 0.5
    assert shares.missing == (0.25, 0.5)
    assert shares.beyond == (0, 0)


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


def test_a_level_of_few_real_rows_is_not_named():
    real = pd.Series(['common'] * 20 + ['enough'] * FEWEST + ['Jane Doe'] * (FEWEST - 1))
    shares = compare_distributions(real, real, CATEGORICAL)

    assert list(shares.labels) == ['common', 'enough', 'all others']
    np.testing.assert_allclose(shares.real[-1], (FEWEST - 1) / len(real))
