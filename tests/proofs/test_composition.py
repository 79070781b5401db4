"""Lemma 2 of ``docs/lab/proofs.md``: prices may depend on what was released before."""

import math

import numpy as np
import pytest

from sdv_threea.accounting import delta_from_mu

EPSILONS = [0.0, 0.1, 0.5, 1.0, 2.0, 4.0]
MU = 1.5
SHIFT = 8


def answer(law, mu):
    """The laws of an answer on two tables, at a price: a shift, at the scale of lemma 1."""
    chances = law(SHIFT / mu + 0.25, reach=6.0).chances
    room = np.zeros(SHIFT)
    return np.append(chances, room), np.append(room, chances)


def ask(law, prices):
    """The laws of all answers, where each price is a function of the answers before.

    Args:
        law: Adds a law up.
        prices: For each question, the price by the history: whether answers were high.
    """
    laws = {(): (np.ones(1), np.ones(1))}
    for price in prices:
        longer = {}
        for history, (ours, theirs) in laws.items():
            mu = price(history)
            pair = answer(law, mu) if mu else (np.ones(1), np.ones(1))
            high = np.arange(len(pair[0])) > len(pair[0]) // 2
            for told in (False, True):
                kept = [each[high == told] for each in pair]
                longer[(*history, told)] = tuple(
                    np.outer(before, now).ravel()
                    for before, now in zip((ours, theirs), kept, strict=True)
                )
        laws = longer
    return [np.concatenate([pair[side] for pair in laws.values()]) for side in (0, 1)]


def spend_the_rest(*shares):
    """Prices by history that compose to ``MU`` along every one; the last takes what is left."""

    def price(at):
        def chosen(history):
            spent = sum(shares[i](history[:i]) for i in range(at))
            share = 1 - spent if at == len(shares) else min(shares[at](history), 1 - spent)
            return MU * math.sqrt(max(share, 0.0))

        return chosen

    return [price(at) for at in range(len(shares) + 1)]


RULES = {
    'fixed': spend_the_rest(lambda history: 0.3),
    'more where the first was high': spend_the_rest(
        lambda history: 0.3, lambda history: 0.6 if history[0] else 0.1
    ),
    'all at once where the first was high': spend_the_rest(
        lambda history: 0.2, lambda history: 0.8 if history[0] else 0.0
    ),
}


@pytest.mark.parametrize('rule', RULES)
def test_answers_cost_the_root_of_the_squares_whatever_they_depend_on(rule, law, find_delta):
    ours, theirs = ask(law, RULES[rule])
    for epsilon in EPSILONS:
        found = find_delta(ours, theirs, epsilon)
        assert found <= delta_from_mu(MU, epsilon) + 1e-7
        assert found > 0.5 * delta_from_mu(MU, epsilon) - 1e-7


def test_who_spends_more_after_a_high_answer_is_found_out(law, find_delta):
    overspent = [lambda history: MU * 0.7, lambda history: MU if history[0] else MU * 0.7]
    ours, theirs = ask(law, overspent)

    assert find_delta(ours, theirs, 2.0) > 1.1 * delta_from_mu(MU, 2.0)
