"""The chain: its law is the one that the tables are of, by enumeration, and draws have it."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from laws import (
    CONSTANTS,
    ROWS,
    SHAPE,
    count,
    distance,
    enumerate_chain,
    fit,
    has_law,
    make_chained,
    make_column,
    make_joint,
    sum_to,
)

from sdv_threea.joint import chain as room
from sdv_threea.joint.chain import Drawn, Link, fit_chain
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.terms import Triples

# The law that is fitted


def test_a_link_survives_weights_beyond_what_an_exponential_carries():
    weights = np.array([[2_000.0, -2_000.0]])
    link = Link(1, np.arange(2), None, np.full((1, 2), 0.5), (0,), (weights,))

    assert link.chances(Drawn.start(1, 2)).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize('order', list(permutations(range(3)))[:4])
def test_pairs_are_those_of_the_tables_in_any_order(rng, order):
    joint = make_joint(rng)

    law = enumerate_chain(fit(joint, [*order, 3]), SHAPE)

    for pair in combinations(range(4), 2):
        assert distance(sum_to(law, *pair), sum_to(joint, *pair)) < 0.012
    for triple in combinations(range(4), 3):
        assert distance(sum_to(law, *triple), sum_to(joint, *triple)) < 0.04


def test_columns_that_are_log_linear_in_those_before_them_come_back_whole(rng):
    for _ in range(3):
        joint = make_chained(rng)

        assert distance(enumerate_chain(fit(joint), SHAPE), joint) < 0.025


def test_columns_are_fitted_given_codes_that_no_table_tells_of(rng):
    """The first two columns depend on each other, and only their given codes show how."""
    joint = make_chained(rng)
    pairs = [pair for pair in combinations(range(4), 2) if pair != (0, 1)]
    known = rng.choice(12, size=20_000, p=sum_to(joint, 0, 1).ravel())
    given = np.stack(np.divmod(known, 4), axis=1)
    columns = [make_column(sum_to(joint, at)) for at in range(4)]
    tables = {pair: sum_to(joint, *pair) for pair in pairs}

    chain = fit_chain(columns, tables, {}, range(4), CONSTANTS, rng, given=given)
    law = enumerate_chain(chain, SHAPE)
    law *= (sum_to(joint, 0, 1) / sum_to(law, 0, 1))[..., None, None]

    assert distance(law, joint) < 0.03
    codes = chain.draw(3, rng, {0: np.array([2, -1, 0]), 1: np.array([3, 3, 1])})
    assert codes[[0, 2], :2].tolist() == [[2, 3], [0, 1]]  # an unknown code is drawn
    assert 0 <= codes[1, 0] < 3


# Functions


def make_map(rng, num_codes=40):
    """Codes with a name each, counted in four bins, and a column that leans on the name's bin."""
    names = rng.permutation(num_codes)
    bins = [rng.integers(0, 4, num_codes) for _ in range(2)]
    for each in bins:
        each[:4] = np.arange(4)
    shares = rng.dirichlet(np.full(num_codes, 3.0))
    function = np.zeros((num_codes, num_codes))
    function[np.arange(num_codes), names] = shares
    leaning = rng.dirichlet(np.full(3, 0.5), 4)
    tables = {
        (0, 1): add_up(function, *bins),
        (1, 2): np.bincount(bins[1], function.sum(axis=0))[:, None] * leaning,
    }
    columns = [
        make_column(shares, bins[0]),
        make_column(function.sum(axis=0), bins[1]),
        make_column(tables[1, 2].sum(axis=0)),
    ]
    return columns, tables, {(0, 1): function}, names


def add_up(table, rows, columns):
    found = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(found, (rows[:, None], columns), table)
    return found


