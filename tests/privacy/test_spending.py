"""The account of a release: promises, receipts, and what is left for the last stage."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sdv_threea.accounting import Budget, Receipt
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.privacy.spending import OverspentError, Spending

BUDGET = Budget(1.0, 1e-5, 1e-6)


def make_receipt(mu):
    return Receipt(stage='s', released='r', sensitivity=1.0, noise_scale=1.0, mu=mu)


def ask(mu, neighbors, noise):
    """Release what it was asked with, at a receipt of that price."""
    return {'mu': mu, 'neighbors': neighbors, 'noise': noise}, make_receipt(mu)


def keep(spending, result, receipts):
    return spending.pay_price(lambda **_: (result, receipts), 1.0)


def open_account(**options):
    return Spending(BUDGET, {'one': 0.4, 'two': 0.2, 'last': 0.4}, discrete_gaussian, **options)


def test_the_last_stage_gets_what_is_left():
    spending = open_account()
    spending.pay_price(ask, spending.price('one'))
    assert math.isclose(spending.left(), BUDGET.mu * math.sqrt(0.6), rel_tol=1e-9)
    spending.pay_price(ask, spending.left())
    assert 0.999999 * BUDGET.mu < spending.ledger.mu <= BUDGET.mu


def test_several_last_ones_share_what_is_left_and_take_no_more():
    spending = open_account()
    spending.pay_price(ask, spending.price('one'))
    left = spending.left()
    assert math.isclose(left, BUDGET.mu * math.sqrt(0.6), rel_tol=1e-9)
    # Less what is promised to later stages.
    assert math.isclose(spending.left(['two']), BUDGET.mu * math.sqrt(0.4), rel_tol=1e-9)

    spending.pay_price(ask, 0.5 * left)

    assert math.isclose(spending.left(), left * math.sqrt(0.75), rel_tol=1e-9)
    spending.pay_price(ask, spending.left())
    assert spending.ledger.mu <= BUDGET.mu
    assert spending.left() < 1e-4 * BUDGET.mu


def test_stages_may_spend_their_shares_together():
    spending = open_account()
    terms = spending.pay(ask, 'one', 'two')
    assert math.isclose(terms['mu'], BUDGET.mu * math.sqrt(0.6), rel_tol=1e-9)
    for stage in ('one', 'two'):
        with pytest.raises(OverspentError, match=f"'{stage}' has had its share"):
            spending.pay(ask, stage)
    with pytest.raises(OverspentError, match="'two' has had its share"):
        spending.pay(ask, 'last', 'two')


@pytest.mark.parametrize('rows_per_unit', [1, 2, 50])
@pytest.mark.parametrize('rounds', [1, 7, 1000])
def test_rounding_never_overspends(rounds, rows_per_unit):
    spending = open_account(rows_per_unit=rows_per_unit)
    for _ in range(rounds):
        spending.pay_price(ask, spending.price('two') / math.sqrt(rounds))
    spending.pay_price(ask, spending.left())
    assert 0.999999 * BUDGET.mu < spending.ledger.mu <= BUDGET.mu


def test_what_costs_more_than_the_budget_is_not_passed_on():
    spending = open_account()
    spending.pay_price(ask, 0.8 * BUDGET.mu)
    with pytest.raises(OverspentError, match='the budget is'):
        spending.pay_price(ask, 0.7 * BUDGET.mu)
    assert spending.left() == 0


def test_nor_is_what_fails_more_often_than_the_budget_allows():
    spending = open_account()
    part = replace(make_receipt(0.1), delta=0.5 * BUDGET.threshold_part)
    keep(spending, None, part)
    keep(spending, None, part)
    with pytest.raises(OverspentError, match='the budget is'):
        keep(spending, 'secret', replace(part, delta=1e-12))


def test_results_pass_through_and_receipts_are_kept_in_order():
    spending = open_account()
    receipts = [make_receipt(mu) for mu in (0.01, 0.02, 0.03)]
    assert keep(spending, 'one', receipts[0]) == 'one'
    assert keep(spending, 'two', receipts[1:]) == 'two'
    assert keep(spending, 'none', ()) == 'none'
    assert spending.ledger.receipts == tuple(receipts)


def test_what_is_left_is_divided_anew():
    spending = open_account()
    terms = spending.pay(ask, 'one')
    spending.divide({'two': 3.0, 'three': 1.0})
    left = math.sqrt(BUDGET.mu**2 - terms['mu'] ** 2)

    assert math.isclose(spending.price('two'), left * math.sqrt(0.75), rel_tol=1e-9)
    for stage in ('two', 'three'):
        spending.pay(ask, stage)
    assert math.isclose(spending.ledger.mu, BUDGET.mu, rel_tol=1e-9)
    assert spending.ledger.mu <= BUDGET.mu


def test_a_stage_gets_no_second_share_when_what_is_left_is_divided():
    spending = open_account()
    spending.pay(ask, 'one')
    with pytest.raises(OverspentError, match='gets no other'):
        spending.divide({'one': 1.0, 'two': 1.0})


def test_dividing_takes_units_of_several_rows_into_account():
    spending = open_account(rows_per_unit=5)
    spending.pay(ask, 'one')
    spent = spending.ledger.mu
    spending.divide({'two': 1.0})

    assert math.isclose(5 * spending.price('two'), math.sqrt(BUDGET.mu**2 - spent**2), rel_tol=1e-9)


def test_releases_get_price_neighbours_and_noise():
    terms = open_account().pay(ask, 'two')
    assert terms['neighbors'] == 'add_remove'
    assert terms['noise'] is discrete_gaussian
    assert math.isclose(terms['mu'], BUDGET.mu * math.sqrt(0.2), rel_tol=1e-9)


def test_uncharged_stages_are_free_of_noise_and_say_so():
    spending = open_account(charged=False)
    assert math.isinf(spending.price('one'))
    # One release without noise makes all that come with it uncharged.
    keep(spending, None, [make_receipt(math.inf), make_receipt(0.1)])
    assert [each.charged for each in spending.ledger.receipts] == [False, False]
    assert math.isclose(spending.left(), BUDGET.mu, rel_tol=1e-9)
    spending.pay_price(ask, spending.left())
    assert spending.ledger.receipts[-1].charged


def test_without_privacy_everything_is_free():
    spending = Spending(Budget(math.inf, 1e-5), {'one': 1.0}, discrete_gaussian)
    assert math.isinf(spending.price('one'))
    assert math.isinf(spending.left())
    assert math.isinf(spending.left())


@pytest.mark.parametrize('rows_per_unit', [1, 2, 50])
def test_stages_are_priced_for_a_record_and_receipts_for_a_unit(rows_per_unit):
    spending = open_account(rows_per_unit=rows_per_unit)
    price = spending.price('one')
    spending.pay_price(ask, price)
    (receipt,) = spending.ledger.receipts

    assert math.isclose(price * rows_per_unit, BUDGET.mu * math.sqrt(0.4), rel_tol=1e-9)
    assert receipt.mu == price * rows_per_unit
    assert receipt.sensitivity == rows_per_unit
    # The noise is what it is: its ratio to the sensitivity of a unit is the price of a unit.
    assert receipt.noise_scale == 1.0


def test_a_part_of_a_budget_gives_a_part_of_the_thresholds():
    spending = Spending(BUDGET.part(0.25), {'one': 1.0}, discrete_gaussian)

    assert spending.threshold_delta == pytest.approx(0.25 * 1e-6)
    assert spending.price('one') == pytest.approx(BUDGET.mu / 2)


@pytest.mark.parametrize('rows_per_unit', [1, 50])
@pytest.mark.parametrize('epsilon', [1e-3, 1.0, 8.0, 400.0])
def test_what_is_left_can_be_spent_to_the_last_bit_in_any_number_of_parts(epsilon, rows_per_unit):
    """However little is left by the parts before: no sum of receipts is rounded beyond."""
    rng, budget = np.random.default_rng(0), Budget(epsilon, 1e-5, 1e-6)
    terms = {'one': 1.0}, discrete_gaussian
    for _ in range(50):
        spending = Spending(budget, *terms, rows_per_unit=rows_per_unit)
        while spending.left() > 1e-6 * budget.mu:
            part = rng.choice([1e-3, 0.3, 0.9, 1 - 1e-6, 1 - 1e-12])
            spending.pay_price(ask, spending.left() * part)
        if spending.left():
            spending.pay_price(ask, spending.left())
        assert (1 - 1e-9) * budget.mu < spending.ledger.mu <= budget.mu
