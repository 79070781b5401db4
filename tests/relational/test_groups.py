"""A database in groups of whole units gives the same sums, bit for bit, however it is divided."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from sdv_threea.rows.units.membership import Coins

SHAPES = ['two_level', 'chain', 'diamond', 'one_to_one', 'orphans', 'two_keys', 'loose', 'public']


@pytest.mark.parametrize('epsilon', [20.0, float('inf')])
@pytest.mark.parametrize('shape', SHAPES)
def test_a_database_in_groups_gives_the_same_sums(make, compare_sums, shape, epsilon):
    made = make(shape)
    assert compare_sums(made, replace(made, num_groups=4), epsilon=epsilon) == 0


def test_one_more_unit_would_be_seen(make, neighbour, compare_sums):
    """Without this, the test above could not fail."""
    made = make('diamond')
    assert compare_sums(made, replace(neighbour(made, 'a', 0), num_groups=4), epsilon=20.0) > 0


def test_the_coins_of_rows_are_even_and_new_at_each_toss():
    numbers = np.arange(40_000)
    coins = Coins(2**63 - 1, numbers)
    tosses = [coins.random(len(numbers)) for _ in range(2)]
    for each in tosses:
        assert stats.kstest(each, 'uniform').pvalue > 1e-6
    assert abs(np.corrcoef(*tosses)[0, 1]) < 0.03
    assert abs(np.corrcoef(tosses[0][1:], tosses[0][:-1])[0, 1]) < 0.03
    few = Coins(2**63 - 1, numbers[::7])
    assert few.random(len(few.numbers)).tolist() == tosses[0][::7].tolist()
    assert few.random(len(few.numbers)).tolist() == tosses[1][::7].tolist()
