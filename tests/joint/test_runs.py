"""Values that follow one another along an order are told by those around them."""

import math
from itertools import product

import numpy as np
import pytest

from sdv_threea.joint.runs import find_values, follow_values

NUM_CODES, NUM_VALUES = 80, 4
PRIOR = np.full((NUM_CODES, NUM_VALUES), 1 / NUM_VALUES)


def observe(values, rng, strength=1.0):
    """Make what says of each code which value it has, in logarithms, with noise."""
    seen = strength * np.eye(NUM_VALUES)[values] + rng.standard_normal((len(values), NUM_VALUES))
    return strength * seen


def count_wrong(chances, values):
    return int((chances.argmax(axis=1) != values).sum())


def test_values_that_run_are_told_by_those_around_them(rng):
    values = np.arange(NUM_CODES) * 6 // NUM_CODES % NUM_VALUES  # one of them comes back
    alone, together = 0, 0
    for _ in range(20):
        logs = observe(values, rng)
        alone += count_wrong(logs, values)
        together += count_wrong(follow_values(logs, PRIOR, 0.1).chances, values)

    assert together < alone / 3


def test_values_that_are_always_drawn_anew_are_independent(rng):
    logs, prior = rng.normal(size=(9, 4)), rng.dirichlet(np.ones(4), 9)

    alone, along = find_values(logs, prior), follow_values(logs, prior, 1.0)

    assert along.chances == pytest.approx(alone.chances)
    assert (along.evidence, along.drawn) == pytest.approx((alone.evidence, alone.drawn))


def test_chances_are_those_of_all_ways_to_draw(rng):
    logs, prior, anew = rng.normal(size=(4, 3)), rng.dirichlet(np.ones(3), 4), 0.3
    wanted, total, drawn = np.zeros((4, 3)), 0.0, 0.0
    for fresh in product([False, True], repeat=3):
        for values in product(range(3), repeat=4):
            chance = prior[0, values[0]] * math.exp(logs[0, values[0]])
            for at in range(1, 4):
                if fresh[at - 1]:
                    chance *= anew * prior[at, values[at]]
                else:
                    chance *= (1 - anew) * (values[at] == values[at - 1])
                chance *= math.exp(logs[at, values[at]])
            wanted[np.arange(4), values] += chance
            total, drawn = total + chance, drawn + chance * (1 + sum(fresh))

    found = follow_values(logs, prior, anew)

    assert found.chances == pytest.approx(wanted / total)
    assert (found.evidence, found.drawn) == pytest.approx((math.log(total), drawn / total))
