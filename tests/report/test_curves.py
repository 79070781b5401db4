"""Curves of models: the points for known predictions."""

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, roc_auc_score

from sdv_threea.report.curves import (
    CALIBRATION,
    MOST_GROUPS,
    PRECISION,
    ROC,
    slope_of_classes,
    slope_of_numbers,
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


def test_the_slope_is_the_factor_that_makes_predictions_as_sure_as_the_rows_are(rng):
    odds = rng.normal(size=20_000)
    labels = (rng.random(odds.size) < 1 / (1 + np.exp(-odds))).astype(int)
    sure = 1 / (1 + np.exp(-2 * odds))
    predicted = np.column_stack([1 - sure, sure])

    assert slope_of_classes(labels, predicted, [1]) == pytest.approx(0.5, abs=0.06)
    assert slope_of_classes(labels, predicted, [0, 1]) == pytest.approx(0.5, abs=0.06)
    assert np.isnan(slope_of_classes(np.zeros_like(labels), predicted, [1]))
    assert slope_of_numbers(odds, 4 * odds) == pytest.approx(0.25)
    curve = trace_classes(labels, predicted, [1])
    low, high = curve.loc[curve['curve'] == CALIBRATION, ['x', 'y']].to_numpy()[[0, -1]]
    assert low[0] < low[1] and high[1] < high[0]


def test_predicted_numbers_are_means_over_bins_of_several_rows(rng):
    truth = rng.exponential(size=1000)
    curve = trace_regression(truth, 2 * truth + 1)

    assert len(curve) == MOST_GROUPS
    np.testing.assert_allclose(curve['y'], 2 * curve['x'] + 1)
    assert curve['x'].mean() == pytest.approx(truth.mean())
    assert not set(curve['x']) & set(truth)
