"""Where columns outnumber draws, a fit in the span of the draws is the fit of all weights."""

from __future__ import annotations

import numpy as np
import pytest
from triangles import pack

from sdv_threea.adapt import fit as fit_module
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.fit import Draws, Fit
from sdv_threea.adapt.span import Span, span_of
from sdv_threea.approximate.moments import ScoreMoments

NUM_COLUMNS, NUM_DRAWS, RANK = 90, 40, 8


def make_fit(num_columns=NUM_COLUMNS):
    """Three classes, codes 0 to 4, and evidence that is random."""
    rng = np.random.default_rng(1)
    evidence = tuple(rng.integers(-500, 500, (3, 5)) for _ in range(num_columns))
    codes = rng.integers(0, 5, (NUM_DRAWS, num_columns))
    labels = np.arange(NUM_DRAWS) % 3
    draws = Draws(codes, labels, rng.uniform(5, 50, 3)[labels])
    return Fit(evidence, draws, AdaptConstants())


def take_all_steps(fitted):
    """Start, step, add features, step twice: return what private rows would be asked with."""
    rng, seen = np.random.default_rng(2), []
    fitted.start()
    exact = ScoreMoments(
        np.array([900.0]), np.zeros((1, RANK)), 900 * pack(np.eye(RANK))[None], 5.0, 5.0
    )
    for step in range(3):
        if step == 1:
            features = rng.normal(size=(NUM_DRAWS, RANK))
            fitted.add_features(features, exact, 0.7)
        whole = fitted.whole_model()
        seen.append((fitted.radius(), *whole))
        width = 1 + len(whole.tables) + whole.weights.shape[1]
        fitted.step(rng.normal(0, 300, (3, width)), 30.0)
    return [*seen, (fitted.radius(), *fitted.whole_model())]


def test_a_fit_in_the_span_is_the_fit(monkeypatch):
    narrow = make_fit()
    assert narrow.coordinates.shape == (3, 1 + NUM_DRAWS)
    monkeypatch.setattr(fit_module, 'span_of', lambda inputs: (Span(), inputs))
    full = make_fit()
    assert full.coordinates.shape == (3, 1 + NUM_COLUMNS)

    for found, expected in zip(take_all_steps(narrow), take_all_steps(full), strict=True):
        assert found[0] == expected[0]
        # Whole numbers, which may be rounded otherwise.
        np.testing.assert_allclose(found[1], expected[1], atol=1)
        for one, other in zip(found[2], expected[2], strict=True):
            np.testing.assert_allclose(one, other, atol=1)
        np.testing.assert_allclose(found[3], expected[3], atol=1)
    # Something was moved, features among it.
    assert np.abs(expected[3]).max() > 100


@pytest.mark.parametrize('same', [False, True])
def test_the_span_loses_nothing_of_the_draws_and_its_coordinates_are_orthonormal(same):
    rng = np.random.default_rng(0)
    inputs, weights = rng.normal(size=(2, 20, 51)), rng.normal(size=(2, 51))
    if same:  # draws that repeat each other span less
        inputs[:, 10:] = inputs[:, :10]

    span, found = span_of(inputs)
    coordinates = span.restrict(weights)

    assert found.shape == (2, 20, 21) and coordinates.shape == (2, 21)
    odds = np.einsum('cnj,cj->cn', inputs, weights)
    np.testing.assert_allclose(np.einsum('cnj,cj->cn', found, coordinates), odds, atol=1e-9)
    np.testing.assert_allclose(span.restrict(span.lift(coordinates)), coordinates, atol=1e-12)
    for basis in span.bases:
        np.testing.assert_allclose(basis.T @ basis, np.eye(20), atol=1e-12)
