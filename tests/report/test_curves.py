"""Curves of models: the points for known predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, roc_auc_score

from sdv_threea.report.curves import (
    FEWEST,
    MOST_GROUPS,
    PRECISION,
    ROC,
    trace_classes,
    trace_regression,
)


@pytest.fixture
def rng():
    return np.random.default_rng(4)


def area(curves, name):
    points = curves[curves['curve'] == name]
    return auc(points['x'], points['y'])


def guess(rng, num_classes, size=3000):
    """Draw labels, and probabilities that depend on them."""
    labels = rng.integers(0, num_classes, size)
    scores = rng.gamma(1 + 2 * (labels[:, None] == np.arange(num_classes)))
    return labels, scores / scores.sum(axis=1, keepdims=True)


def test_the_areas_under_the_curves_are_the_scores(rng):
    labels, probabilities = guess(rng, 2)
    curves = trace_classes(labels, probabilities, [1])

    expected = roc_auc_score(labels, probabilities[:, 1])
    precision = average_precision_score(labels, probabilities[:, 1])
    assert 0.9 < expected < 0.99
    assert area(curves, ROC) == pytest.approx(expected, abs=0.005)
    assert area(curves, PRECISION) == pytest.approx(precision, abs=0.005)


def test_curves_of_several_classes_are_means_of_one_against_the_rest(rng):
    labels, probabilities = guess(rng, 3)
    curves = trace_classes(labels, probabilities, range(3))
    alone = [trace_classes(labels, probabilities, [label]) for label in range(3)]

    np.testing.assert_allclose(curves['y'], np.mean([each['y'] for each in alone], axis=0))
    expected = roc_auc_score(labels, probabilities, multi_class='ovr')
    assert area(curves, ROC) == pytest.approx(expected, abs=0.005)


def test_no_curve_without_both_sides(rng):
    labels, probabilities = guess(rng, 2)
    assert trace_classes(np.zeros_like(labels), probabilities, [0, 1]).empty


def test_predicted_numbers_are_means_over_bins_of_several_rows(rng):
    truth = rng.exponential(size=1000)
    curve = trace_regression(truth, 2 * truth + 1)

    assert len(curve) == MOST_GROUPS
    np.testing.assert_allclose(curve['y'], 2 * curve['x'] + 1)
    assert curve['x'].mean() == pytest.approx(truth.mean())
    assert not set(curve['x']) & set(truth)


@pytest.mark.parametrize('size', [1, FEWEST - 1, FEWEST, 3 * FEWEST + 1])
def test_bins_of_few_rows_are_not_told(rng, size):
    truth = rng.normal(size=size)
    assert len(trace_regression(truth, truth)) == size // FEWEST
