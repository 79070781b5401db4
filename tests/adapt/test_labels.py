"""Labels adapted to the classifier's loss: what a record adds, what is released, what is fitted."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import EVIDENCE_UNITS, LabelModel, weigh_evidence
from sdv_threea.adapt.labels import Draws, adapt_labels, num_draws
from sdv_threea.adapt.slopes import CHANCE_UNITS, slope_sensitivity, sum_slopes
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.privacy.rows import chunk_arrays

SIZES = (3, 5, 2)
UNIT = EVIDENCE_UNITS * CHANCE_UNITS


def make_model(num_classes, seed=0):
    """Evidence, and log odds of weights that differ by class and column: all whole numbers."""
    rng = np.random.default_rng(seed)
    one = EVIDENCE_UNITS
    evidence = tuple(rng.integers(-4 * one, 4 * one, (num_classes, size)) for size in SIZES)
    return evidence, (rng.integers(-one, one, num_classes), *(table // 2 for table in evidence))


def make_records(num_rows, num_classes, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(-1, size, num_rows) for size in SIZES], axis=1)
    return Encoded(codes.astype(np.int8), rng.integers(0, num_classes, num_rows).astype(np.int8))


def slope_of_loss(evidence, odds, records):
    """The slopes again, record by record, in floats: what the sums have to be but for rounding."""
    offsets, *tables = odds
    total = 0
    for codes, label in zip(*records, strict=True):
        present = [at for at, code in enumerate(codes) if code >= 0]
        scores = (offsets + sum(tables[at][:, codes[at]] for at in present)) / EVIDENCE_UNITS
        left = np.eye(len(offsets))[label] - np.exp(scores) / np.exp(scores).sum()
        features = np.zeros((len(offsets), len(SIZES) + 1))
        features[:, 0] = 1
        for at in present:
            features[:, at + 1] = evidence[at][:, codes[at]] / EVIDENCE_UNITS
        total = total + left[:, None] * features
    return np.ravel(total)


@pytest.mark.parametrize('num_classes', [2, 3, 7])
def test_slopes_are_those_of_the_logistic_loss(num_classes):
    evidence, odds = make_model(num_classes)
    records = make_records(300, num_classes)
    found = sum_slopes(evidence, odds, 100 * UNIT, records) / UNIT
    # A chance is rounded to one in 4,096, times evidence of four at most.
    allowed = 300 * 4 / CHANCE_UNITS
    np.testing.assert_allclose(found, slope_of_loss(evidence, odds, records), atol=allowed)


@given(seed=st.integers(0, 2**32), radius=st.integers(1, 3 * UNIT), many=st.sampled_from([2, 5]))
def test_a_record_adds_at_most_the_radius(seed, radius, many):
    evidence, odds = make_model(many, seed)
    one, other = (make_records(1, many, seed + at) for at in (1, 2))
    added, brought = (sum_slopes(evidence, odds, radius, each) for each in (one, other))
    assert (added**2).sum() <= radius**2 == slope_sensitivity(radius) ** 2
    distance = math.sqrt(float(((added - brought) ** 2).sum()))
    assert distance <= slope_sensitivity(radius, 'replace_one')


def test_two_records_can_pull_opposite_ways():
    evidence, odds = (
        (np.array([[EVIDENCE_UNITS], [-EVIDENCE_UNITS]]),),
        (np.zeros(2, int), np.zeros((2, 1), int)),
    )
    radius, code = UNIT // 10, np.zeros((1, 1), int)
    one, other = (
        sum_slopes(evidence, odds, radius, Encoded(code, np.array([label]))) for label in (0, 1)
    )
    distance = math.sqrt(float(((one - other) ** 2).sum()))
    bound = slope_sensitivity(radius, 'replace_one')
    assert 0.99 * bound < distance <= bound


def test_slopes_within_the_radius_stay_and_longer_ones_are_shortened_in_place():
    evidence, odds = make_model(3)
    record = make_records(1, 3, seed=4)
    whole = sum_slopes(evidence, odds, 100 * UNIT, record)
    length = math.sqrt(float((whole**2).sum()))
    np.testing.assert_array_equal(sum_slopes(evidence, odds, math.ceil(length), record), whole)
    half = sum_slopes(evidence, odds, math.ceil(length / 2), record)
    np.testing.assert_allclose(half, whole / 2, atol=4 * EVIDENCE_UNITS)


@given(seed=st.integers(0, 2**32), cut=st.integers(0, 60))
def test_a_record_adds_the_same_wherever_it_stands(seed, cut):
    evidence, odds = make_model(3, seed)
    records = make_records(60, 3, seed)
    parts = [Encoded(*(each[rows] for each in records)) for rows in (slice(cut), slice(cut, None))]
    alone = [Encoded(*(each[[at]] for each in records)) for at in range(60)]
    whole = sum_slopes(evidence, odds, UNIT, records)
    for cuts in (parts, alone):
        found = sum(sum_slopes(evidence, odds, UNIT, each) for each in cuts)
        np.testing.assert_array_equal(found, whole)


def test_whatever_the_odds_a_record_adds_no_more():
    evidence = tuple(np.full((2, size), 4 * EVIDENCE_UNITS) for size in SIZES)
    odds = (np.array([0, 10**6]), *(np.full((2, size), -(10**6)) for size in SIZES))
    for label in (0, 1):
        record = Encoded(np.zeros((1, 3), np.int8), np.array([label]))
        added = sum_slopes(evidence, odds, UNIT, record)
        assert (added**2).sum() <= UNIT**2


def make_task(num_rows=20_000, seed=0):
    """A table whose columns repeat each other: evidence counts for less than it says."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(num_rows) < 0.3).astype(np.int64)
    one = np.clip(rng.normal(2 + labels, 1), 0, 4).round().astype(np.int64)
    codes = np.stack(
        [one, np.where(rng.random(num_rows) < 0.8, one, 2), rng.integers(0, 3, num_rows)]
    )
    return Encoded(codes.T, labels)


