from functools import partial

import numpy as np
import pytest
from chance import silent

from sdv_threea.accounting import Receipt
from sdv_threea.approximate.bins import bin_weights
from sdv_threea.approximate.counts import (
    BinPlan,
    ClassCounts,
    Counts,
    release_class_counts,
    release_counts,
)
from sdv_threea.approximate.density import (
    class_chances,
    clip_radius,
    fit_scores,
    plan_class_counts,
    shorten,
)
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.constants import ApproximateConstants
from sdv_threea.rows.chunks import chunk_arrays
from sdv_threea.rows.records import Encoded

CONSTANTS = ApproximateConstants()
class_chances = partial(class_chances, constants=CONSTANTS)
fit_scores = partial(fit_scores, constants=CONSTANTS)
plan_class_counts = partial(plan_class_counts, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(19)


# The plan


def make_counts(rng, sizes, totals, scale=0.0):
    columns = [totals.sum() * rng.dirichlet(np.full(size, 2.0)) for size in sizes]
    noisy = tuple(column + rng.normal(0, scale, len(column)) for column in columns)
    return Counts(noisy, np.asarray(totals, dtype=float), scale)


def make_plans(counts, ordered, noise=1.0):
    masks = [np.ones(len(column), dtype=bool) for column in counts.columns]
    return plan_class_counts(counts, masks, ordered, noise).columns


def test_ordered_columns_are_counted_in_bins_and_categories_by_themselves(rng):
    counts = make_counts(rng, [200, 200, 4], np.array([900.0, 400.0]), 10.0)

    numbers, categories, few = make_plans(counts, [True, False, True], noise=90.0)

    assert numbers.bins.max() == CONSTANTS.least_bins
    assert (numbers.ordered, categories.ordered, few.ordered) == (True, False, True)
    assert np.array_equal(categories.bins, np.arange(200))
    assert np.array_equal(few.bins, np.arange(4))
    for plan in (numbers, categories, few):
        assert plan.bins.max() + 1 == len(plan.weights)


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


def test_the_plan_depends_on_nothing_but_what_is_released(rng, monkeypatch):
    """Two wholly different tables of which the same is released are counted by the same plan."""
    answers = {}

    def add_noise(values, *, released, mu, **others):
        values = answers.setdefault(released, rng.uniform(0, 300, np.shape(values)))
        return values, Receipt(
            stage='s', released=released, sensitivity=1.0, noise_scale=5.0, mu=mu
        )

    monkeypatch.setattr('sdv_threea.privacy.door.add_noise', add_noise)
    terms = {'mu': 1.0, 'neighbors': 'add_remove', 'noise': silent}
    found = []
    for num_rows in (0, 500):
        codes = rng.integers(-1, 90, (num_rows, 2)), rng.integers(0, 3, num_rows)
        rows = chunk_arrays(Encoded(*codes))
        counts, _ = release_counts(rows, [90, 90], 3, **terms)
        masks = [np.ones(90, dtype=bool)] * 2
        plan = plan_class_counts(counts, masks, [True, False], 14.0)
        by_class, _ = release_class_counts(rows, plan, 3, **terms)
        scores, _ = score(counts, by_class, masks, [True, False])
        found.append((plan, scores))

    (plan, scores), (other, again) = found
    assert plan.radius == other.radius
    assert all(map(np.array_equal, plan.kept, other.kept))
    for one, two in zip(plan.columns, other.columns, strict=True):
        assert np.array_equal(one.bins, two.bins)
        assert np.array_equal(one.weights, two.weights)
    assert all(map(np.array_equal, scores.cuts, again.cuts))
    assert 0 < plan.columns[0].bins.max() < 89


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


def test_tables_without_columns_have_totals_and_empty_scores():
    counts, _ = release_counts(
        chunk_arrays(Encoded(np.zeros((3, 0), dtype=np.int64), np.array([0, 1, 1]))),
        [],
        2,
        mu=1.0,
        neighbors='add_remove',
        noise=silent,
    )
    by_class, pooled = score(counts, None, [], [])

    assert counts.totals.tolist() == [1, 2]
    assert (by_class.variances.shape, pooled.variances.shape) == ((2, 0), (1, 0))
    assert clip_radius(by_class.variances, CONSTANTS.clip) == SCORE_UNITS
