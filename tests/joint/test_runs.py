"""Values that follow one another along an order are told by those around them."""

import numpy as np

from sdv_threea.joint.runs import follow_values

NUM_CODES, NUM_VALUES = 80, 4
SHARES = np.full(NUM_VALUES, 1 / NUM_VALUES)


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
        together += count_wrong(follow_values(logs, SHARES), values)

    assert together < alone / 3
