"""Designs: evidence follows from histograms; a fit in the span of draws is that of all weights."""

import numpy as np
import pytest
from triangles import pack

from sdv_threea.adapt import fit as fit_module
from sdv_threea.adapt.design import (
    INPUT_UNITS,
    Span,
    add_up,
    indicators,
    make_terms,
    scorecard,
    span_of,
    weigh_evidence,
)
from sdv_threea.adapt.fit import Fit
from sdv_threea.adapt.link_functions import Classes, Draws
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.constants import AdaptConstants

NUM_COLUMNS, NUM_DRAWS, RANK = 90, 40, 8


def make_fit(num_columns=NUM_COLUMNS):
    """Three classes, codes 0 to 4, and evidence that is random."""
    rng = np.random.default_rng(1)
    evidence = tuple(rng.integers(-500, 500, (3, 5)) for _ in range(num_columns))
    codes = rng.integers(0, 5, (NUM_DRAWS, num_columns))
    labels = np.arange(NUM_DRAWS) % 3
    draws = Draws(codes, labels, rng.uniform(5, 50, 3)[labels])
    constants = AdaptConstants()
    return Fit(Classes(draws, 3, constants), scorecard(evidence), codes, constants)


def take_all_steps(fitted):
    """Start, step, add features, step twice: return what private rows would be asked with."""
    rng, seen = np.random.default_rng(2), []
    exact = ScoreMoments(
        np.array([900.0]), np.zeros((1, RANK)), 900 * pack(np.eye(RANK))[None], 5.0, 5.0
    )
    for step in range(3):
        if step == 1:
            features = rng.normal(size=(NUM_DRAWS, RANK))
            fitted.add_features(features, exact, 0.7)
        whole = fitted.predictor()
        seen.append((fitted.radius(), *whole))
        width = len(whole.tables) + whole.weights.shape[1]
        fitted.step(rng.normal(0, 300, 3 * width), 30.0)
    return [*seen, (fitted.radius(), *fitted.predictor())]


def test_a_fit_in_the_span_is_the_fit(monkeypatch):
    narrow = make_fit()
    assert narrow.belief.means.shape == (3, 1 + NUM_DRAWS)
    monkeypatch.setattr(fit_module, 'span_of', lambda inputs: (Span(), inputs))
    full = make_fit()
    assert full.belief.means.shape == (3, 1 + NUM_COLUMNS)

    for found, expected in zip(take_all_steps(narrow), take_all_steps(full), strict=True):
        assert found[0] == expected[0]
        # Whole numbers, which may be rounded otherwise.
        for one, other in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(one, other, atol=1)
        np.testing.assert_allclose(found[2], expected[2], atol=1)
    # Something was moved, features among it.
    assert np.abs(expected[2]).max() > 100


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


def test_evidence_is_the_log_of_a_ratio_and_none_where_no_record_is():
    chances = [np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.25, 0.75, 0.0]])]
    (found,) = weigh_evidence(chances, np.array([200.0, 100.0, 100.0]), 5.0)
    expected = np.log([[4 / 3, 0.8], [2 / 3, 1.2], [2 / 3, 1.2]])
    np.testing.assert_allclose(found[:, :2] / INPUT_UNITS, expected, atol=0.01)
    assert not found[:, 2].any()


def test_evidence_is_bounded():
    for many in (2, 3):
        (table,) = weigh_evidence([np.eye(many)], np.full(many, 1e9), 3.0)
        assert np.abs(table).max() <= (2 if many == 2 else 1) * 3.0 * INPUT_UNITS
        assert np.abs(table).max() >= 3.0 * INPUT_UNITS


def test_inputs_times_weights_are_what_bins_add():
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(-1, size, 60) for size in (3, 4, 2)], axis=1)
    bins = [np.array([0, 1, 1]), np.array([2, 0, -1, 1]), np.array([0, 1])]
    evidence = tuple(rng.integers(-900, 900, (3, size)) for size in (3, 4, 2))
    groups = [(), (0,), (2,), (0, 1), (1, 2)]
    for design in (scorecard(evidence), indicators(make_terms(bins, groups))):
        inputs = design.matrix(codes)
        weights = rng.normal(size=(len(inputs), sum(design.sizes)))
        found = add_up(design.terms, design.tables(weights), codes)
        assert inputs.shape[2] == weights.shape[1]
        np.testing.assert_allclose(np.einsum('knd,kd->nk', inputs, weights), found, atol=1e-9)


def test_a_record_is_in_the_bin_of_both_codes_or_in_none():
    (term,) = make_terms([np.array([0, 1, -1]), np.array([1, 0])], [(0, 1)])
    codes = np.array([[0, 0], [1, 0], [1, 1], [2, 0], [-1, 1], [0, -1]])
    assert term.size == 4
    assert term(codes).tolist() == [1, 3, 2, -1, -1, -1]
