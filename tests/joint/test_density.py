"""The density of a table: the chain of its bins, and codes inside them."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from interactions import make_interactions

from sdv_threea.joint.density import fit_joint
from sdv_threea.joint.estimates import Singles, estimate
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.sampling.chained import Chained

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
    known = estimate(singles, pairs, PairCounts({}, {}), expected, constants)
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

    codes, classes = Chained(joint, np.array([NUM_RECORDS])).draw(40_000, rng)

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

    codes, classes = Chained(joint, totals).draw(40_000, rng)

    assert joint.class_column == 3
    assert joint.chain.links[0].column == 3
    found = measure(codes, classes, 2)
    for at in (1, 2, 3):
        assert distance(sum_to(found, 0, at), sum_to(law, 0, at)) < 0.025


@pytest.mark.parametrize('first', [(1,), (2, 0), (1, 0, 2)])
def test_a_chain_from_some_columns_has_them_first_and_is_the_same_each_time(rng, first):
    joint = fit(make_law(rng))
    copy = pickle.loads(pickle.dumps(joint))

    chains = [each.chain_from(first) for each in (joint, joint, copy)]

    assert chains[0] is chains[1]
    assert tuple(link.column for link in chains[0].links)[: len(first)] == first
    drawn = [each.draw(500, np.random.default_rng(7)) for each in chains]
    assert np.array_equal(drawn[0], drawn[2])