@pytest.mark.parametrize('order', [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_what_is_known_code_by_code_comes_back_through_coarse_bins(rng, order):
    columns, tables, functions, names = make_map(rng)

    chain = fit_chain(columns, tables, functions, order, JointConstants(), rng)
    drawn = chain.draw(ROWS, rng)

    assert np.array_equal(names[drawn[:, 0]], drawn[:, 1])
    for at, column in enumerate(columns):
        found = np.bincount(drawn[:, at], minlength=column.shares.shape[1]) / ROWS
        assert distance(found, column.shares[0]) < 0.02
    found = np.zeros((4, 3))
    np.add.at(found, (columns[1].of_code[drawn[:, 1]], drawn[:, 2]), 1 / ROWS)
    assert distance(found, tables[1, 2]) < 0.02


def test_what_a_code_leaves_out_never_goes_with_it_whatever_other_columns_say(rng):
    """The last column is in one of two bins by the first; five others say that it is elsewhere."""
    function = (np.eye(4) + np.roll(np.eye(4), 1, axis=1)) / 8
    columns = [make_column(np.full(4, 0.25)) for _ in range(7)]
    tables = {(at, 6): np.eye(4) / 4 for at in range(1, 6)} | {(0, 6): function}

    chain = fit_chain(columns, tables, {(0, 6): function}, range(7), JointConstants(), rng)
    drawn = chain.draw(ROWS, rng)

    assert not any(link.settled for link in chain.links)
    assert (function[drawn[:, 0], drawn[:, 6]] > 0).all()


# Triples


def make_either():
    """Two columns that are independent, and a third one: whether one of them is high, not both."""
    one, other = np.meshgrid(range(4), range(4), indexing='ij')
    joint = np.full((4, 4, 2), 0.1 / 32)
    joint[one, other, ((one >= 2) ^ (other >= 2)).astype(int)] += 0.9 / 16
    return joint


@pytest.mark.parametrize('order', list(permutations(range(3)))[::2])
def test_a_triple_says_what_no_pair_says(rng, order):
    joint = make_either()
    merged = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.arange(2)
    coarse = joint.reshape(2, 2, 2, 2, 2).sum(axis=(1, 3))
    triples = Triples({(0, 1, 2): coarse}, merged)

    law = enumerate_chain(fit(joint, order, triples=triples), joint.shape)

    assert distance(law, joint) < 0.03
    assert distance(enumerate_chain(fit(joint, order), joint.shape), joint) > 0.3


@pytest.mark.parametrize('by_class', [False, True])
def test_what_a_pair_excludes_no_triple_brings_back(rng, by_class):
    """The last column is that before it, and whether the first two are both high.

    The chain does not know that the one before it is so, too; so in half of the records the pair
    and the triple exclude both values between them.
    """
    high = np.array([0.5, 0.5])
    columns = [make_column(high), make_column(high), make_column(np.array([0.75, 0.25]))]
    last = make_column(np.array([0.75, 0.25]))
    columns.append(replace(last, shares=np.tile(last.shares, (2, 1)), key=0) if by_class else last)
    both = np.array([[[0.25, 0], [0.25, 0]], [[0.25, 0], [0, 0.25]]])
    triples = Triples({(0, 1, 3): both}, (np.arange(2),) * 4)

    pairs = {(2, 3): np.diag([0.75, 0.25])}
    chain = fit_chain(columns, pairs, {}, range(4), JointConstants(), rng, triples)

    drawn = chain.draw(ROWS, rng)
    assert (drawn[:, 2] != drawn[:, 3]).mean() < 1e-3


# Draws


def test_drawn_records_have_the_law_of_the_chain(rng):
    chain = fit(make_joint(rng))

    drawn = chain.draw(ROWS, rng)

    assert has_law(count(drawn, SHAPE), enumerate_chain(chain, SHAPE))


def test_columns_that_are_known_stay_and_the_others_have_their_law_given_them(rng):
    joint, first, second = make_joint(rng), 2, 0
    chain = fit(joint, (first, second, 3, 1))
    known = {first: rng.integers(0, 5, ROWS), second: rng.integers(0, 3, ROWS)}

    drawn = chain.draw(ROWS, rng, known)

    law = enumerate_chain(chain, SHAPE)
    given = law / law.sum(axis=(1, 3), keepdims=True)
    shown = count(np.stack([known[second], known[first]], axis=1), (3, 5)).reshape(3, 1, 5, 1)
    assert np.array_equal(drawn[:, first], known[first])
    assert np.array_equal(drawn[:, second], known[second])
    assert has_law(count(drawn, SHAPE), given * shown)
    true = joint / joint.sum(axis=(1, 3), keepdims=True)
    assert distance(given * shown, true * shown) / ROWS < 0.08


def test_a_large_draw_is_one_of_blocks_after_each_other(rng, monkeypatch):
    chain, known = fit(make_joint(rng)), rng.integers(0, 3, 2_500)
    monkeypatch.setattr(room, 'BLOCK', 1_000)

    whole = chain.draw(2_500, np.random.default_rng(7), {0: known})

    source = np.random.default_rng(7)
    parts = [chain.draw(len(each), source, {0: each}) for each in np.split(known, [1_000, 2_000])]
    assert np.array_equal(whole, np.concatenate(parts))
