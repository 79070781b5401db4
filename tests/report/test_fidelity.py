"""Errors in bins that both tables share, beside those of other real rows and of chance."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.codes import UNSEEN, code_tables
from sdv_threea.report.fidelity import NEVER, ONE, TWO, measure_fidelity

COLUMNS = {
    'size': {'sdtype': 'numerical'},
    'group': {'sdtype': 'categorical'},
    'level': {'sdtype': 'categorical'},
    'key': {'sdtype': 'id'},
}
DESCRIPTION = {'tables': {'things': {'columns': COLUMNS}}}


def make_things(rng, rows=2000, related=True):
    group = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    level = group if related else rng.permutation(group)
    return pd.DataFrame(
        {
            'size': rng.normal(group, 0.3),
            'group': [f'group {at}' for at in group],
            'level': [f'level {at}' for at in level],
            'key': range(rows),
        }
    )


def measure(real, synthetic):
    return measure_fidelity({'things': real}, {'things': synthetic}, DESCRIPTION)


@pytest.fixture
def rng():
    return np.random.default_rng(6)


def test_other_real_rows_score_what_real_rows_are_said_to(rng):
    scores = measure(make_things(rng), make_things(rng)).scores

    assert list(scores.index) == [ONE, TWO, NEVER]
    for measured in (ONE, TWO):
        row = scores.loc[measured]
        # Six standard deviations, of a mean that eight drawn worlds estimate.
        assert abs(row['synthetic'] - row['real']) < 6 * row['spread'] + 0.01
        assert row['chance'] > 5 * row['real']
    assert scores.loc[NEVER, 'synthetic'] == scores.loc[NEVER, 'real'] == 0


def test_lost_relations_show_in_the_pairs_alone(rng):
    scores = measure(make_things(rng), make_things(rng, related=False)).scores

    assert scores.loc[ONE, 'synthetic'] < 2 * scores.loc[ONE, 'real']
    assert scores.loc[TWO, 'synthetic'] > 0.4
    assert scores.loc[NEVER, 'synthetic'] == pytest.approx(0.7, abs=0.06)
    assert scores.loc[NEVER, 'chance'] == pytest.approx(0.7, abs=0.06)


def test_values_that_are_lost_or_new_or_missing_are_counted(rng):
    real, synthetic = make_things(rng), make_things(rng)
    real['group'] = ['common'] * 1500 + ['lost'] * 500
    synthetic['group'] = ['common'] * 1800 + ['new'] * 100 + [None] * 100
    synthetic['level'] = None
    columns = measure(real, synthetic).columns.set_index('Column')

    assert columns.loc['group', 'Lost'] == 0.25
    assert columns.loc['group', 'New'] == 0.05
    assert columns.loc['group', 'Missing, synthetic'] == 0.05
    assert columns.loc['level', ['Missing, synthetic', 'Values, synthetic']].tolist() == [1, 0]


def test_values_of_few_rows_are_pooled_and_not_named():
    column = ['common'] * 20 + ['Jane Doe'] * 4
    real = pd.DataFrame({'group': column})
    coded = code_tables(real, pd.DataFrame({'group': ['John']}), {'group': COLUMNS['group']})

    assert 'Jane Doe' not in coded.labels[0]
    assert coded.labels[0][3:] == ('common',)
    assert coded.synthetic[0, 0] == UNSEEN
