"""The observer: it finds signals of each kind, and none where there is none."""

import numpy as np
import pytest
from scipy.stats import norm

from sdv_threea.audit import bound_epsilon, bound_mu
from sdv_threea.audit.game import (
    MAX_FEATURES,
    choose_threshold,
    count_guesses,
    guess,
    make_classifiers,
)

RUNS = 600


def bound(guesses):
    return bound_mu(guesses)


@pytest.fixture
def worlds():
    return np.random.default_rng(1).integers(2, size=RUNS)


def look(table, worlds):
    observed = [{f'{at}': float(number) for at, number in enumerate(row)} for row in table]
    return guess(observed, worlds, {'mu': bound}, np.random.default_rng(2))['mu']


def test_a_signal_spread_over_many_numbers_is_found(worlds):
    table = np.random.default_rng(3).normal(size=(RUNS, 40)) + worlds[:, None] * 2 / np.sqrt(40)
    guesses = look(table, worlds)
    # The best possible rule errs in 16 %. To learn 40 weights from 300 runs costs some more.
    assert norm.cdf(-1) * RUNS / 4 < guesses.wrong < 0.26 * RUNS / 2


def test_one_number_among_many_that_gives_it_away_is_found(worlds):
    table = np.random.default_rng(3).normal(size=(RUNS, 150))
    table[:, 7] = 100 + worlds
    assert look(table, worlds).wrong == 0


@pytest.mark.parametrize('seed', range(1, 5))
def test_the_linear_classifier_does_not_drop_the_one_number_that_gives_all_away(seed):
    """Nothing varies among runs of one table then: a variance may be below zero by rounding."""
    rng = np.random.default_rng(seed)
    worlds = rng.integers(2, size=60)
    table = rng.normal(size=(60, 2 * MAX_FEATURES))
    table[:, 7] = 39 + worlds
    linear = make_classifiers(table.shape[1], 30, rng)[0].fit(table[:30], worlds[:30])
    np.testing.assert_array_equal(linear.predict(table[30:]), worlds[30:])


def test_where_there_is_nothing_nothing_is_found(worlds):
    table = np.random.default_rng(3).normal(size=(RUNS, 40))
    # Guesses about runs that were not learned from are right by chance, within 5 deviations.
    assert abs(look(table, worlds).wrong - RUNS / 4) < 5 * np.sqrt(RUNS / 8)


def test_the_rule_does_not_depend_on_the_second_half(worlds):
    """A mark that only runs of the second half have cannot be learned."""
    table = np.zeros((RUNS, 2))
    table[:, 0] = np.random.default_rng(3).normal(size=RUNS)
    table[RUNS // 2 :, 1] = worlds[RUNS // 2 :]
    before = look(table, worlds)
    table[RUNS // 2 :, 1] = 0
    assert look(table, worlds) == before


def test_words_that_some_runs_have_are_features(worlds):
    observed = [{'n': 1.0, **({'canary': 1.0} if world else {})} for world in worlds]
    guesses = guess(observed, worlds, {'mu': bound}, np.random.default_rng(2))['mu']
    assert guesses.wrong == 0


@pytest.mark.parametrize('observed', [{}, {'n': 1.0}, {'n': np.nan}])
def test_where_all_runs_are_alike_nobody_guesses(worlds, observed):
    guesses = guess([observed] * RUNS, worlds, {'mu': bound}, np.random.default_rng(2))['mu']
    assert guesses.false_alarms == 0
    assert guesses.misses == guesses.present


def test_a_threshold_serves_the_bound_that_it_is_for():
    # One run in five with the canary has a clear mark. For the others a guess is a coin toss.
    rng = np.random.default_rng(0)
    worlds = np.arange(2000) % 2
    scores = rng.normal(size=2000) + 0.2 * worlds + 10 * (worlds & (rng.random(2000) < 0.2))
    threshold, _ = choose_threshold(scores, worlds, lambda each: bound_epsilon(each, 0.0))
    assert 2 < threshold < 10
    assert count_guesses(scores > threshold, worlds).false_alarms < 20
