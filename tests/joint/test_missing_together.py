"""Columns whose values are missing together, or not, as noisy counts say."""

import numpy as np
import pytest

from sdv_threea.joint.missing_together import bind_missing, find_bound
from sdv_threea.joint.pairs import PairCounts

TOTAL, NOISE = 30_000.0, 50.0


def decide(both, first, second, others=()):
    """Decide on one pair among others."""
    known = np.array([(both, first, second), *others], dtype=float)
    return find_bound(known[:, 0], known[:, 1:], TOTAL, np.full(len(known), NOISE))[0].tolist()


@pytest.mark.parametrize(
    ('both', 'first', 'second', 'bound'),
    [
        (1_750, 1_800, 1_850, [True, True]),
        (1_780, 1_800, 9_000, [True, False]),
        (1_500, 1_800, 1_850, [False, False]),
        (120, 1_800, 1_850, [False, False]),
        (17_000, 20_000, 17_050, [False, True]),
    ],
)
def test_bound_values_are_told_from_free_ones(both, first, second, bound):
    assert decide(both, first, second) == bound


def test_what_noise_may_explain_depends_on_the_other_pairs():
    """Of five hundred records, four hundred lack both: bound where all are, free where none is."""
    bound, free = [(2_000, 2_000, 2_000)] * 10, [(500, 2_000, 2_000)] * 10

    assert decide(400, 500, 500, bound) == [True, True]
    assert decide(400, 500, 500, free) == [False, False]


def test_columns_that_lack_hardly_a_value_say_nothing_of_the_others():
    """Noise exceeds their numbers: they count for neither."""
    few = [(5, 12, 8)] * 200

    for both, bound in ((400, False), (490, True)):
        assert decide(both, 500, 500) == decide(both, 500, 500, few) == [bound, bound]


def test_records_of_bound_columns_lack_both_values_or_the_wider_one_alone():
    noisy = np.array([[1_750.0, 90.0, -20.0], [1_200.0, 13_000.0, 13_980.0]])
    margins = [noisy.sum(axis=1), noisy.sum(axis=0)]
    tables = {(0, 1): np.maximum(noisy, 0) / TOTAL}

    pairs = PairCounts({(0, 1): noisy}, {(0, 1): NOISE})
    found = bind_missing(tables, pairs, margins, [0, 0], NOISE)[0, 1] * TOTAL

    assert found[0, 1:].sum() < 1
    np.testing.assert_allclose(found.sum(axis=0), margins[1], rtol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), margins[0], rtol=1e-3)
    for missing, scale in (([0, -1], NOISE), ([0, 0], 0.0)):
        same = bind_missing(tables, PairCounts(pairs.tables, {(0, 1): scale}), margins, missing, 0)
        np.testing.assert_array_equal(same[0, 1], tables[0, 1])
