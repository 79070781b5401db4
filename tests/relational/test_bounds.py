"""How many rows of a unit are looked at: what is simulated, and what the noise carries."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from sdv_threea.relational import bounds
from sdv_threea.relational.bounds import (
    NUM_UNITS,
    choose_bound,
    count_distribution,
    count_noise,
    expected_count,
    simulate_totals,
)


@dataclass
class Counted:
    """A release of a column of counts, of which the bounds read the distribution alone."""

    counts: list
    chances: list


@pytest.fixture
def simulate(monkeypatch):
    monkeypatch.setattr(
        bounds,
        'count_distribution',
        lambda released, name: (np.array(released.counts), np.array(released.chances)),
    )
    return lambda *levels: simulate_totals(
        [(Counted(*level), 'number') for level in levels], np.random.default_rng(0)
    )


def test_a_released_column_of_counts_gives_its_distribution(make):
    made = make('two_level', num_units=400)
    (edge,) = made.schema.links
    parent = made.release(epsilon=math.inf).tables['a']
    counts = np.bincount(made.database.parents[edge], minlength=400)
    values, chances = count_distribution(parent.released, parent.layout.counts[edge])

    expected = np.bincount(counts) / 400
    assert values[0] == 0
    assert values[1 : len(expected) + 1].tolist() == list(range(len(expected)))
    assert chances[1 : len(expected) + 1] == pytest.approx(expected, abs=0.02)
    mean = expected_count(parent.released, parent.layout.counts[edge])
    assert mean == pytest.approx(counts.mean(), rel=0.05)


def test_numbers_that_may_be_noise_do_not_count_in_the_mean(monkeypatch):
    values = np.concatenate([[0.0, 1.0, 2.0], 1e9 * np.arange(1, 6)])
    chances = np.array([0.5, 0.3, 0.19, 0.0, 0.01, 0.0, 0.0, 0.0])
    monkeypatch.setattr(bounds, 'count_distribution', lambda *_: (values, chances))

    assert expected_count(None, 'number', 0.02) == pytest.approx(0.3 + 0.38)
    assert expected_count(None, 'number', 1e-5) > 1e7


def test_roots_are_their_own_only_row(simulate):
    assert simulate().tolist() == [1] * NUM_UNITS


def test_rows_multiply_down_a_chain(simulate):
    totals = simulate(([0, 2], [0.5, 0.5]), ([1, 3], [0.5, 0.5]))

    assert set(totals) == {0, 2, 4, 6}
    assert totals.mean() == pytest.approx(2, rel=0.1)
    assert (totals == 0).mean() == pytest.approx(0.5, abs=0.05)


def test_many_rows_at_many_levels_take_no_memory(simulate):
    level = ([0, 1000], [0.5, 0.5])
    totals = simulate(level, level, level, level)

    assert totals[totals > 0].mean() == pytest.approx(500**3 * 1000, rel=0.1)


def test_without_noise_there_is_no_bound():
    assert choose_bound(np.array([1, 5]), 100, 0.0) is None


def test_one_row_per_unit_needs_no_more():
    assert choose_bound(np.ones(100, dtype=np.int64), 1e5, 1.0) == 1


def test_units_without_rows_leave_the_smallest_bound():
    assert choose_bound(np.zeros(100, dtype=np.int64), 0.0, 3.0) == 1


def test_the_better_the_budget_the_more_rows_are_looked_at():
    totals = np.random.default_rng(0).geometric(0.1, 2000)
    found = [choose_bound(totals, 500, noise) for noise in (100.0, 10.0, 1.0, 0.01)]

    assert found == sorted(found)
    assert found[0] < 0.2 * found[-1]
    assert found[-1] > 0.8 * totals.max()


def test_a_few_large_units_do_not_set_the_bound():
    totals = np.full(2000, 2)
    totals[:5] = 1000

    assert choose_bound(totals, 1000, 5.0) <= 3


def test_the_bound_makes_the_stated_error_smallest():
    totals = np.random.default_rng(1).geometric(0.2, 500)
    chosen = choose_bound(totals, 300, 4.0)

    def error(bound):
        kept = np.minimum(totals, bound).mean() * 300
        return (bound * 4.0 / kept) ** 2 + 0.02 / kept

    every = [error(bound) for bound in range(1, totals.max() + 1)]
    assert error(chosen) <= min(every) * 1.02


def test_the_noise_of_a_count_is_that_of_the_histograms():
    assert count_noise(8, 1.5) == 2.0
    assert count_noise(8, math.inf) == 0.0