def weigh(records):
    totals = np.bincount(records.labels).astype(np.float64)
    tables = []
    for column in records.codes.T:
        counts = np.stack([np.bincount(column[records.labels == at], minlength=5) for at in (0, 1)])
        tables.append(counts / totals[:, None])
    return weigh_evidence(tables, totals, AdaptConstants())


def draw_independent(records, rng, size=4000):
    """Draw columns independently in each class: the evidence looks better than it is."""
    labels = rng.integers(0, 2, size)
    codes = np.empty((size, records.codes.shape[1]), dtype=np.int64)
    for label in (0, 1):
        own, theirs = np.flatnonzero(labels == label), records.codes[records.labels == label]
        for at, column in enumerate(theirs.T):
            codes[own, at] = rng.choice(column, len(own))
    weights = np.bincount(records.labels) / np.bincount(labels)
    return Draws(codes, labels, weights[labels])


def fit(records, mu, *, seed=0, noise=discrete_gaussian, neighbors='add_remove', **constants):
    draws = draw_independent(records, np.random.default_rng(seed))
    rows = chunk_arrays(records, chunk_rows=3000)
    terms = {'mu': mu, 'neighbors': neighbors, 'noise': noise}
    return adapt_labels(rows, weigh(records), draws, AdaptConstants(**constants), **terms)


def measure_loss(chances, labels):
    return -np.log(chances[np.arange(len(labels)), labels]).mean()


def test_without_noise_it_comes_close_to_a_logistic_regression():
    records, fresh = make_task(), make_task(seed=1)
    naive = LabelModel(
        np.log(np.bincount(records.labels)), tuple(each / EVIDENCE_UNITS for each in weigh(records))
    )
    ours, _ = fit(records, math.inf)
    tables = [each[1] - each[0] for each in weigh(records)]
    features, theirs = (
        np.stack([t[c] for t, c in zip(tables, each.codes.T, strict=True)], axis=1) / EVIDENCE_UNITS
        for each in (records, fresh)
    )
    oracle = LogisticRegression(C=1e3).fit(features, records.labels).predict_proba(theirs)
    losses = [
        measure_loss(each, fresh.labels)
        for each in (oracle, ours.chances(fresh.codes), naive.chances(fresh.codes))
    ]
    assert losses[1] < losses[0] + 0.1 * (losses[2] - losses[0])


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_each_step_is_released_and_all_compose_to_the_price(neighbors):
    scales = []

    def listen(size, scale):
        scales.append(scale)
        return np.zeros(size, dtype=np.int64)

    terms = {'noise': listen, 'neighbors': neighbors}
    _, receipts = fit(make_task(2000), 0.5, label_steps=5, **terms)
    assert len(receipts) == len(scales) == 5
    assert math.hypot(*(each.mu for each in receipts)) == pytest.approx(0.5)
    for receipt in receipts:
        assert receipt.noise_scale == pytest.approx(receipt.sensitivity / receipt.mu, rel=1e-3)
        assert receipt.stage == 'adapt' and 'slopes' in receipt.released


