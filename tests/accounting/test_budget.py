import dataclasses
import math

import numpy as np
import pytest

from sdv_threea.accounting import Budget, Ledger, Receipt, delta_from_mu, mu_from_epsilon


def test_mu_is_what_epsilon_buys():
    assert Budget(1.0, 1e-6).mu == mu_from_epsilon(1.0, 1e-6)
    assert Budget(math.inf, 1e-6).mu == math.inf
    with pytest.raises(dataclasses.FrozenInstanceError):
        Budget(1.0, 1e-6).epsilon = 2.0


def test_thresholds_take_their_part_of_delta_first():
    budget = Budget(1.0, 1e-6, threshold_delta=4e-7)

    assert delta_from_mu(budget.mu, 1.0) + 4e-7 <= 1e-6
    assert budget.mu < Budget(1.0, 1e-6).mu


def test_split_follows_the_shares():
    parts = Budget(1.0, 1e-6).split({'approximate': 1.0, 'adapt': 0.0, 'anonymize': 3.0})

    assert list(parts) == ['approximate', 'adapt', 'anonymize']
    assert parts['adapt'] == 0.0
    assert parts['anonymize'] / parts['approximate'] == pytest.approx(math.sqrt(3))


def test_the_parts_compose_to_the_budget_and_never_to_more():
    rng = np.random.default_rng(0)
    for _ in range(300):
        budget = Budget(float(10 ** rng.uniform(-3, 2)), float(10 ** rng.uniform(-12, -2)))
        shares = {str(stage): float(rng.uniform()) for stage in range(rng.integers(1, 40))}

        parts = budget.split(shares)
        ledger = Ledger(tuple(map(_spent, parts.values())))

        assert math.fsum(mu**2 for mu in parts.values()) <= budget.mu**2
        assert ledger.mu <= budget.mu
        assert ledger.mu == pytest.approx(budget.mu, rel=1e-14)


def test_an_infinite_budget_gives_to_those_with_a_share():
    assert Budget(math.inf, 1e-6).split({'a': 1, 'b': 0}) == {'a': math.inf, 'b': 0.0}


@pytest.mark.parametrize(
    'shares', [{}, {'a': 0.0}, {'a': -1.0, 'b': 2.0}, {'a': math.nan}, {'a': math.inf}]
)
def test_refuses_shares_that_share_nothing(shares):
    with pytest.raises(ValueError, match='shares must be finite'):
        Budget(1.0, 1e-6).split(shares)


@pytest.mark.parametrize(
    ('fields', 'name'),
    [
        ({'epsilon': 0.0}, 'epsilon'),
        ({'epsilon': -1.0}, 'epsilon'),
        ({'epsilon': math.nan}, 'epsilon'),
        ({'delta': 0.0}, 'delta'),
        ({'delta': 1.0}, 'delta'),
        ({'delta': math.nan}, 'delta'),
        ({'threshold_delta': -1e-9}, 'threshold_delta'),
        ({'threshold_delta': 1e-6}, 'threshold_delta'),
        ({'neighbors': 'swap'}, 'neighbors'),
    ],
)
def test_refuses_bad_fields_by_name(fields, name):
    with pytest.raises(ValueError, match=f'^{name} must be'):
        Budget(**{'epsilon': 1.0, 'delta': 1e-6, **fields})


def test_parts_compose_to_the_whole_and_never_to_more():
    rng = np.random.default_rng(1)
    for _ in range(200):
        budget = Budget(float(10 ** rng.uniform(-2, 1)), 1e-5, 1e-6)
        shares = rng.dirichlet(np.ones(rng.integers(1, 12))).tolist()
        parts = [budget.part(share) for share in shares if share > 0]

        assert math.hypot(*(part.mu for part in parts)) == pytest.approx(budget.mu, rel=1e-12)
        failures = math.fsum(part.threshold_part for part in parts)
        assert failures == pytest.approx(budget.threshold_part, rel=1e-12)


def test_a_part_of_a_part_is_their_product():
    budget = Budget(1.0, 1e-5, 1e-6)

    assert budget.part(0.5).part(0.25) == budget.part(0.125)
    assert budget.part(0.25).mu == pytest.approx(budget.mu / 2)
    assert budget.part(0.25).split({'a': 1.0})['a'] <= budget.part(0.25).mu


def test_a_part_keeps_the_promise_and_the_neighbours():
    part = Budget(2.0, 1e-5, 1e-6, 'replace_one').part(0.3)

    assert (part.epsilon, part.delta, part.neighbors) == (2.0, 1e-5, 'replace_one')
    assert Budget(math.inf, 1e-5).part(0.3).mu == math.inf


@pytest.mark.parametrize('share', [0.0, -0.1, 1.1, math.nan])
def test_refuses_parts_that_are_none_or_more_than_the_whole(share):
    with pytest.raises(ValueError, match='^share must be'):
        Budget(1.0, 1e-6).part(share)


def _spent(mu):
    return Receipt(stage='a', released='b', sensitivity=1.0, noise_scale=1.0, mu=mu)
