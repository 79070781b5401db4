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
