"""Two columns as shares of rows on a grid."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.distributions import FEWEST, compare_joint

COLUMNS = {'group': {'sdtype': 'categorical'}, 'size': {'sdtype': 'numerical'}}


def make_table(groups, sizes):
    return pd.DataFrame({'group': groups, 'size': sizes})


def test_rows_are_shared_out_over_one_grid():
    real = make_table(['a'] * 10 + ['b'] * 30, [1] * 10 + [2] * 30)
    synthetic = make_table(['b'] * 10, [3] * 10)
    joint = compare_joint(real, synthetic, COLUMNS)

    assert [list(labels) for labels in joint.labels] == [['b', 'a'], [1, 2, 3]]
    assert joint.binned == (False, True)
    np.testing.assert_allclose(joint.real, [[0, 0.75, 0], [0.25, 0, 0]])
    np.testing.assert_allclose(joint.synthetic, [[0, 0, 1], [0, 0, 0]])


def test_cells_of_few_real_rows_are_not_told():
    real = make_table(['a'] * 20, [1] * (20 - FEWEST + 1) + [2] * (FEWEST - 1))
    joint = compare_joint(real, real, COLUMNS)

    assert joint.real[0, 1] == 0
    assert joint.real[0, 0] == joint.synthetic[0, 0] == pytest.approx(1 - (FEWEST - 1) / 20)
    assert joint.synthetic[0, 1] > 0
