from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sdv_threea.anonymize.constants import AnonymizeConstants
from sdv_threea.anonymize.mixing import mixture_of_components, regularize
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.maths.triangles import pack

CONSTANTS = AnonymizeConstants()
mixture_of_components = partial(mixture_of_components, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(31)


def moments_of(groups, *, scale=0.0, rng=None):
    """Moments of groups of records, with noise of a scale."""
    counts = np.array([float(len(rows)) for rows in groups])
    sums = np.stack([rows.sum(axis=0) for rows in groups])
    products = np.stack([rows.T @ rows for rows in groups])
    if scale:
        counts = np.maximum(counts + rng.normal(0, scale, counts.shape), 1.0)
        sums = sums + rng.normal(0, scale, sums.shape)
        noise = np.triu(rng.normal(0, scale, products.shape))
        products = products + noise + np.triu(noise, 1).transpose(0, 2, 1)
    return ScoreMoments(counts, sums, pack(products), scale, scale)


def standardised(parts):
    """Shift and scale a class of several components to mean zero and variance one."""
    rows = np.concatenate(parts)
    return [(part - rows.mean(axis=0)) / rows.std(axis=0) for part in parts]


def two_components(rng, sizes=(6_000, 2_000)):
    first = rng.multivariate_normal([0, 0, 0], np.eye(3) + 0.5 * (1 - np.eye(3)), sizes[0])
    second = rng.multivariate_normal([3, -2, 0], 0.5 * np.eye(3), sizes[1])
    return standardised([first, second])


def correlations_of(classes):
    return np.stack([np.corrcoef(np.concatenate(parts).T) for parts in classes])


def test_without_noise_a_component_is_the_gaussian_of_its_records(rng):
    classes = [two_components(rng), two_components(rng, (3_000, 3_000))]
    groups = [part for parts in classes for part in parts]
    totals = np.array([8_000.0, 6_000.0])

    mixture = mixture_of_components(
        moments_of(groups), totals, correlations_of(classes), np.ones((2, 3))
    )

    assert mixture.weights == pytest.approx(np.array([[6_000, 2_000], [3_000, 3_000]]))
    for at, rows in enumerate(groups):
        place = divmod(at, 2)
        assert mixture.means[place] == pytest.approx(rows.mean(axis=0), abs=0.02)
        assert mixture.covariances[place] == pytest.approx(np.cov(rows.T), abs=0.03)


def test_with_huge_noise_every_component_is_the_gaussian_of_its_class(rng):
    classes = [two_components(rng), two_components(rng)]
    groups = [part for parts in classes for part in parts]
    correlations = correlations_of(classes)

    for scale in (1e6, 1e12):
        components = moments_of(groups, scale=scale, rng=rng)
        totals = np.full(2, 8_000.0)
        mixture = mixture_of_components(components, totals, correlations, np.ones((2, 3)))

        assert mixture.weights.sum(axis=1) == pytest.approx(totals)
        assert mixture.means == pytest.approx(np.zeros((2, 2, 3)), abs=0.05)
        for label in (0, 1):
            for covariance in mixture.covariances[label]:
                assert covariance == pytest.approx(correlations[label], abs=0.05)


def test_some_noise_moves_components_less_far_from_their_class(rng):
    classes = [two_components(rng)]
    correlations = correlations_of(classes)
    distances = []
    for scale in (0.0, 700.0, 1e5):
        found = []
        for _ in range(20):
            components = moments_of(classes[0], scale=scale, rng=rng)
            components = ScoreMoments(
                np.array([6_000.0, 2_000.0]), components.sums, components.triangles, scale, scale
            )
            mixture = mixture_of_components(
                components, np.array([8e3]), correlations, np.ones((1, 3))
            )
            found.append(np.linalg.norm(mixture.means[0, 1]))
        distances.append(np.mean(found))

    assert distances[0] > 1.05 * distances[1] > 2 * distances[2]


def test_the_components_of_a_class_have_its_mean_and_about_its_covariance(rng):
    classes = [two_components(rng)]

    mixture = mixture_of_components(
        moments_of(classes[0]), np.array([8e3]), correlations_of(classes), np.ones((1, 3))
    )

    shares, means = mixture.weights[0] / 8e3, mixture.means[0]
    within = np.tensordot(shares, mixture.covariances[0], 1)
    assert shares @ means == pytest.approx(np.zeros(3), abs=1e-12)
    assert within + (means.T * shares) @ means == pytest.approx(
        correlations_of(classes)[0], abs=0.02
    )


def test_one_component_per_class_is_the_class(rng):
    (rows,) = standardised([rng.multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], 5_000)])

    mixture = mixture_of_components(
        moments_of([rows]), np.array([5e3]), np.corrcoef(rows.T)[None], np.ones((1, 2))
    )

    assert mixture.means == pytest.approx(np.zeros((1, 1, 2)))
    assert mixture.covariances[0, 0] == pytest.approx(np.corrcoef(rows.T), abs=0.03)


