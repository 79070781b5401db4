"""How many rows of a unit are looked at: fewer, the more noise there is."""

import numpy as np

from sdv_threea.constants import RelationalConstants
from sdv_threea.relational.magnitudes import FIRST, MIDDLES, Magnitudes
from sdv_threea.relational.rows_per_unit import choose_bound

SHARE = RelationalConstants().typical_share


def measure(totals, num_units):
    """Make magnitudes of units with these numbers of rows, scaled to a number of units."""
    found = np.searchsorted(FIRST, totals[totals > 0], side='right') - 1
    counts = np.bincount(found, minlength=len(FIRST)) * num_units / max(len(totals), 1)
    return Magnitudes(counts)


def test_without_noise_there_is_no_bound():
    assert choose_bound(measure(np.array([1, 5]), 100), 0.0, SHARE) is None


def test_one_row_per_unit_needs_no_more():
    assert choose_bound(measure(np.ones(100, dtype=np.int64), 1e5), 1.0, SHARE) == 1


def test_units_without_rows_leave_the_smallest_bound():
    assert choose_bound(measure(np.zeros(100, dtype=np.int64), 0.0), 3.0, SHARE) == 1


def test_the_better_the_budget_the_more_rows_are_looked_at():
    totals = np.random.default_rng(0).geometric(0.1, 2000)
    found = [choose_bound(measure(totals, 500), noise, SHARE) for noise in (100.0, 10.0, 1.0, 0.01)]

    assert found == sorted(found)
    assert found[0] < 0.2 * found[-1]
    assert found[-1] > 0.8 * totals.max()


def test_a_few_large_units_do_not_set_the_bound():
    totals = np.full(2000, 2)
    totals[:5] = 1000

    assert choose_bound(measure(totals, 1000), 5.0, SHARE) <= 3


def test_the_bound_makes_the_stated_error_smallest():
    magnitudes = measure(np.random.default_rng(1).geometric(0.2, 500), 300)
    chosen = choose_bound(magnitudes, 4.0, SHARE)

    def error(bound):
        kept = magnitudes.counts @ np.minimum(MIDDLES, bound)
        return (bound * 4.0 / kept) ** 2 + SHARE / kept

    assert error(chosen) <= min(map(error, range(1, 100))) * 1.02
