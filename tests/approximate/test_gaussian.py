import math
from functools import partial

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays
from triangles import pack

from sdv_threea.approximate.counts import release_class_counts, release_counts
from sdv_threea.approximate.gaussian import class_correlations, find_factors
from sdv_threea.approximate.marginals import (
    class_chances,
    clip_radius,
    fit_scores,
    plan_class_counts,
)
from sdv_threea.approximate.moments import ScoreMoments, release_score_moments
from sdv_threea.constants import COUNT_WEIGHT, ApproximateConstants
from sdv_threea.maths.shrinkage import shrunk_effects
from sdv_threea.rows.records import Encoded, Grouped
from sdv_threea.statistics import registry

CONSTANTS = ApproximateConstants()
class_correlations = partial(class_correlations, constants=CONSTANTS)
fit_scores = partial(fit_scores, constants=CONSTANTS)
plan_class_counts = partial(plan_class_counts, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(17)


def discretise(normals, num_codes):
    """Cut columns of normals into codes of equal probability."""
    ranks = normals.argsort(axis=0).argsort(axis=0)
    return ranks * num_codes // len(normals)


def correlations_of(codes, labels, num_codes, num_classes, radius=None):
    width, terms = codes.shape[1], {'mu': math.inf, 'neighbors': 'add_remove', 'noise': silent}
    rows = chunk_arrays(Encoded(codes, labels))
    masks, ordered = [np.ones(num_codes, dtype=bool)] * width, [True] * width
    counts, _ = release_counts(rows, [num_codes] * width, num_classes, **terms)
    plan = plan_class_counts(counts, masks, ordered, 0.0)
    by_class, _ = release_class_counts(rows, plan, num_classes, **terms)
    known = masks, ordered, CONSTANTS
    chances = class_chances(counts, by_class, *known)
    scores, _ = fit_scores(counts, by_class, chances, masks, ordered, [False] * width)
    moments, _ = release_score_moments(
        chunk_arrays(Grouped(scores(codes, labels), labels)),
        num_classes,
        radius or clip_radius(scores.variances, CONSTANTS.clip),
        COUNT_WEIGHT,
        kind=registry.MOMENTS,
        **terms,
    )
    return class_correlations(moments, counts.totals, scores.variances)


@pytest.mark.parametrize(('num_codes', 'tolerance'), [(60, 0.02), (5, 0.03), (2, 0.05)])
@pytest.mark.parametrize('correlation', [-0.5, 0.0, 0.5])
def test_unclipped_scores_tell_the_correlation_behind_them(rng, num_codes, tolerance, correlation):
    """To first order: two columns cut at the median show arcsin(r), for 0.5 that is 0.52."""
    normals = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 20_000)
    codes, labels = discretise(normals, num_codes), np.zeros(20_000, dtype=np.int64)

    (found,) = correlations_of(codes, labels, num_codes, 1, radius=10**6)

    assert found[0, 1] == pytest.approx(correlation, abs=tolerance)


def make_moments(products, scale):
    products = np.asarray(products, dtype=float)
    sums = np.zeros(products.shape[:2])
    return ScoreMoments(np.ones(len(products)), sums, pack(products), scale, scale)


def test_with_huge_noise_classes_are_independent_and_with_some_alike(rng):
    totals, variances = np.array([1e4, 1e4]), np.ones((2, 4))
    truth = 1e4 * (0.4 + 0.6 * np.eye(4))
    noise = np.triu(rng.normal(0, 1, (2, 4, 4)), 1)
    noise = noise + noise.transpose(0, 2, 1)

    huge = class_correlations(make_moments(truth + 1e7 * noise, 1e7), totals, variances)
    some = class_correlations(make_moments(truth + 700 * noise, 700.0), totals, variances)

    assert huge == pytest.approx(np.stack([np.eye(4)] * 2), abs=0.01)
    assert some[0] == pytest.approx(0.4 + 0.6 * np.eye(4), abs=0.15)
    assert abs(some[0] - some[1]).max() < abs(noise[0] - noise[1]).max() * 0.07


@pytest.mark.parametrize('width', [0, 1, 2, 7, 40])
@pytest.mark.parametrize('scale', [0.0, 1.0, 1e3, 1e9])
def test_correlations_are_positive_definite_whatever_was_released(rng, width, scale):
    variances = rng.choice([0.0, 1e-4, 0.3, 1.0], (3, width))
    products = rng.normal(0, max(scale, 1.0) * 3, (3, width, width))
    products = products + products.transpose(0, 2, 1)

    found = class_correlations(make_moments(products, scale), np.array([1.0, 2.0, 1e5]), variances)

    assert found.shape == (3, width, width)
    assert np.diagonal(found, axis1=1, axis2=2) == pytest.approx(np.ones((3, width)))
    assert found == pytest.approx(found.transpose(0, 2, 1), abs=1e-9)
    np.linalg.cholesky(found)


# Factors


def make_factors(rng, width, strengths):
    """Return correlations of columns that have factors in common, each with so much of them."""
    loadings = np.array(strengths)[:, None] * rng.choice([-1, 1], (len(strengths), width))
    matrix = loadings.T @ loadings
    return matrix[np.triu_indices(width, 1)]


def see(rng, truth, gain, noise):
    """Return noisy multiples of correlations, the multiples, and the variances."""
    gains = np.full(len(truth), gain)
    return gains * truth + rng.normal(0, noise, len(truth)), gains, np.full(len(truth), noise**2)


def test_factors_are_found_where_noise_hides_each_correlation(rng):
    """Noise is half as large again as a correlation of one: by itself each is lost."""
    truth = make_factors(rng, 300, [0.6, 0.5])
    values, gains, variances = see(rng, truth, 100.0, 150.0)

    found = find_factors(values, gains, variances)
    alone = shrunk_effects(values, gains, variances)

    assert np.corrcoef(found, truth)[0, 1] > 0.9
    errors = [np.square(each - truth).mean() for each in (found, alone, 0 * truth)]
    assert errors[0] < 0.25 * errors[1] < 0.25 * errors[2]
