import dataclasses
import math

import pytest
from dp_accounting import ComposedDpEvent, GaussianDpEvent, NeighboringRelation, pld

from sdv_threea.accounting import Ledger, Receipt, delta_from_mu, mu_from_epsilon


def receipt(mu, delta=0.0, charged=True):
    return Receipt(
        stage='adapt',
        released='moments',
        sensitivity=2.0,
        noise_scale=2.0 / mu,
        mu=mu,
        delta=delta,
        charged=charged,
    )


def test_an_empty_ledger_costs_nothing():
    assert (Ledger().mu, Ledger().delta) == (0.0, 0.0)


def test_mu_composes_by_the_root_of_squares():
    assert Ledger((receipt(3.0), receipt(4.0))).mu == pytest.approx(5.0, rel=1e-15)
    assert Ledger((receipt(3.0), receipt(math.inf))).mu == math.inf


def test_composition_agrees_with_the_privacy_loss_distribution():
    prices = (0.3, 0.5, 0.2)
    accountant = pld.PLDAccountant(NeighboringRelation.ADD_OR_REMOVE_ONE)
    accountant.compose(ComposedDpEvent([GaussianDpEvent(1 / mu) for mu in prices]))

    ledger = Ledger().add(*map(receipt, prices))

    assert delta_from_mu(ledger.mu, 1.0) == pytest.approx(accountant.get_delta(1.0), rel=1e-2)


def test_failure_probabilities_add_up():
    assert Ledger((receipt(1.0, 1e-7), receipt(1.0, 3e-7))).delta == pytest.approx(4e-7)


def test_uncharged_receipts_are_kept_and_cost_nothing():
    free = receipt(7.0, 0.1, charged=False)
    ledger = Ledger((receipt(1.0, 1e-7), free))

    assert (ledger.mu, ledger.delta) == (1.0, 1e-7)
    assert free in ledger.receipts
    assert ledger.to_dict()['receipts'][1]['charged'] is False


def test_ledgers_grow_by_making_new_ones():
    first, second = Ledger((receipt(1.0),)), Ledger((receipt(2.0),))

    both = first + second

    assert both.receipts == (receipt(1.0), receipt(2.0))
    assert first.add(receipt(2.0)) == both
    assert first.receipts == (receipt(1.0),)
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.receipts = ()


def test_to_dict_names_every_field():
    document = Ledger((receipt(3.0, 1e-7),)).to_dict()

    assert document['mu'] == 3.0
    assert document['delta'] == 1e-7
    assert document['receipts'] == [
        {
            'stage': 'adapt', 'released': 'moments', 'sensitivity': 2.0, 'noise_scale': 2.0 / 3.0,
            'mu': 3.0, 'delta': 1e-7, 'charged': True, 'statistic': '',
        }
    ]  # fmt: skip


@pytest.mark.parametrize('prices', [{'mu': -1.0}, {'mu': math.nan}, {'mu': 1.0, 'delta': 1.0}])
def test_refuses_prices_that_cannot_be(prices):
    with pytest.raises(ValueError, match='must be'):
        Receipt(stage='a', released='b', sensitivity=1.0, noise_scale=1.0, **prices)


@pytest.mark.parametrize('fits', [1, 2, 3, 50])
def test_several_fits_of_the_same_records_compose_like_releases(fits):
    mu, failure = mu_from_epsilon(0.5, 9e-7), 1e-7
    together = Ledger((receipt(mu, failure),) * fits)
    delta = fits * 1e-6
    epsilon = together.epsilon(delta)

    assert together.mu == pytest.approx(math.sqrt(fits) * mu, rel=1e-12)
    assert together.delta == pytest.approx(fits * failure)
    assert delta_from_mu(together.mu, epsilon) + together.delta <= delta * (1 + 1e-12)
    assert delta_from_mu(together.mu, epsilon * (1 - 1e-6)) + together.delta > delta
    # Less than basic composition says, and of one fit what its budget was.
    assert 0.5 < epsilon < fits * 0.5 or (fits == 1 and epsilon == pytest.approx(0.5, rel=1e-9))


@pytest.mark.parametrize(
    ('ledger', 'delta', 'epsilon'),
    [
        (Ledger(), 0.0, 0.0),
        (Ledger(), 1e-6, 0.0),
        (Ledger((receipt(1.0),)), 0.0, math.inf),
        (Ledger((receipt(1.0, 1e-6),)), 1e-6, math.inf),
        (Ledger((receipt(1.0, 1e-6),)), 1e-9, math.inf),
        (Ledger((receipt(math.inf),)), 1e-6, math.inf),
        (Ledger((receipt(5.0, 0.1),) * 9), 2.0, 0.0),
    ],
)
def test_the_limits_of_what_can_be_promised(ledger, delta, epsilon):
    assert ledger.epsilon(delta) == epsilon


def test_a_budget_that_is_spent_keeps_its_promise_and_no_stronger_one():
    ledger = Ledger((receipt(mu_from_epsilon(0.5, 9e-7), 1e-7),))

    assert ledger.keeps(0.5, 1e-6)
    assert not ledger.keeps(0.5 * (1 - 1e-4), 1e-6)
    assert not ledger.keeps(0.5, 1e-6 * (1 - 1e-4))
    assert not ledger.add(receipt(0.01)).keeps(0.5, 1e-6)
    assert not ledger.add(receipt(1e-9, 1e-8)).keeps(0.5, 1e-6)
    assert ledger.add(receipt(5.0, 0.1, charged=False)).keeps(0.5, 1e-6)
    assert Ledger().keeps(0.0, 1e-50)


@pytest.mark.parametrize(
    ('sensitivity', 'noise', 'mu', 'paid'),
    [
        (1.0, 10.0, 0.1, True), (1.0, 10.1, 0.1, True), (1.0, 9.9, 0.1, False),
        (1.0, 0.0, 0.1, False), (math.nan, 10.0, 0.1, False), (1.0, math.nan, 0.1, False),
        (1.0, 0.0, math.inf, True),
    ],
)  # fmt: skip
def test_a_price_is_that_of_the_noise_or_it_is_not_paid(sensitivity, noise, mu, paid):
    terms = {'sensitivity': sensitivity, 'noise_scale': noise, 'mu': mu}
    one = Receipt(stage='a', released='b', **terms)

    assert one.is_paid is paid
    assert Ledger((one,)).keeps(1.0, 1e-6) is (paid and mu < math.inf)
