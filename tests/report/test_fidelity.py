"""Errors in bins that both tables share, beside those of other real rows and of chance."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.distributions import code_tables
from sdv_threea.report.fidelity import NEVER, ONE, TWO, find_impossible, measure_fidelity

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


PAIR = {name: {'sdtype': 'categorical'} for name in ('spouse', 'sex')}


def find(real, synthetic):
    coded = code_tables(real, synthetic, PAIR)
    return find_impossible(coded, [(0, 1)], np.random.default_rng(0))


def make_couples(**counts):
    rows = [name.split('_') for name, count in counts.items() for _ in range(count)]
    return pd.DataFrame(rows, columns=['spouse', 'sex'])


def test_pairs_of_values_that_never_occur_are_found_and_named():
    real = make_couples(husband_male=100, wife_female=100, single_male=50, single_female=50)
    found = find(real, make_couples(husband_male=60, wife_male=30, husband_female=10))

    assert found.synthetic == 0.4
    assert found.real == 0
    # Half of the spouses have the wrong sex if sexes are shuffled: 8 standard deviations.
    assert found.chance == pytest.approx(1 / 3, abs=0.2)
    (row,) = found.told.to_dict('records')
    assert (row['Column 1'], row['Column 2'], row['Rows']) == ('spouse', 'sex', 0.4)
    assert row['Examples'] == [
        {'values': ['wife', 'male'], 'rows': 0.3},
        {'values': ['husband', 'female'], 'rows': 0.1},
    ]


def test_what_chance_would_leave_out_is_not_impossible():
    real = make_couples(husband_male=995, wife_female=5)
    found = find(real, make_couples(wife_male=50))
    # Of 1,000 rows, 995 are male and 5 are wives: fewer than five would be both by chance.
    assert found.synthetic == 0
    often = make_couples(husband_male=990, wife_female=10)
    assert find(often, make_couples(wife_male=50)).synthetic == 1


def test_a_value_of_few_real_rows_is_neither_looked_at_nor_named():
    real = make_couples(husband_male=500, wife_female=500, JaneDoe_female=4)
    found = find(real, make_couples(JaneDoe_male=50))

    assert found.synthetic == 0
    assert found.told.empty
