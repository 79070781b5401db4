import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.counts import release_class_counts, release_counts
from sdv_threea.approximate.density import (
    class_chances,
    clip_radius,
    fit_scores,
    plan_class_counts,
)
from sdv_threea.approximate.gaussian import (
    class_correlations,
    find_factors,
    make_correlation,
)
from sdv_threea.approximate.moments import Grouped, ScoreMoments, release_score_moments
from sdv_threea.encoding.records import Encoded
from sdv_threea.maths.shrinkage import shrunk_effects
from sdv_threea.maths.triangles import pack
from sdv_threea.privacy.rows import chunk_arrays
from sdv_threea.statistics import registry

CONSTANTS = ApproximateConstants()
class_correlations = partial(class_correlations, constants=CONSTANTS)
fit_scores = partial(fit_scores, constants=CONSTANTS)
plan_class_counts = partial(plan_class_counts, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(17)


def silent(size, scale):
    return np.zeros(size, dtype=np.int64)


def discretise(normals, num_codes):
    """Cut columns of normals into codes of equal probability."""
    ranks = normals.argsort(axis=0).argsort(axis=0)
    return ranks * num_codes // len(normals)


def correlations_of(codes, labels, num_codes, num_classes, radius=None):
    width, terms = codes.shape[1], {'mu': math.inf, 'neighbors': 'add_remove', 'noise': silent}
    rows = chunk_arrays(Encoded(codes, labels))
    masks, ordered = [np.ones(num_codes, dtype=bool)] * width, [True] * width
    counts, _ = release_counts(rows, [num_codes] * width, num_classes, **terms)
    plan = plan_class_counts(counts, masks, ordered, math.inf)
    by_class, _ = release_class_counts(rows, plan, num_classes, **terms)
    known = masks, ordered, CONSTANTS
    chances = class_chances(counts, by_class, *known)
    scores, _ = fit_scores(counts, by_class, chances, masks, ordered, [False] * width)
    moments, _ = release_score_moments(
        chunk_arrays(Grouped(scores(codes, labels), labels)),
        num_classes,
        radius or clip_radius(scores.variances, CONSTANTS.clip),
        CONSTANTS.count_weight,
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


@pytest.mark.parametrize(('correlation', 'width'), [(0.2, 2), (0.5, 5), (0.8, 10)])
def test_clipping_hides_a_quarter_of_a_correlation_at_most(rng, correlation, width):
    matrix = np.full((width, width), correlation) + (1 - correlation) * np.eye(width)
    codes = discretise(rng.multivariate_normal(np.zeros(width), matrix, 10_000), 40)

    (found,) = correlations_of(codes, np.zeros(10_000, dtype=np.int64), 40, 1)

    mean = found[np.triu_indices(width, 1)].mean()
    assert 0.75 * correlation < mean < 1.05 * correlation


def test_each_class_keeps_its_own_correlation(rng):
    labels = np.repeat([0, 1], 10_000)
    first = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 10_000)
    second = rng.multivariate_normal([0, 0], [[1, -0.4], [-0.4, 1]], 10_000)
    codes = np.concatenate([discretise(first, 30), discretise(second, 30)])

    found = correlations_of(codes, labels, 30, 2, radius=10**6)

    assert found[:, 0, 1] == pytest.approx([0.6, -0.4], abs=0.03)


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


def test_chance_among_few_records_is_noise_too(rng):
    """Independent rare values that met by chance: raw, their correlations would be huge."""
    codes = (rng.random((200, 12)) < 0.02).astype(np.int64)
    codes[:, 0] = rng.random(200) < 0.5

    (found,) = correlations_of(codes, np.zeros(200, dtype=np.int64), 2, 1, radius=10**6)

    assert abs(found - np.eye(12)).max() < 0.5


def test_a_column_that_hardly_varies_disturbs_no_other(rng):
    """Its noise, divided by next to nothing, would be the largest correlation of all."""
    variances = np.array([[1.0, 1.0, 1e-6, 0.0]])
    products = np.diag([1e4, 1e4, 1e-2, 0.0])[None] + 0.0
    products[0, 0, 1] = products[0, 1, 0] = 5e3
    noise = np.triu(rng.normal(0, 100.0, (4, 4)), 1)

    (found,) = class_correlations(
        make_moments(products + noise + noise.T, 100.0), np.array([1e4]), variances
    )

    assert found[0, 1] == pytest.approx(0.5, abs=0.05)
    assert found[2:, :2] == pytest.approx(np.zeros((2, 2)), abs=1e-3)
    assert found[3, 2] == 0


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


def test_a_correlation_matrix_is_its_own_nearest_one():
    matrix = np.array([[1.0, 0.5, -0.2], [0.5, 1.0, 0.3], [-0.2, 0.3, 1.0]])

    assert make_correlation(matrix) == pytest.approx(matrix)


def test_impossible_correlations_become_possible_ones():
    impossible = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])

    found = make_correlation(impossible)

    assert np.linalg.eigvalsh(found)[0] > 0
    assert (np.sign(found) == np.sign(impossible)).all()
    assert make_correlation(np.array([[1.0, 7.0], [7.0, 1.0]]))[0, 1] == pytest.approx(0.98)


