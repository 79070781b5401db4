"""The odds of the best guesser, against a guesser of two normal distributions."""

import math

import numpy as np
import pytest

from sdv_threea.accounting import count_exposed, mu_from_epsilon, odds_from_epsilon, odds_from_mu


@pytest.mark.parametrize('mu', [0.0, 0.25, 1.5])
def test_the_odds_are_those_of_two_normal_distributions(mu):
    rng = np.random.default_rng(0)
    without, fitted = rng.normal(size=400_000), rng.normal(mu, size=400_000)
    odds = odds_from_mu(mu)

    guessed = (np.mean(without < mu / 2) + np.mean(fitted >= mu / 2)) / 2
    # Six standard deviations of a share of 400,000 draws.
    assert odds.guessed == pytest.approx(guessed, abs=0.005)
    assert odds.auc == pytest.approx(np.mean(without < fitted), abs=0.005)
    for alarms, found in ((0.01, odds.found), (0.1, odds.found_of_ten)):
        assert found == pytest.approx(np.mean(fitted > np.quantile(without, 1 - alarms)), abs=0.008)


def test_failures_add_to_the_odds_and_nothing_is_surer_than_one():
    assert odds_from_mu(1.0, 0.01).guessed == odds_from_mu(1.0).guessed + 0.01
    assert vars(odds_from_mu(math.inf, 0.5)) == dict.fromkeys(vars(odds_from_mu(1.0)), 1.0)


def test_an_epsilon_has_the_odds_of_what_it_buys():
    assert odds_from_epsilon(1.0, 1e-6) == odds_from_mu(mu_from_epsilon(1.0, 1e-6))


@pytest.mark.parametrize(
    ('delta', 'rows', 'exposed'),
    [(1e-6, 999_999, 0), (1e-6, 1e6, 1), (1e-6, 2.1e6, 3), (1e-3, 0.0, 0), (0.01, 350.0, 4)],
)
def test_delta_times_the_rows_may_be_exposed(delta, rows, exposed):
    assert count_exposed(delta, rows) == exposed
