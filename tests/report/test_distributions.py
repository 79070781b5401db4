"""Shares of rows: bins of numbers and dates, levels of categories, rare levels pooled."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from relationships import relate

from sdv_threea.report import compare_cardinalities
from sdv_threea.report.distributions import FEWEST, NUM_BINS, compare_distributions, compare_joint

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


COLUMNS = {'group': {'sdtype': 'categorical'}, 'size': {'sdtype': 'numerical'}}


def make_groups(groups, sizes):
    return pd.DataFrame({'group': groups, 'size': sizes})


def test_rows_are_shared_out_over_one_grid():
    real = make_groups(['a'] * 10 + ['b'] * 30, [1] * 10 + [2] * 30)
    synthetic = make_groups(['b'] * 10, [3] * 10)
    joint = compare_joint(real, synthetic, COLUMNS)

    assert [list(labels) for labels in joint.labels] == [['b', 'a'], [1, 2, 3]]
    assert joint.binned == (False, True)
    np.testing.assert_allclose(joint.real, [[0, 0.75, 0], [0.25, 0, 0]])
    np.testing.assert_allclose(joint.synthetic, [[0, 0, 1], [0, 0, 0]])


def test_cells_of_few_real_rows_are_not_told():
    real = make_groups(['a'] * 20, [1] * (20 - FEWEST + 1) + [2] * (FEWEST - 1))
    joint = compare_joint(real, real, COLUMNS)

    assert joint.real[0, 1] == 0
    assert joint.real[0, 0] == joint.synthetic[0, 0] == pytest.approx(1 - (FEWEST - 1) / 20)
    assert joint.synthetic[0, 1] > 0


def link(child, key, parent='parent', parent_key='id'):
    return relate(child, key, parent, parent_key)


def test_keys_of_several_columns_are_compared_as_a_whole():
    keys = pd.DataFrame({'a': [1, 1, 2], 'b': ['x', 'y', 'x']})
    tables = {'parent': keys, 'child': pd.DataFrame({'p': [1, 1, 2], 'q': ['x', 'x', 'x']})}
    metadata = SimpleNamespace(relationships=[link('child', ['p', 'q'], parent_key=['a', 'b'])])
    (found,) = compare_cardinalities(tables, tables, metadata).values()

    assert list(found.labels) == ['0', '1', '2']
    np.testing.assert_allclose(found.real, [1 / 3] * 3)
