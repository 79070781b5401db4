from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate.bins import bin_weights
from sdv_threea.approximate.counts import BinPlan, ClassCounts, Counts
from sdv_threea.approximate.marginals import class_chances, fit_scores, plan_class_counts, shorten
from sdv_threea.constants import ApproximateConstants

CONSTANTS = ApproximateConstants()
class_chances = partial(class_chances, constants=CONSTANTS)
fit_scores = partial(fit_scores, constants=CONSTANTS)
plan_class_counts = partial(plan_class_counts, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(19)


# The plan


def test_the_radius_leaves_room_for_most_records_and_what_it_takes_is_known(rng):
    """Of records whose columns are independent, as the plan takes them to be."""
    columns = [np.append(0.9, np.full(20, 0.005)), np.full(12, 1 / 12), np.array([0.97, 0.03])] * 4
    plans = [BinPlan(np.arange(len(own)), False, bin_weights(own, 1e-3)) for own in columns]

    plan = shorten(plans, columns, CONSTANTS)

    codes = [rng.choice(len(own), 40_000, p=own) for own in columns]
    found = [each.weights[own] for each, own in zip(plans, codes, strict=True)]
    norms = np.linalg.norm(found, axis=0)
    assert 0.01 < (norms > plan.radius).mean() < 0.15
    kept = np.minimum(1, plan.radius / norms)
    for own, each in zip(codes, plan.kept, strict=True):
        assert np.bincount(own, kept) / np.bincount(own) == pytest.approx(each, abs=0.03)


# Scores


def score(counts, by_class, masks, ordered, evident=None):
    chances = class_chances(counts, by_class, masks, ordered)
    evident = evident or [False] * len(masks)
    return fit_scores(counts, by_class, chances, masks, ordered, evident)


def make_by_class(tables, scale=0.0):
    """Counts of classes in which every code is a bin, and their sums."""
    plans = tuple(
        BinPlan(np.arange(part.shape[1]), True, np.ones(part.shape[1], dtype=np.int64))
        for part in tables
    )
    totals = tables[0].sum(axis=1)
    counts = Counts(tuple(part.sum(axis=0) for part in tables), totals, scale)
    return counts, ClassCounts(
        tuple(tables), plans, tuple(np.full(part.shape[1], scale) for part in tables)
    )


def test_scores_follow_the_counts_of_each_class_and_of_all(rng):
    counts, by_class = make_by_class([np.array([[0.0, 30.0, 10.0], [0.0, 40.0, 120.0]])])

    scores, pooled = score(counts, by_class, [np.array([False, True, True])], [True])

    assert scores.cuts[0] == pytest.approx(np.array([[0, 0, 0.75, 1], [0, 0, 0.25, 1]]))
    assert pooled.cuts[0] == pytest.approx(np.array([[0, 0, 0.35, 1]]))


def test_numbers_keep_their_order_and_categories_take_that_of_their_lean():
    table = np.array([[10.0, 50.0, 40.0], [50.0, 10.0, 40.0]])
    counts, by_class = make_by_class([table, table])

    scores, pooled = score(counts, by_class, [np.ones(3, dtype=bool)] * 2, [True, False])

    assert scores.orders[0].tolist() == [0, 1, 2]
    assert scores.orders[1].tolist() == [1, 2, 0]
    assert [order.tolist() for order in pooled.orders] == [[0, 1, 2], [1, 2, 0]]
