"""Slopes of the logistic loss: what a record adds, and how far it can move their sums."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdv_threea.accounting.sensitivities import slope_sensitivity
from sdv_threea.adapt import slopes as room
from sdv_threea.adapt.design import INPUT_UNITS, indicators, make_terms, scorecard
from sdv_threea.adapt.features import LARGEST_RADIUS
from sdv_threea.adapt.slopes import (
    BLOCK_ROWS,
    LARGEST_RESIDUAL,
    LARGEST_WEIGHT,
    ODDS,
    TARGET_UNITS,
    WEIGHT_UNITS,
    Predictor,
    Seen,
    class_residuals,
    number_residuals,
)
from sdv_threea.rows.clipping import clip_norm

SIZES = (3, 5, 2)
UNIT = INPUT_UNITS * TARGET_UNITS
HEAVIEST = LARGEST_WEIGHT * WEIGHT_UNITS


class WholeModel(NamedTuple):
    """Log odds in whole numbers: offsets, those of codes by column, and weights of features."""

    offsets: np.ndarray
    tables: tuple
    weights: np.ndarray


def sum_slopes(evidence, model, radius, chunk):
    predictor = Predictor((model.offsets[:, None], *model.tables), model.weights)
    return room.sum_slopes(scorecard(evidence), predictor, class_residuals, radius, chunk)


def count_odds(num_classes):
    """Of two classes the second alone has log odds."""
    return 1 if num_classes == 2 else num_classes


def make_model(num_classes, seed=0, num_features=4, largest=WEIGHT_UNITS):
    """Evidence, and a model of weights that differ by class and column: all whole numbers."""
    rng, one, num_odds = np.random.default_rng(seed), INPUT_UNITS, count_odds(num_classes)
    most = 4 * one if num_odds > 1 else 8 * one  # of two classes it is that of both
    evidence = tuple(rng.integers(-most, most, (num_odds, size)) for size in SIZES)
    weights = rng.integers(-largest, largest + 1, (num_odds, num_features))
    offsets = rng.integers(-one, one, num_odds)
    return evidence, WholeModel(offsets, tuple(table // 2 for table in evidence), weights)


def make_records(num_rows, num_classes, seed=0, num_features=4, radius=3 * INPUT_UNITS):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(-1, size, num_rows) for size in SIZES], axis=1)
    features = clip_norm(rng.integers(-radius, radius + 1, (num_rows, num_features)), radius)
    labels = rng.integers(0, num_classes, num_rows)
    return Seen(codes.astype(np.int8), labels.astype(np.int8), features.astype(np.int32))


def make_hostile(seed, num_classes, num_features):
    """A record and a model at all their bounds."""
    rng, signs = np.random.default_rng(seed), np.array([-1, 1])
    evidence, model = make_model(num_classes, seed, num_features)
    weights = HEAVIEST * rng.choice(signs, (count_odds(num_classes), num_features))
    model = model._replace(weights=weights)
    record = make_records(1, num_classes, seed, num_features)
    along = LARGEST_RADIUS // math.isqrt(num_features)
    features = rng.choice(signs, (1, num_features)) * along
    if seed % 3 == 0:
        features[:] = 0
        features[0, seed % num_features] = LARGEST_RADIUS
    return evidence, model, record._replace(features=features.astype(np.int32))


def take(records, rows):
    return Seen(*(each[rows] for each in records))


def slope_of_loss(evidence, model, records):
    """The slopes again, record by record, in floats: what the sums have to be but for rounding."""
    total, (offsets, tables, weights) = 0, model
    for codes, label, features in zip(*records, strict=True):
        present = [at for at, code in enumerate(codes) if code >= 0]
        scores = (offsets + sum(tables[at][:, codes[at]] for at in present)) / INPUT_UNITS
        scores = scores + weights @ features / WEIGHT_UNITS / INPUT_UNITS
        scores = scores if len(scores) > 1 else np.append(0, scores)
        left = np.eye(len(scores))[label] - np.exp(scores) / np.exp(scores).sum()
        left = left[-len(offsets) :]
        inputs = np.zeros((len(offsets), 1 + len(SIZES) + len(features)))
        inputs[:, 0] = 1
        inputs[:, 1 + len(SIZES) :] = features / INPUT_UNITS
        for at in present:
            inputs[:, at + 1] = evidence[at][:, codes[at]] / INPUT_UNITS
        total = total + left[:, None] * inputs
    return np.ravel(total)


def slope_by_python(evidence, model, radius, record):
    """The slope of a record in Python's integers, which cannot overflow."""
    codes, (label,) = record.codes[0].tolist(), record.targets.tolist()
    features = record.features[0].tolist()
    offsets, weights = model.offsets.tolist(), model.weights.tolist()
    odds, vectors = [], []
    for at, (offset, own) in enumerate(zip(offsets, weights, strict=True)):
        product = sum(each * weight for each, weight in zip(features, own, strict=True))
        # To the nearest whole number, and halves to the even one.
        whole, part = divmod(product, WEIGHT_UNITS)
        whole += 2 * part > WEIGHT_UNITS or (2 * part == WEIGHT_UNITS and whole % 2 == 1)
        pairs = list(zip(evidence, model.tables, codes, strict=True))
        odds.append(offset + whole + sum(int(table[at, c]) for _, table, c in pairs if c >= 0))
        seen = [int(table[at, c]) if c >= 0 else 0 for table, _, c in pairs]
        vectors.append([INPUT_UNITS, *seen, *features])
    odds = odds if len(odds) > 1 else [0, *odds]
    chances = [int(ODDS[min(max(odds) - each, len(ODDS) - 1)]) for each in odds]
    total = sum(chances)
    left = [-((2 * TARGET_UNITS * each + total) // (2 * total)) for each in chances]
    left[label] += TARGET_UNITS
    left = left[-len(vectors) :]
    squared = sum(r**2 * sum(x**2 for x in v) for r, v in zip(left, vectors, strict=True))
    if squared > radius**2:
        factor = radius * (1 - 2.0**-40) / math.sqrt(squared)
        left = [math.trunc(each * factor) for each in left]
    return [each * x for each, vector in zip(left, vectors, strict=True) for x in vector]


@pytest.mark.parametrize('num_features', [0, 4])
@pytest.mark.parametrize('num_classes', [2, 3, 7])
def test_slopes_are_those_of_the_logistic_loss(num_classes, num_features):
    evidence, model = make_model(num_classes, num_features=num_features)
    records = make_records(300, num_classes, num_features=num_features)

    found = sum_slopes(evidence, model, 100 * UNIT, records) / UNIT

    # A chance is rounded to one in 4,096, and odds by half a unit; times evidence of four at most.
    allowed = 300 * 4 * (1 / TARGET_UNITS + 0.25 / INPUT_UNITS)
    np.testing.assert_allclose(found, slope_of_loss(evidence, model, records), atol=allowed)


@given(
    seed=st.integers(0, 2**32),
    radius=st.one_of(st.integers(0, 3 * UNIT), st.integers(2**25, 2**31)),
    many=st.sampled_from([2, 5, 26]),
    width=st.sampled_from([1, 16, 128]),
)
def test_a_hostile_record_adds_what_integers_without_bounds_say_and_at_most_the_radius(
    seed, radius, many, width
):
    evidence, model, record = make_hostile(seed, many, width)
    exact = slope_by_python(evidence, model, radius, record)
    assert sum(each**2 for each in exact) <= radius**2
    assert sum_slopes(evidence, model, radius, record).tolist() == exact


@given(seed=st.integers(0, 2**32), radius=st.integers(1, 3 * UNIT), many=st.sampled_from([2, 5]))
def test_two_records_are_at_most_the_sensitivity_apart(seed, radius, many):
    evidence, model = make_model(many, seed)
    one, other = (make_records(1, many, seed + at) for at in (1, 2))
    added, brought = (sum_slopes(evidence, model, radius, each) for each in (one, other))
    assert (added**2).sum() <= radius**2 == slope_sensitivity(radius, neighbors='add_remove') ** 2
    distance = math.sqrt(float(((added - brought) ** 2).sum()))
    assert distance <= slope_sensitivity(radius, neighbors='replace_one')


@given(seed=st.integers(0, 2**32), cut=st.integers(0, 60))
def test_a_record_adds_the_same_wherever_it_stands(seed, cut):
    evidence, model = make_model(3, seed, largest=HEAVIEST)
    records = make_records(60, 3, seed, radius=LARGEST_RADIUS)
    order = np.random.default_rng(seed).permutation(60)
    parts = [take(records, order[rows]) for rows in (slice(cut), slice(cut, None))]
    alone = [take(records, [at]) for at in range(60)]
    whole = sum_slopes(evidence, model, UNIT, records)
    for cuts in (parts, alone):
        found = sum(sum_slopes(evidence, model, UNIT, each) for each in cuts)
        np.testing.assert_array_equal(found, whole)


def test_sums_over_several_blocks_are_exact_at_the_largest_records():
    """All records alike, at all bounds: sums are that of one times their number, to the bit."""
    evidence, model, record = make_hostile(4, 2, 8)
    radius, size = 2**31, 2 * BLOCK_ROWS + 5
    alone = slope_by_python(evidence, model, radius, record)
    many = take(record, np.zeros(size, int))
    assert max(map(abs, alone)) >= 2**29
    assert sum_slopes(evidence, model, radius, many).tolist() == [size * each for each in alone]


def test_whatever_the_odds_a_record_adds_no_more():
    evidence = tuple(np.full((3, size), 4 * INPUT_UNITS) for size in SIZES)
    tables = tuple(np.full((3, size), -(10**6)) for size in SIZES)
    model = WholeModel(np.array([0, 10**6, 0]), tables, np.zeros((3, 0), int))
    for label in (0, 1):
        nothing = np.zeros((1, 0), np.int16)
        record = Seen(np.zeros((1, 3), np.int8), np.array([label]), nothing)
        added = sum_slopes(evidence, model, UNIT, record)
        assert (added**2).sum() <= UNIT**2


def make_numbers(seed, num_rows, num_features):
    """Numbers that are predicted by bins and features, all of them at their bounds."""
    rng = np.random.default_rng(seed)
    bins = [np.append(-1, np.arange(size)) for size in SIZES]
    design = indicators(make_terms(bins, [(0,), (1,), (2,), (0, 1), (1, 2)]))
    tables = tuple(rng.integers(-(2**14), 2**14, own.shape) for own in design.inputs)
    weights = HEAVIEST * rng.choice([-1, 1], (1, num_features))
    codes = np.stack([rng.integers(-1, size + 1, num_rows) for size in SIZES], axis=1)
    along = LARGEST_RADIUS // math.isqrt(max(num_features, 1))
    features = along * rng.choice([-1, 1], (num_rows, num_features))
    left = rng.integers(-(2**16), 2**16, num_rows)
    return design, Predictor(tables, weights), Seen(codes, left, features.astype(np.int32))


def slope_of_number(design, predictor, radius, record):
    """The slope of a number in Python's integers, which cannot overflow."""
    codes, features = record.codes[:1], record.features[0].tolist()
    bins = [int(term(codes)[0]) for term in design.terms]
    pairs = list(zip(bins, predictor.tables, strict=True))
    product = sum(x * w for x, w in zip(features, predictor.weights[0].tolist(), strict=True))
    predicted = sum(int(table[0, at]) for at, table in pairs if at >= 0) + product // WEIGHT_UNITS
    left = min(max(int(record.targets[0]) - predicted, -LARGEST_RESIDUAL), LARGEST_RESIDUAL)
    inputs = [INPUT_UNITS * (each == at) for at, table in pairs for each in range(table.shape[1])]
    squared = left**2 * sum(x**2 for x in [*inputs, *features])
    if squared > radius**2:
        left = math.trunc(left * (radius * (1 - 2.0**-40) / math.sqrt(squared)))
    return [left * x for x in [*inputs, *features]]


@given(
    seed=st.integers(0, 2**32),
    radius=st.one_of(st.integers(0, 3 * UNIT), st.integers(2**25, 2**32)),
    width=st.sampled_from([0, 1, 16, 256]),
)
def test_a_number_adds_what_integers_without_bounds_say_and_at_most_the_radius(seed, radius, width):
    design, predictor, record = make_numbers(seed, 1, width)
    exact = slope_of_number(design, predictor, radius, record)
    found = room.sum_slopes(design, predictor, number_residuals, radius, record)
    assert sum(each**2 for each in exact) <= radius**2
    assert found.tolist() == exact


@given(seed=st.integers(0, 2**32), cut=st.integers(0, 60))
def test_numbers_add_the_same_wherever_they_stand(seed, cut):
    design, predictor, records = make_numbers(seed, 60, 4)
    order = np.random.default_rng(seed).permutation(60)
    parts = [take(records, order[rows]) for rows in (slice(cut), slice(cut, None))]
    whole, *found = (
        room.sum_slopes(design, predictor, number_residuals, UNIT, each)
        for each in (records, *parts)
    )
    np.testing.assert_array_equal(sum(found), whole)