def test_tiny_components_have_no_weight_however_many_there_are(rng):
    sizes = np.array([1_000.0, 3.0, 400.0])
    components = ScoreMoments(sizes, np.zeros((3, 2)), np.tile([9.0, 0.0, 9.0], (3, 1)), 1.0, 1.0)
    many = ScoreMoments(np.ones(500), np.zeros((500, 1)), np.ones((500, 1)), 0.0, 0.0)

    few = mixture_of_components(components, np.array([1_403.0]), np.eye(2)[None], np.ones((1, 2)))
    equal = mixture_of_components(many, np.array([500.0]), np.ones((1, 1, 1)), np.ones((1, 1)))

    assert few.weights[0] == pytest.approx(1_403 * np.array([1_000, 0, 400]) / 1_400)
    assert equal.weights[0] == pytest.approx(np.ones(500))


def test_a_column_that_hardly_varies_disturbs_no_other(rng):
    parts = two_components(rng)
    for part in parts:
        part[:, 2] *= 1e-4
    variances = np.array([[1.0, 1.0, 1e-8]])
    correlation = np.corrcoef(np.concatenate(parts)[:, :2].T)
    correlations = np.eye(3)[None].copy()
    correlations[0, :2, :2] = correlation

    components = moments_of(parts, scale=20.0, rng=rng)
    mixture = mixture_of_components(components, np.array([8e3]), correlations, variances)

    for covariance, part in zip(mixture.covariances[0], parts, strict=True):
        assert covariance[:2, :2] == pytest.approx(np.cov(part[:, :2].T), abs=0.1)
        assert covariance[:2, 2] == pytest.approx([0, 0], abs=0.05)
        assert covariance[2, 2] == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize('width', [0, 1, 6])
@pytest.mark.parametrize('scale', [0.0, 1.0, 1e6])
def test_components_are_positive_definite_whatever_was_released(rng, width, scale):
    products = rng.normal(0, 1e3 * max(scale, 1.0), (6, width, width))
    components = ScoreMoments(
        np.array([1.0, 1.0, 1.0, 1e5, 1.0, 7.0]),
        rng.normal(0, 1e3 * max(scale, 1.0), (6, width)),
        pack(products + products.transpose(0, 2, 1)),
        scale,
        scale,
    )
    variances = rng.choice([0.0, 1e-4, 1.0], (2, width))
    correlations = np.stack([np.eye(width)] * 2)

    mixture = mixture_of_components(components, np.array([1.0, 1e5]), correlations, variances)

    assert mixture.covariances.shape == (2, 3, width, width)
    assert np.isfinite(mixture.means).all()
    for covariance in np.concatenate(mixture.covariances):
        assert (np.linalg.eigvalsh(covariance) > 0.9 * CONSTANTS.least_eigenvalue).all()
        np.linalg.cholesky(covariance)
    assert mixture.sample(50, rng)[1].shape == (50, width)


@pytest.mark.parametrize('trust', [0.0, 0.75, 1.0])
def test_regularizing_keeps_variances_and_a_share_of_covariances(rng, trust):
    roots = rng.normal(size=(2, 3, 4, 4))
    covariances = roots @ np.swapaxes(roots, 2, 3) + np.eye(4)
    mixture = Mixture(np.ones((2, 3)), np.zeros((2, 3, 4)), covariances)

    found = regularize(mixture, trust)

    diagonals = (np.diagonal(each, axis1=2, axis2=3) for each in (found.covariances, covariances))
    assert np.array_equal(*diagonals)
    upper = np.triu_indices(4, 1)
    wanted = trust * covariances[..., *upper]
    assert found.covariances[..., *upper] == pytest.approx(wanted)
    assert np.linalg.eigvalsh(found.covariances).min() > 0
    assert np.array_equal(found.means, mixture.means)


def test_moments_that_are_not_shrunk_are_taken_at_their_word(rng):
    parts = two_components(rng)
    moments = moments_of(parts, scale=500.0, rng=rng)
    known = np.array([8e3]), correlations_of([parts]), np.ones((1, 3))

    plain = mixture_of_components(moments, *known, constants=replace(CONSTANTS, shrink=False))
    shrunk = mixture_of_components(moments, *known)

    weights = plain.weights[0] / plain.weights.sum()
    means = moments.unclipped(8e3 * 3, CONSTANTS.most_unclipped).sums / plain.weights[0][:, None]
    assert plain.means[0] == pytest.approx(means - weights @ means)
    assert np.abs(shrunk.means).sum() < np.abs(plain.means).sum()
