"""Which triples are worth counting, and what is made of their counts."""

import math
from itertools import combinations

import numpy as np
import pytest

from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.interplay import Interplay, choose_triples, exceed_chance, expect_triples
from sdv_threea.joint.joint_constants import JointConstants

CONSTANTS = JointConstants()
TRIPLE = (0, 1, 2)
MERGED = tuple(np.arange(size) for size in (4, 3, 5))
UNORDERED = (False,) * 3


def make_law(rng, strength=0.0):
    """A law of three columns: pairs, and, with strength, what they say only together."""
    one, two, three = rng.normal(size=(4, 3)), rng.normal(size=(4, 5)), rng.normal(size=(3, 5))
    logs = one[:, :, None] + two[:, None] + three[None] + strength * rng.normal(size=(4, 3, 5))
    return np.exp(0.5 * logs) / np.exp(0.5 * logs).sum()


def pairs_of(law):
    return {(0, 1): law.sum(axis=2), (0, 2): law.sum(axis=1), (1, 2): law.sum(axis=0)}


def sum_to(table, axes):
    return table.sum(axis=tuple(at for at in range(table.ndim) if at not in axes))


def distance(one, other):
    return float(np.abs(one - other).sum()) / 2


def make_pairs(num_columns, scale, size=5):
    wanted = list(combinations(range(num_columns), 2))
    tables = dict.fromkeys(wanted, np.zeros((size, size)))
    return Interactions(tables, dict.fromkeys(wanted, scale))


def test_expected_counts_have_their_pairs_and_no_interaction(rng):
    """In coarser bins, for several triples of several shapes at once."""
    law = rng.dirichlet(np.ones(6 * 3 * 5 * 3)).reshape(6, 3, 5, 3)
    merged = np.array([0, 0, 1, 1, 2, 2]), *map(np.arange, law.shape[1:])
    coarse = law.reshape(3, 2, 3, 5, 3).sum(axis=1)
    pairs = {pair: sum_to(law, pair) for pair in combinations(range(4), 2)}
    triples = list(combinations(range(4), 3))

    expected = expect_triples(pairs, merged, triples, 1200.0)

    assert list(expected) == triples
    for triple, table in expected.items():
        for pair in combinations(range(3), 2):
            wanted = 1200 * sum_to(coarse, [triple[at] for at in pair])
            assert sum_to(table, pair) == pytest.approx(wanted, rel=0.02)
        # Without an interaction of all three, logarithms add up along pairs.
        for axis in range(3):
            logs = np.log(table)
            table = np.exp(logs - logs.mean(axis=axis, keepdims=True))
        assert table == pytest.approx(np.ones_like(table), rel=1e-6)


@pytest.mark.parametrize('num_records', [500, 20_000])
@pytest.mark.parametrize('shape', [(2, 2, 2), (11, 11, 11)])
def test_by_chance_nothing_is_far_off(rng, num_records, shape):
    """Sparse tables, too, as they are compared in whole numbers."""
    law, found = rng.dirichlet(np.full(math.prod(shape), 0.2)), []
    expected = {TRIPLE: law.reshape(shape) * num_records}
    for _ in range(40):
        private = rng.multinomial(num_records, law).reshape(shape)
        distances = np.array([np.abs(private - np.rint(expected[TRIPLE])).sum()])
        found.append(exceed_chance(distances, expected)[0] / num_records)
    # Where one bin has nearly all records, their number leaves less to chance.
    assert -0.05 < np.mean(found) < 0.01


# Which are counted


def choose(excess, mu, scale=100.0, num_columns=5):
    tables = {(0, 1, at + 2): np.full((4, 4, 4), 100.0) for at in range(len(excess))}
    return choose_triples(np.array(excess), tables, make_pairs(num_columns, scale), mu, CONSTANTS)


def test_triples_that_are_not_off_are_not_counted():
    assert choose([-50.0, 0.0, -3.0], 1.0) == ([], 0.0)


def test_triples_that_noise_would_drown_are_not_counted():
    assert choose([2000.0], 1e-3) == ([], 0.0)


def test_without_noise_all_that_are_off_are_counted_up_to_a_number():
    chosen, _ = choose([5.0] * 80 + [-1.0], math.inf, scale=0.0)
    assert len(chosen) == CONSTANTS.most_triples
    chosen, _ = choose([5.0, -1.0, 7.0], math.inf, scale=0.0)
    assert chosen == [(0, 1, 4), (0, 1, 2)]


def test_where_pairs_lose_more_nothing_is_counted():
    """The more columns there are, the more triples are made of their pairs."""
    assert choose([2000.0], 1.0, num_columns=5)[0] == [(0, 1, 2)]
    assert choose([2000.0], 1.0, num_columns=40)[0] == []


# What is made of them


def estimate(counts, expected, scale, pairs):
    known = Interplay(
        Interactions({TRIPLE: counts}, {TRIPLE: scale}), {TRIPLE: expected}, MERGED, UNORDERED
    )
    return known.estimate(pairs)[TRIPLE]


def test_without_noise_counts_are_taken_at_their_word(rng):
    law, expected = make_law(rng, 2.0), make_law(rng)
    found = estimate(5000 * law, 5000 * expected, 0.0, pairs_of(law))
    assert distance(found, law) < 1e-4


def test_a_table_has_its_pairs(rng):
    law = make_law(rng, 1.0)
    counts = 20_000 * law + rng.normal(scale=30.0, size=law.shape)
    found = estimate(counts, 20_000 * make_law(rng), 30.0, pairs_of(law))
    for pair, table in pairs_of(found).items():
        assert distance(table, pairs_of(law)[pair]) < 0.005
    assert found.min() > 0


def test_noise_that_drowns_a_triple_leaves_what_pairs_say(rng):
    law = make_law(rng)
    counts = 1000 * law + rng.normal(scale=2000.0, size=law.shape)
    assert distance(estimate(counts, 1000 * law, 2000.0, pairs_of(law)), law) < 0.05