def test_replacing_a_record_costs_twice_the_noise():
    (_, one), (_, two) = (
        fit(make_task(2000), 0.5, neighbors=each, noise=lambda size, _: np.zeros(size, np.int64))
        for each in ('add_remove', 'replace_one')
    )
    assert two[0].sensitivity == pytest.approx(2 * one[0].sensitivity)


def test_much_noise_leaves_what_the_draws_say():
    records = make_task()
    quiet, loud = (fit(records, mu)[0] for mu in (math.inf, 1e-4))
    other = Encoded(records.codes, 1 - records.labels)
    draws = draw_independent(records, np.random.default_rng(0))
    terms = {'mu': 1e-4, 'neighbors': 'add_remove', 'noise': discrete_gaussian}
    lost, _ = adapt_labels(chunk_arrays(other), weigh(records), draws, AdaptConstants(), **terms)
    odds = [each.log_odds(records.codes)[:, 1] for each in (quiet, loud, lost)]
    assert np.corrcoef(odds[1], odds[2])[0, 1] > 0.99
    assert np.corrcoef(odds[0], odds[1])[0, 1] > 0.9


@pytest.mark.parametrize('num_classes', [2, 4])
def test_log_odds_are_stretched_until_they_spread_far_enough(num_classes):
    evidence, odds = make_model(num_classes)
    tables = tuple(table / EVIDENCE_UNITS for table in odds[1:])
    model = LabelModel(odds[0] / EVIDENCE_UNITS, tables)
    records = make_records(500, num_classes)
    weights = np.random.default_rng(0).random(500)

    def measure_spread(model):
        odds = model.log_odds(records.codes)
        odds -= odds.mean(axis=1, keepdims=True)
        means = weights @ odds / weights.sum()
        return math.sqrt((weights @ (odds - means) ** 2 / weights.sum()).mean())

    wide = 3 * measure_spread(model)
    surer = model.surer(records.codes, weights, spread=wide, most_stretch=5.0)
    assert measure_spread(surer) == pytest.approx(wide)
    for before, after in zip(model.evidence, surer.evidence, strict=True):
        np.testing.assert_allclose(after, 3 * before)
    same = model.surer(records.codes, weights, spread=wide / 4, most_stretch=5.0)
    for before, after in zip(model.evidence, same.evidence, strict=True):
        np.testing.assert_array_equal(before, after)


def test_calibrated_models_have_the_shares_of_the_classes():
    records = make_task()
    model = fit(records, math.inf)[0]
    shares = np.array([0.9, 0.1])
    weights = np.random.default_rng(0).random(len(records.codes))
    found = model.calibrated(records.codes, weights, shares)
    np.testing.assert_allclose(
        weights @ found.chances(records.codes) / weights.sum(), shares, atol=1e-6
    )
    for before, after in zip(model.evidence, found.evidence, strict=True):
        np.testing.assert_array_equal(before, after)


def test_wide_tables_and_many_classes_are_drawn_less_often():
    assert num_draws(2, 14) == 10_000
    assert 1000 < num_draws(2, 1000) < 10_000
    assert num_draws(26, 617) == 1000


def test_only_codes_and_classes_are_read():
    """Whatever else a chunk holds, and however it holds it."""
    evidence, odds = make_model(3)
    records = make_records(50, 3)
    other = SimpleNamespace(codes=records.codes.astype(np.int32), labels=records.labels.tolist())
    np.testing.assert_array_equal(
        sum_slopes(evidence, odds, UNIT, other), sum_slopes(evidence, odds, UNIT, records)
    )
