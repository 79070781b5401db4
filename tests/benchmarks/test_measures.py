"""Measures of the benchmarks are what their pages say: by hand on small tables."""

import math

import numpy as np
import pandas as pd
import pytest
from scripts import script_fixture

utility_page, scores = script_fixture('utility_page'), script_fixture('scores')
likeness = script_fixture('likeness')


def list_run(repeat, table, method, epsilon, score):
    row = {'table': table, 'method': method, 'epsilon': epsilon, 'repeat': repeat, 'score': score}
    row |= {'AUC': score, 'R2': None} if table != 'bike_sharing' else {'AUC': None, 'R2': score}
    row |= dict.fromkeys(['quality', 'as SDV', 'fit_seconds', 'sample_seconds'], repeat + 1.0)
    return row | {'note': None}


RUNS = [
    ('compas', 'real data', math.inf, 0.9),
    *(('compas', 'ClustMix', 1.0, score) for score in (0.7, 0.8, 0.71)),
    ('bike_sharing', 'real data', math.inf, 0.8),
    ('bike_sharing', 'ClustMix', 1.0, 0.6),
]


def test_utility_is_the_median_between_chance_and_real_rows(utility_page):
    cells = utility_page.sum_up(pd.DataFrame([list_run(at, *run) for at, run in enumerate(RUNS)]))

    def read(table, epsilon=1.0):
        return utility_page.look_up(cells, table, 'ClustMix', epsilon, 'normalised')

    assert read('compas') == pytest.approx(0.21 / 0.4)
    assert read('bike_sharing') == pytest.approx(0.75)
    assert math.isnan(read('compas', 8.0))


def test_the_error_of_calibration(scores):
    truth = pd.Series([False, True] * 50)
    right = scores.calibration_error(truth, pd.DataFrame({False: [0.5] * 100, True: 0.5}))
    sure = scores.calibration_error(truth, pd.DataFrame({False: [0.1] * 100, True: 0.9}))
    certain = scores.calibration_error(truth, pd.DataFrame({True: truth.astype(float)}))
    assert (right, sure, certain) == (0.0, pytest.approx(0.4), 0.0)


def test_rows_are_impossible_whose_categories_no_real_row_has_together(likeness):
    same = np.random.default_rng(0).integers(4, size=500).astype(str)
    real = pd.DataFrame({'a': same, 'b': same, 'c': 'x'})
    broken = real.assign(b='0')
    wrong = (real['a'] != '0').mean()

    assert set(likeness.count_impossible(real, real, ['a', 'b', 'c']).values()) == {0}
    found = likeness.count_impossible(real, broken, ['a', 'b', 'c'])
    assert found == {'impossible pairs': wrong, 'impossible triples': wrong}
    assert likeness.count_impossible(real, broken, ['a', 'c']) == {'impossible pairs': 0}
