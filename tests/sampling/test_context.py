"""Draws in a context against brute force: draw everything, and keep what has the context."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from sdv_threea.approximate.mixture import Mixture
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.approximate.scores import LARGEST_SCORE, normal_scores
from sdv_threea.sampling.context import (
    Context,
    draw_in_context,
    regress,
    weigh_components,
)

#: Codes of every column, of equal chances in all classes.
NUM_CODES = 12


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def correlated(*pairs, width=3):
    matrix = np.eye(width)
    for one, other, value in pairs:
        matrix[one, other] = matrix[other, one] = value
    return matrix


#: Two classes of one normal each, and one class of two components.
ONE_EACH = Mixture(
    np.array([[300.0], [100.0]]),
    np.zeros((2, 1, 3)),
    np.stack([[correlated((0, 2, 0.7), (1, 2, 0.2))], [correlated((0, 1, 0.3), (0, 2, -0.6))]]),
)
COMPONENTS = Mixture(
    np.array([[300.0, 200.0]]),
    np.array([[[-0.8, 0.0, 0.6], [1.2, 0.0, -0.9]]]),
    np.array([[0.5 * correlated((0, 2, 0.4)), 0.4 * correlated((1, 2, 0.5))]]),
)


def make_scores(chances, width=3):
    """Scores of columns with these chances by class, shape (C, S)."""
    order = np.arange(chances.shape[1])
    return normal_scores((chances,) * width, (order,) * width, len(chances))


def uniform(num_classes):
    return np.full((num_classes, NUM_CODES), 1 / NUM_CODES)


def describe(scores, columns, codes):
    """The context of rows with these codes, shape (n, q)."""
    num_classes = len(scores.variances)
    found = np.zeros((num_classes, *codes.shape))
    chances = np.zeros((num_classes, len(codes)))
    for place, at in enumerate(columns):
        found[:, :, place] = scores.scores[at][:, codes[:, place]] / SCORE_UNITS
        chances += np.log(scores.chances(at))[:, codes[:, place]]
    return Context(np.array(columns, dtype=np.int64), found, chances, scores.variances)


def brute_force(mixture, scores, columns, codes, rng, num_draws=400_000):
    """Draw whole rows, and keep those with these codes: their classes and quantiles."""
    classes, quantiles = mixture.sample(num_draws, rng)
    kept = np.ones(num_draws, dtype=bool)
    for at, code in zip(columns, codes, strict=True):
        kept &= scores.codes(at, quantiles[:, at], classes) == code
    return classes[kept], quantiles[kept]


@pytest.mark.parametrize('code', [0, 4, 11])
@pytest.mark.parametrize('mixture', [ONE_EACH, COMPONENTS], ids=['classes', 'components'])
def test_draws_follow_the_law_of_the_density_given_one_column(rng, mixture, code):
    scores = make_scores(uniform(len(mixture.weights)))
    context = describe(scores, [0], np.full((20_000, 1), code))
    classes, quantiles = draw_in_context(mixture, context, rng)
    true_classes, true_quantiles = brute_force(mixture, scores, [0], [code], rng)

    shares = [np.bincount(each, minlength=2) / len(each) for each in (classes, true_classes)]
    assert shares[0] == pytest.approx(shares[1], abs=0.05)
    for label in np.unique(true_classes):
        for place, at in enumerate((1, 2)):
            found = np.sort(quantiles[classes == label, place])
            expected = true_quantiles[true_classes == label, at]
            for low, high in pairwise(np.linspace(0, 1, 5)):
                share = ((found >= low) & (found < high)).mean()
                real = ((expected >= low) & (expected < high)).mean()
                assert share == pytest.approx(real, abs=0.06)


def test_classes_are_told_by_the_chances_of_the_codes(rng):
    chances = uniform(2)
    chances[0, :6], chances[0, 6:] = 0.01 / 6, 0.99 / 6
    mixture = Mixture(
        np.array([[300.0], [100.0]]), np.zeros((2, 1, 3)), np.stack([[np.eye(3)]] * 2)
    )
    scores = make_scores(chances)
    weights = weigh_components(mixture, describe(scores, [0], np.array([[2], [9]])))

    seen = 300 * chances[0, [2, 9]], 100 * chances[1, [2, 9]]
    assert weights[:, 0] == pytest.approx(seen[0] / (seen[0] + seen[1]), rel=1e-6)
    assert weights.sum(axis=1) == pytest.approx(1.0)


def test_each_row_has_a_context_of_its_own(rng):
    scores = make_scores(uniform(2))
    codes = rng.integers(0, NUM_CODES, (40_000, 1))
    classes, quantiles = draw_in_context(ONE_EACH, describe(scores, [0], codes), rng)
    inside = classes == 0

    assert np.corrcoef(codes[inside, 0], quantiles[inside, 1])[0, 1] == pytest.approx(
        0.68, abs=0.05
    )


def test_averaged_over_its_own_context_the_density_comes_back(rng):
    scores = make_scores(uniform(1))
    _, real = COMPONENTS.sample(40_000, rng)
    codes = scores.codes(0, real[:, 0], np.zeros(40_000, dtype=np.int64))
    _, quantiles = draw_in_context(COMPONENTS, describe(scores, [0], codes[:, None]), rng)

    for place in (0, 1):
        assert np.histogram(quantiles[:, place], 10, (0, 1))[0] / 4000 == pytest.approx(
            np.ones(10), abs=0.25
        )
    expected = np.corrcoef(codes, real[:, 2])[0, 1]
    assert np.corrcoef(codes, quantiles[:, 1])[0, 1] == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize('seed', range(20))
def test_any_covariance_and_context_leave_something_positive(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(5, 2))
    covariance = root @ root.T + 1e-9 * np.eye(5)
    variances = rng.choice([0.0, 1e-6, 0.3, 1.0], 5)
    fit = regress(covariance, rng.permutation(5)[:3], variances)

    assert np.isfinite(fit.slope).all()
    assert np.linalg.eigvalsh(fit.rest).min() > 0.01
    assert np.abs(fit.slope).max() * LARGEST_SCORE < 1e4
