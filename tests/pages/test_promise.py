"""The promise in plain words: odds where there is a promise, and no promise where there is none."""

import math

import pandas as pd
import pytest

from sdv_threea.pages.promise import is_promised, list_odds, share_stages, tell_promise

STRONG = {'epsilon': 1.0, 'delta': 1e-6, 'guarantee': 'end_to_end', 'unit': 'one row', 'mu': 0.2355}


def test_a_promise_is_told_as_the_odds_of_a_guess():
    said = ' '.join(tell_promise(STRONG))

    assert 'whether one row was fitted' in said
    # docs/privacy.md: 54.7 of 100, and limits are rounded up.
    assert 'right in at most 55 of 100' in said
    assert 'ε = 1 at δ = 1e-06, a promise that is strong' in said


@pytest.mark.parametrize(
    ('epsilon', 'delta', 'strength'),
    [
        (1.0, 1e-6, 'strong'), (3.0, 1e-6, 'moderate'), (8.0, 1e-6, 'weak against'),
        (1.0, 9e-3, 'moderate'), (0.1, 1e-9, 'strong'), (0.01, 0.5, 'weak against'),
    ],
)  # fmt: skip
def test_a_promise_is_as_strong_as_the_best_guesser_is_weak(epsilon, delta, strength):
    facts = {'epsilon': epsilon, 'delta': delta, 'guarantee': 'end_to_end'}
    assert f'a promise that is {strength}' in ' '.join(tell_promise(facts))


def test_those_who_may_be_exposed_are_counted():
    assert 'exposed' not in ' '.join(tell_promise(STRONG | {'exposed': 0}))
    said = ' '.join(tell_promise(STRONG | {'exposed': 1200}))
    assert 'delta=1e-06 is at or above 1 / (released number of rows)' in said
    assert '1,200 of them were exposed entirely' in said
    assert 'number of units' in ' '.join(tell_promise(STRONG | {'exposed': 2, 'tables': {}}))


@pytest.mark.parametrize(
    'facts', [STRONG | {'epsilon': math.inf, 'guarantee': 'none'}, STRONG | {'guarantee': 'paper'}]
)
def test_where_nothing_is_promised_that_is_what_is_said(facts):
    assert not is_promised(facts)
    (said,) = tell_promise(facts)
    assert said.startswith('Nothing, end to end')


def test_without_a_statement_nothing_is_known():
    assert tell_promise({}) == [
        'Not known here: no synthesizer with a privacy statement was given.'
    ]


def test_failures_of_thresholds_count_and_several_fits_are_told():
    receipt = {'stage': 'describe', 'delta': 0.1, 'mu': 0.2, 'charged': True}
    said = ' '.join(tell_promise(STRONG | {'receipts': [receipt], 'fits': 3}))

    assert 'at most 65 of 100' in said
    assert 'fitted 3 times' in said


def test_the_odds_of_other_epsilons_stand_around_those_of_this_one():
    rows = list(list_odds(STRONG | {'epsilon': 1.5, 'mu': 0.342}))

    assert [row['ε'] for row in rows] == ['0.1', '0.5', '1', '1.5 (here)', '2', '3', '5', '8']
    guessed = [float(row['a coin is guessed right, of 100']) for row in rows]
    assert guessed == sorted(guessed)


def test_stages_share_the_squared_loss_of_what_was_charged():
    receipts = [
        {'stage': 'encoding', 'mu': 1.0, 'charged': True},
        {'stage': 'anonymize', 'mu': 1.0, 'charged': True},
        {'stage': 'anonymize', 'mu': math.sqrt(2), 'charged': True},
        {'stage': 'adapt', 'mu': 5.0, 'charged': False},
    ]
    expected = pd.Series({'encoding': 0.25, 'anonymize': 0.75})
    pd.testing.assert_series_equal(share_stages(receipts), expected)
    assert share_stages([{'stage': 'a', 'mu': math.inf, 'charged': True}]).empty
