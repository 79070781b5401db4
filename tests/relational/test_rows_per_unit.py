"""How many rows of a unit are looked at: fewer, the more noise there is."""

import numpy as np

from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.relational.magnitudes import FIRST, MIDDLES, Magnitudes
from sdv_threea.relational.rows_per_unit import choose_bound

SHARE = 1 / JointConstants().most_bins


def measure(totals, num_units):
    """Make magnitudes of units with these numbers of rows, scaled to a number of units."""
    found = np.searchsorted(FIRST, totals[totals > 0], side='right') - 1
    counts = np.bincount(found, minlength=len(FIRST)) * num_units / max(len(totals), 1)
    return Magnitudes(counts)


def test_without_noise_there_is_no_bound():
    assert choose_bound(measure(np.array([1, 5]), 100), 0.0, SHARE) is None


def test_the_bound_makes_the_stated_error_smallest():
    magnitudes = measure(np.random.default_rng(1).geometric(0.2, 500), 300)
    chosen = choose_bound(magnitudes, 4.0, SHARE)

    def error(bound):
        kept = magnitudes.counts @ np.minimum(MIDDLES, bound)
        return (bound * 4.0 / kept) ** 2 + SHARE / kept

    assert error(chosen) <= min(map(error, range(1, 100))) * 1.02
