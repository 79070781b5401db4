import numpy as np
import pytest
from scipy.stats import kstest, norm

from sdv_threea.approximate.mixture import Mixture, regularize


@pytest.fixture
def mixture():
    """Two classes; the second has one component without weight, far from everything."""
    covariances = np.array(
        [
            [[[1.0, 0.5], [0.5, 2.0]], [[0.3, -0.2], [-0.2, 0.4]]],
            [[[1.0, -0.9], [-0.9, 1.0]], [[1.0, 0.0], [0.0, 1.0]]],
        ]
    )
    means = np.array([[[-2.0, 0.0], [1.0, 3.0]], [[0.0, 0.0], [500.0, 500.0]]])
    return Mixture(np.array([[10.0, 30.0], [60.0, 0.0]]), means, covariances)


def test_quantiles_are_uniform_in_each_column_and_class(mixture, rng):
    classes, quantiles = mixture.sample(20_000, rng)

    assert quantiles.min() >= 0
    assert quantiles.max() <= 1
    for label in (0, 1):
        for column in quantiles[classes == label].T:
            assert kstest(column, 'uniform').pvalue > 1e-3
            assert kstest(column**1.1, 'uniform').pvalue < 1e-3


def test_the_marginal_is_the_mixture_of_the_components(mixture):
    scores, classes = np.array([[0.5, 1.0]]), np.array([0])

    (places,) = mixture.quantiles(scores, classes)

    expected = 0.25 * norm.cdf(0.5, -2, 1) + 0.75 * norm.cdf(0.5, 1, 0.3**0.5)
    assert places[0] == pytest.approx(expected)


def test_components_without_weight_are_never_drawn_and_take_no_room(mixture, rng):
    second = Mixture(mixture.weights[1:], mixture.means[1:], mixture.covariances[1:])
    alone = Mixture(second.weights[:, :1], second.means[:, :1], second.covariances[:, :1])
    scores = rng.normal(size=(10, 2))

    _, quantiles = second.sample(5_000, rng)

    assert np.corrcoef(quantiles.T)[0, 1] == pytest.approx(-0.9, abs=0.03)
    labels = np.zeros(10, dtype=np.int64)
    assert np.array_equal(second.quantiles(scores, labels), alone.quantiles(scores, labels))


@pytest.mark.parametrize('num_components', [1, 2])
def test_scores_are_found_at_their_quantiles_however_far_out(mixture, num_components):
    part = Mixture(
        mixture.weights[:, :num_components],
        mixture.means[:, :num_components],
        mixture.covariances[:, :num_components],
    )
    wanted = np.array([0.0, 1e-200, 1e-12, 0.01, 0.5, 0.9, 1 - 1e-13, 1.0])

    scores = part.invert(np.broadcast_to(wanted, (2, 2, 8)))

    assert (scores[..., [0, -1]] == [-np.inf, np.inf]).all()
    for label in (0, 1):
        places = part.quantiles(scores[label].T, np.full(8, label))
        assert places[1:-1] == pytest.approx(np.stack([wanted[1:-1]] * 2, axis=1), rel=1e-12)


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
