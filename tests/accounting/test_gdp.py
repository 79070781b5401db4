import math

import numpy as np
import pytest
from dp_accounting.gaussian_mechanism import get_epsilon_gaussian, get_sigma_gaussian

from sdv_threea.accounting import delta_from_mu, epsilon_from_mu, mu_from_epsilon

EPSILONS = (1e-4, 1e-2, 0.1, 1.0, 3.0, 10.0, 50.0)
DELTAS = (1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.1)
GRID = [(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS]


@pytest.mark.parametrize(('epsilon', 'delta'), GRID)
def test_agrees_with_google_dp_accounting(epsilon, delta):
    mu = 1 / get_sigma_gaussian(epsilon, delta)

    # Google's search stops at an absolute 1e-12 in sigma; its delta loses digits at small mu.
    assert mu_from_epsilon(epsilon, delta) == pytest.approx(mu, rel=1e-6)
    if epsilon >= 0.1:
        assert epsilon_from_mu(mu, delta) == pytest.approx(
            get_epsilon_gaussian(1 / mu, delta), rel=1e-9
        )


# Computed with 800 digits from the formula of Corollary 2.13.
@pytest.mark.parametrize(
    ('mu', 'epsilon', 'delta'),
    [
        (1e-08, 0.0, 3.98942280401433e-9), (1e-08, 3e-08, 3.82154322780039e-12),
        (0.0001, 0.0001, 8.33196363992521e-6), (2e-05, 0.0001, 1.0692865697084e-12),
        (0.05, 0.3, 9.08033996640092e-12), (0.999, 2.0, 0.0207943610316144),
        (1.001, 2.0, 0.0210533963011966), (0.03, 1.0, 9.40786785613986e-247),
        (4.0, 0.0001, 0.954497461044184), (8.0, 50.0, 0.00915659067252008),
        (40.0, 900.0, 0.00579746268301143), (60.0, 900.0, 1.0),
        (25.0, 900.0, 1.04985781260193e-122), (2.0, 60.0, 2.11789756572086e-186),
    ],
)  # fmt: skip
def test_delta_is_right_to_nine_digits_at_the_extremes(mu, epsilon, delta):
    assert delta_from_mu(mu, epsilon) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize(('epsilon', 'delta'), [*GRID, (900.0, 1e-9), (1.0, 1e-300), (0.0, 0.1)])
def test_mu_and_epsilon_invert_each_other_on_the_private_side(epsilon, delta):
    mu = mu_from_epsilon(epsilon, delta)
    found = epsilon_from_mu(mu, delta)

    assert delta_from_mu(mu, epsilon) <= delta
    assert delta_from_mu(mu * (1 + 1e-9), epsilon) > delta
    assert found == pytest.approx(epsilon, rel=1e-9, abs=0.0)
    assert delta_from_mu(mu, found) <= delta


def test_limits():
    assert mu_from_epsilon(math.inf, 1e-6) == math.inf
    assert mu_from_epsilon(1.0, 0.0) == 0.0
    assert epsilon_from_mu(math.inf, 1e-6) == math.inf
    assert epsilon_from_mu(1.0, 0.0) == math.inf
    assert epsilon_from_mu(0.0, 0.0) == 0.0
    assert epsilon_from_mu(1e-9, 0.1) == 0.0
    assert delta_from_mu(0.0, 1.0) == 0.0
    assert delta_from_mu(math.inf, 1.0) == 1.0
    assert delta_from_mu(math.inf, math.inf) == 0.0


@pytest.mark.parametrize('epsilon', [1e-300, 1e9, 1e100, 1e300])
def test_absurd_budgets_still_have_an_answer(epsilon):
    mu = mu_from_epsilon(epsilon, 1e-6)

    assert 0 < mu < math.inf
    assert delta_from_mu(mu, epsilon) <= 1e-6


@pytest.mark.parametrize('bad', [-1.0, math.nan])
def test_refuses_what_is_no_privacy_parameter(bad):
    for call in (
        lambda: delta_from_mu(bad, 1.0),
        lambda: delta_from_mu(1.0, bad),
        lambda: mu_from_epsilon(bad, 1e-6),
        lambda: epsilon_from_mu(bad, 1e-6),
        lambda: mu_from_epsilon(1.0, bad),
        lambda: epsilon_from_mu(1.0, 1.0),
    ):
        with pytest.raises(ValueError, match='must be'):
            call()


@pytest.mark.parametrize(
    'number', [np.float16(1), np.float32(1), np.longdouble(1), True, '1', None]
)
def test_numbers_of_a_type_that_rounds_otherwise_are_refused(number):
    for compute in (
        lambda: mu_from_epsilon(number, 1e-6),
        lambda: mu_from_epsilon(1.0, number),
        lambda: epsilon_from_mu(number, 1e-6),
        lambda: delta_from_mu(number, 1.0),
        lambda: delta_from_mu(1.0, number),
    ):
        with pytest.raises(ValueError, match='must be a float'):
            compute()
