"""Rows with two values that no real row has together, and how many new real rows would have."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.codes import code_tables
from sdv_threea.report.impossible import find_impossible

COLUMNS = {name: {'sdtype': 'categorical'} for name in ('spouse', 'sex')}


def find(real, synthetic):
    coded = code_tables(real, synthetic, COLUMNS)
    return find_impossible(coded, [(0, 1)], np.random.default_rng(0))


def make(**counts):
    rows = [name.split('_') for name, count in counts.items() for _ in range(count)]
    return pd.DataFrame(rows, columns=['spouse', 'sex'])


def test_pairs_of_values_that_never_occur_are_found_and_named():
    real = make(husband_male=100, wife_female=100, single_male=50, single_female=50)
    found = find(real, make(husband_male=60, wife_male=30, husband_female=10))

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
    real = make(husband_male=995, wife_female=5)
    found = find(real, make(wife_male=50))
    # Of 1,000 rows, 995 are male and 5 are wives: fewer than five would be both by chance.
    assert found.synthetic == 0
    often = make(husband_male=990, wife_female=10)
    assert find(often, make(wife_male=50)).synthetic == 1


def test_a_value_of_few_real_rows_is_neither_looked_at_nor_named():
    real = make(husband_male=500, wife_female=500, JaneDoe_female=4)
    found = find(real, make(JaneDoe_male=50))

    assert found.synthetic == 0
    assert found.told.empty
