"""The exchange rate against an independent implementation, with fifty digits, to nine of them.

``delta = Phi(-low) - exp(epsilon) Phi(-high)`` (Dong, Roth, Su 2019, Corollary 2.13) as it stands,
in mpmath's arithmetic of any precision; roots by bisection. Nothing is shared with the package,
which computes with floats and other formulas. mpmath comes with dp-accounting.
"""

import mpmath
import numpy as np
import pytest

from sdv_threea.accounting import (
    Budget,
    Ledger,
    Receipt,
    delta_from_mu,
    epsilon_from_mu,
    mu_from_epsilon,
)

DIGITS = 50

EPSILONS = (1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0, 3.0, 10.0, 25.0, 50.0)
DELTAS = (1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-3, 1e-2, 0.1)
CORNERS = [(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS]


def draw_pairs(number, seed=7):
    """Draw budgets evenly over the orders of magnitude."""
    rng = np.random.default_rng(seed)
    epsilons = 10 ** rng.uniform(-4, np.log10(50), number)
    return list(zip(epsilons.tolist(), (10 ** rng.uniform(-12, -1, number)).tolist(), strict=True))


PAIRS = CORNERS + draw_pairs(60)


def exact_delta(mu, epsilon):
    mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
    low, high = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    return mpmath.ncdf(-low) - mpmath.exp(epsilon) * mpmath.ncdf(-high)


def bisect(rising, low, high):
    """Find where a rising function is 0, to a relative 1e-15, between bounds that enclose it."""
    low, high = mpmath.mpf(low), mpmath.mpf(high)
    assert rising(low) < 0 < rising(high)
    while high - low > 1e-15 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(DIGITS):
        yield


@pytest.mark.parametrize(('epsilon', 'delta'), PAIRS)
def test_three_ways_to_nine_digits(epsilon, delta):
    mu = mu_from_epsilon(epsilon, delta)

    exact = bisect(lambda trial: exact_delta(trial, epsilon) - delta, mu * 0.9, mu * 1.1)
    assert abs(mu / exact - 1) < 1e-9
    # On the private side, to the last digits of a float.
    assert mu <= exact * (1 + mpmath.mpf(10) ** -13)
    assert abs(delta_from_mu(mu, epsilon) / exact_delta(mu, epsilon) - 1) < 1e-9
    found = epsilon_from_mu(mu, delta)
    nearest = bisect(lambda trial: delta - exact_delta(mu, trial), found * 0.9, found * 1.1)
    assert abs(found / nearest - 1) < 1e-9


def test_the_independent_implementation_is_that_of_the_corollary():
    """Two values that are known otherwise: total variation, and symmetry."""
    assert exact_delta(2, 0) == pytest.approx(float(2 * mpmath.ncdf(1) - 1), rel=1e-15)
    mu, epsilon = mpmath.mpf('0.7'), mpmath.mpf('0.3')
    reverse = 1 - mpmath.exp(epsilon) * (1 - exact_delta(mu, -epsilon))
    assert abs(reverse - exact_delta(mu, epsilon)) < mpmath.mpf(10) ** -40


@pytest.mark.parametrize(('epsilon', 'delta'), draw_pairs(40, seed=8))
def test_what_is_spent_of_a_budget_is_never_more_than_promised(epsilon, delta):
    """Shares, parts, composition and thresholds, all roundings included."""
    rng = np.random.default_rng(int(1e9 * epsilon) % 2**32)
    budget = Budget(epsilon, delta, 0.1 * delta)
    parts = [budget.part(share) for share in rng.dirichlet(np.ones(4)).tolist()]
    shares = {str(stage): share for stage, share in enumerate(rng.uniform(0, 1, 6).tolist())}
    terms = {'released': '', 'sensitivity': 1.0, 'noise_scale': 1.0}
    spent = Ledger(
        tuple(
            Receipt(**terms, stage=stage, mu=mu, delta=failure)
            for part in parts
            for stage, mu in part.split(shares).items()
            for failure in [part.threshold_part / len(shares)]
        )
    )

    promised = exact_delta(mpmath.mpf(spent.mu), epsilon) + mpmath.mpf(spent.delta)
    assert promised <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -12)
    # Nor is much left over.
    assert promised >= mpmath.mpf(delta) * (1 - mpmath.mpf(10) ** -6)
