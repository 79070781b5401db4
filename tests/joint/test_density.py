"""The density of a table: the chain of its bins, and codes inside them."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from interactions import make_interactions

from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.density import fit_joint
from sdv_threea.joint.estimates import Singles, estimate
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.sampling.joint import draw_jointly

CONSTANTS = JointConstants()

#: Columns of five, three and four codes; the first has two codes in a bin, and one in none.
BINS = (np.array([-1, 0, 0, 1, 2]), np.arange(3), np.arange(4))
NUM_RECORDS = 20_000.0


def make_law(rng, num_classes=1):
    """How frequent the codes of all columns are in each class, shape (C, 5, 3, 4)."""
    law = rng.gamma(0.5, size=(num_classes, 5, 3, 4))
    law[:, 0] = 0
    return law / law.sum()


def fit(law, constants=CONSTANTS):
    """Fit a density to exact counts."""
    totals = NUM_RECORDS * law.sum(axis=(1, 2, 3))
    shares = law / law.sum(axis=(1, 2, 3), keepdims=True)
    histograms = [sum_to(shares, 0, at + 1) for at in range(3)]
    in_bins = np.add.reduceat(law[:, 1:], [0, 2, 3], axis=1).sum(axis=0)
    tables = {pair: NUM_RECORDS * sum_to(in_bins, *pair) for pair in combinations(range(3), 2)}
    pairs = make_interactions(tables)
    margins = [NUM_RECORDS * sum_to(in_bins, at) for at in range(3)]
    expected = {(i, j): np.outer(margins[i], margins[j]) / NUM_RECORDS for i, j in tables}
    rng = np.random.default_rng(2)
    singles = Singles(BINS, tuple(histograms), (False,) * 3, totals, 0.0)
    known = estimate(singles, pairs, PairCounts({}, {}), expected, constants, rng)
    return fit_joint(known, constants, rng)


def sum_to(table, *axes):
    return table.sum(axis=tuple(at for at in range(table.ndim) if at not in axes))


def measure(codes, classes, num_classes=1):
    """The shares of drawn rows, of the shape of a law."""
    found = np.zeros((num_classes, 5, 3, 4))
    np.add.at(found, (classes, *codes.T), 1 / len(codes))
    return found


def distance(one, other):
    return np.abs(one - other).sum() / 2


def test_drawn_rows_have_the_pairs_of_the_bins_and_the_histograms_of_the_codes(rng):
    law = make_law(rng)
    joint = fit(law)

    codes, classes = draw_jointly(joint, np.array([NUM_RECORDS]), 40_000, rng)

    found = measure(codes, classes)
    for at in (1, 2, 3):
        assert distance(sum_to(found, at), sum_to(law, at)) < 0.005
    for pair in combinations((1, 2, 3), 2):
        parts = [np.add.reduceat(each[:, 1:], [0, 2, 3], axis=1) for each in (found, law)]
        assert distance(*(sum_to(part, *pair) for part in parts)) < 0.015
    assert (codes[:, 0] > 0).all(), 'a code in no bin is not drawn'


def test_classes_come_first_in_the_chain_and_keep_their_histograms(rng):
    law = make_law(rng, 2)
    joint = fit(law)
    totals = NUM_RECORDS * law.sum(axis=(1, 2, 3))

    codes, classes = draw_jointly(joint, totals, 40_000, rng)

    assert joint.class_column == 3
    assert joint.chain.links[0].column == 3
    found = measure(codes, classes, 2)
    for at in (1, 2, 3):
        assert distance(sum_to(found, 0, at), sum_to(law, 0, at)) < 0.025


def test_one_class_is_no_column(rng):
    joint = fit(make_law(rng))

    assert joint.class_column is None
    assert sorted(link.column for link in joint.chain.links) == [0, 1, 2]


@pytest.mark.parametrize('first', [(1,), (2, 0), (1, 0, 2)])
def test_a_chain_from_some_columns_has_them_first_and_is_the_same_each_time(rng, first):
    joint = fit(make_law(rng))
    copy = pickle.loads(pickle.dumps(joint))

    chains = [each.chain_from(first) for each in (joint, joint, copy)]

    assert chains[0] is chains[1]
    assert tuple(link.column for link in chains[0].links)[: len(first)] == first
    drawn = [each.draw(500, np.random.default_rng(7)) for each in chains]
    assert np.array_equal(drawn[0], drawn[2])


def test_tables_that_say_next_to_nothing_are_left_out(rng):
    margins = [rng.dirichlet(np.ones(size)) for size in (5, 3, 4)]
    margins[0][0] = 0
    law = np.einsum('a,b,c->abc', *margins)[None]

    assert fit(law / law.sum()).tables == {}


# Pairs that are known code by code


def test_counts_of_codes_say_which_code_has_which(rng):
    """Twenty codes in six bins each, with noise: the function comes back, and all its margins."""
    size, num_records = 20, 20_000.0
    names, shares = rng.permutation(size), rng.dirichlet(np.full(size, 5.0))
    bins = tuple(rng.permutation(np.arange(size) % 6) for _ in range(2))
    true = np.zeros((size, size))
    true[np.arange(size), names] = num_records * shares
    columns = [true.sum(axis=1), true.sum(axis=0)]
    coarse = np.zeros((6, 6))
    np.add.at(coarse, (bins[0][:, None], bins[1]), true)
    pairs = make_interactions({(0, 1): coarse + rng.normal(0, 30, (6, 6))}, 30.0)
    noisy = true + rng.normal(0, 20, true.shape)
    histograms = tuple(each[None] / num_records for each in columns)
    singles = Singles(bins, histograms, (False, False), np.array([num_records]), 10.0)
    margins = [np.bincount(own, each) for own, each in zip(bins, columns, strict=True)]
    expected = {(0, 1): np.outer(*margins) / num_records}
    known = PairCounts({(0, 1): noisy}, {(0, 1): 20.0})

    known = estimate(singles, pairs, known, expected, CONSTANTS, rng)
    joint = fit_joint(known, CONSTANTS, rng)
    codes, _ = draw_jointly(joint, singles.totals, 20_000, rng)

    assert (names[codes[:, 0]] == codes[:, 1]).mean() > 0.995
    for at in range(2):
        found = np.bincount(codes[:, at], minlength=size) / 20_000
        assert distance(found, histograms[at][0]) < 0.03
    assert joint.functions[0, 1].sum() == pytest.approx(1)
    assert joint.tables[0, 1].sum() == pytest.approx(1)


def test_codes_that_do_not_occur_are_in_no_function(rng):
    singles = Singles(
        (np.array([-1, 0, 1, -1]), np.array([0, 1, 1])),
        (np.array([[0, 0.4, 0.6, 0]]), np.array([[0.4, 0.3, 0.3]])),
        (False, False),
        np.array([1_000.0]),
        1.0,
    )
    assert [each.tolist() for each in singles.codes] == [[-1, 1, 2, -1], [0, 1, 2]]
    coarse = {(0, 1): np.array([[400.0, 0], [0, 600]])}
    noise = np.full((3, 3), 500.0)
    noise[1:] = [[400, 0, 0], [0, 300, 300]]
    expected = {(0, 1): np.array([[160.0, 240], [240, 360]])}
    known = PairCounts({(0, 1): noise}, {(0, 1): 3.0})

    pairs = make_interactions(coarse, 3.0)
    known = estimate(singles, pairs, known, expected, CONSTANTS, rng)
    joint = fit_joint(known, CONSTANTS, rng)
    codes, _ = draw_jointly(joint, singles.totals, 2_000, rng)

    assert joint.functions[0, 1].shape == (4, 3)
    assert set(np.unique(codes[:, 0])) == {1, 2}
    assert ((codes[:, 0] == 1) == (codes[:, 1] == 0)).mean() > 0.99