def test_correlations_that_are_not_shrunk_are_taken_at_their_word(rng):
    truth, totals, variances = 0.3, np.array([500.0, 100.0]), np.full((2, 2), 0.9)
    products = np.stack([n * 0.9 * 0.9 * (truth + np.eye(2)) for n in totals])
    moments = ScoreMoments(totals, np.zeros((2, 2)), pack(products), 1e4, 1e4)
    plain = replace(CONSTANTS, shrink=False, most_unclipped=1.0)

    found = class_correlations(moments, totals, variances, constants=plain)
    shrunk = class_correlations(moments, totals, variances)

    assert found[:, 0, 1] == pytest.approx([truth, truth])
    assert np.abs(shrunk[:, 0, 1]).max() < 0.01


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


@pytest.mark.parametrize('width', [2, 3, 10, 60, 200])
def test_noise_is_hardly_ever_taken_for_a_factor(rng, width):
    pairs = width * (width - 1) // 2
    found = [find_factors(*see(rng, np.zeros(pairs), 100.0, 300.0)).any() for _ in range(60)]

    assert np.mean(found) < 0.06


def test_factors_are_found_where_noise_hides_each_correlation(rng):
    """Noise is half as large again as a correlation of one: by itself each is lost."""
    truth = make_factors(rng, 300, [0.6, 0.5])
    values, gains, variances = see(rng, truth, 100.0, 150.0)

    found = find_factors(values, gains, variances)
    alone = shrunk_effects(values, gains, variances)

    assert np.corrcoef(found, truth)[0, 1] > 0.9
    errors = [np.square(each - truth).mean() for each in (found, alone, 0 * truth)]
    assert errors[0] < 0.25 * errors[1] < 0.25 * errors[2]


@pytest.mark.parametrize('kind', ['none', 'one', 'many', 'neighbours'])
@pytest.mark.parametrize('noise', [40.0, 200.0, 1_000.0])
def test_where_there_are_no_factors_looking_for_them_does_no_harm(rng, kind, noise):
    width, gain = 40, 1_000.0
    apart = np.abs(np.subtract.outer(np.arange(width), np.arange(width)))
    truth = np.zeros((width, width))
    if kind == 'one':
        truth[3, 9] = 0.9
    elif kind == 'many':
        truth = rng.normal(0, 0.1, (width, width))
    elif kind == 'neighbours':
        truth = 0.8**apart
    truth = truth[np.triu_indices(width, 1)]
    errors = np.zeros(2)
    for _ in range(20):
        values, gains, variances = see(rng, truth, gain, noise)
        explained = find_factors(values, gains, variances)
        left = partial(shrunk_effects, gains=gains, variances=variances, doubt=2.0)
        both, alone = explained + left(values - gains * explained), left(values)
        errors += [np.square(each - truth).mean() for each in (both, alone)]

    assert math.sqrt(errors[0] / 20) <= 1.06 * math.sqrt(errors[1] / 20) + 0.002


@pytest.mark.parametrize('width', [1, 2, 5])
def test_few_columns_and_no_noise_have_factors_too(rng, width):
    truth = make_factors(rng, width, [0.8])

    assert find_factors(*see(rng, truth, 10.0, 0.0)).shape == truth.shape
    with np.errstate(all='raise'):
        assert not find_factors(0 * truth, 0 * truth, 0 * truth).any()
