"""The law of conditional draws: against rejection, and against probabilities of other makers."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from sdv_threea.approximate.mixture import Mixture, class_mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.sampling.asked import CodeCondition, ImpossibleCondition, RowConditions
from sdv_threea.sampling.gaussians import draw_within


def make_mixture(num_classes, num_components, width, seed=5):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(num_classes, num_components, width, width))
    covariances = roots @ np.swapaxes(roots, 2, 3) / width + 0.1 * np.eye(width)
    means = rng.normal(size=(num_classes, num_components, width))
    return Mixture(rng.uniform(1, 9, (num_classes, num_components)), means, covariances)


def draw_inside(mixture, columns, intervals, num_rows, rng, classes=None):
    """Draw rows whose quantiles lie in intervals of each class, shape (C, q, I, 2).

    The intervals are those of every other code.
    """
    num_classes, width = len(mixture.weights), mixture.means.shape[2]
    cuts, asked = [np.tile([0.0, 1.0], (num_classes, 1))] * width, {}
    for place, at in enumerate(columns):
        inner = intervals[:, place].reshape(num_classes, -1)
        cuts[at] = np.pad(inner, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1)))
        mask = np.arange(cuts[at].shape[1] - 1) % 2 == 1
        occurs = np.ones((num_classes, len(mask)), dtype=bool)
        asked[at] = CodeCondition(np.full(num_rows, -1), mask[None], occurs)
    orders = tuple(np.arange(own.shape[1] - 1) for own in cuts)
    tables = tuple(np.zeros((num_classes, each.shape[1] - 1), dtype=np.int64) for each in cuts)
    scores = NormalScores(tables, tuple(cuts), orders, np.ones((num_classes, width)))
    allowed = np.ones(num_classes, dtype=bool) if classes is None else np.array(classes)
    return draw_within(mixture, scores, RowConditions(asked, np.tile(allowed, (num_rows, 1))), rng)


def draw(mixture, intervals, num_rows, rng, classes=None):
    """Draw rows with the same quantiles in all classes: by column, a list of intervals."""
    longest = max(map(len, intervals.values()), default=0)
    table = np.ones((len(mixture.weights), len(intervals), longest, 2))
    for at, each in enumerate(intervals.values()):
        table[:, at, : len(each)] = each
    return draw_inside(mixture, list(intervals), table, num_rows, rng, classes)


def is_inside(quantiles, intervals):
    return np.logical_and.reduce(
        [
            np.any([(low <= quantiles[:, at]) & (quantiles[:, at] < high) for low, high in each], 0)
            for at, each in intervals.items()
        ]
    )


def tell_components(mixture, intervals, num_rows, rng):
    """Shares of classes, for mixtures of one component per class."""
    columns = range(intervals.shape[1])
    classes, _ = draw_inside(mixture, columns, intervals, num_rows, rng)
    return np.bincount(classes, minlength=len(mixture.weights)) / num_rows


def own_quantiles(mixture, edges):
    """The same scores as quantiles of each class's own marginals, shape (C, q, 1, 2)."""
    deviations = np.sqrt(np.diagonal(mixture.covariances[:, 0], axis1=1, axis2=2))
    places = (np.array(edges)[None] - mixture.means[:, 0, :, None]) / deviations[..., None]
    return norm.cdf(places)[:, :, None]


def test_components_are_weighed_by_the_probability_of_the_rectangle(rng):
    mixture = make_mixture(4, 1, 3, seed=8)
    edges = [[-0.5, 0.4], [0.2, 1.5], [-2.0, 0.3]]
    low, high = np.array(edges).T
    masses = [
        weight[0] * multivariate_normal(mean[0], covariance[0]).cdf(high, lower_limit=low)
        for weight, mean, covariance in zip(
            mixture.weights, mixture.means, mixture.covariances, strict=True
        )
    ]
    expected = np.array(masses) / sum(masses)

    found = tell_components(mixture, own_quantiles(mixture, edges), 40_000, rng)

    assert found == pytest.approx(expected, abs=5 * np.sqrt(0.25 / 40_000))


def log_rectangle(mean, covariance, low, high):
    """Logarithm of a rectangle's probability under two normals, by quadrature."""
    deviation = np.sqrt(covariance[0, 0])
    slope = covariance[0, 1] / covariance[0, 0]
    left = np.sqrt(covariance[1, 1] - slope * covariance[0, 1])
    peak = norm.logpdf(np.clip(mean[0], low[0], high[0]), mean[0], deviation)

    def density(place):
        ends = (np.array([low[1], high[1]]) - mean[1] - slope * (place - mean[0])) / left
        return np.exp(norm.logpdf(place, mean[0], deviation) - peak) * np.diff(norm.cdf(ends))[0]

    end = min(high[0], np.clip(mean[0], low[0], high[0]) + 12 * deviation)
    return np.log(quad(density, low[0], end, epsabs=0, epsrel=1e-8)[0]) + peak


@pytest.mark.parametrize('tail', [1e-6, 1e-12, 1e-40])
def test_far_tails_weigh_components_right(rng, tail):
    """Far out, one component has the tail almost to itself: another is weighted to be its match."""
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    mixture = Mixture(
        np.ones((2, 1)),
        np.array([[[0.0, 0.0]], [[0.5, 0.2]]]),
        np.stack([covariance, np.diag([1.2, 0.8])])[:, None],
    )
    start = norm.isf(tail)
    edges = [[start, np.inf], [-0.5, 0.8]]
    logs = np.array(
        [
            log_rectangle(mixture.means[at, 0], mixture.covariances[at, 0], *np.array(edges).T)
            for at in (0, 1)
        ]
    )
    matched = Mixture(np.exp(logs.max() - logs)[:, None], mixture.means, mixture.covariances)
    # By symmetry the upper tail is a lower one, where quantiles as small as this can be told.
    mirrored = Mixture(matched.weights, -matched.means, matched.covariances)
    low_edges = [[-np.inf, -start], [-0.8, 0.5]]

    found = tell_components(mirrored, own_quantiles(mirrored, low_edges), 20_000, rng)

    assert found == pytest.approx([0.5, 0.5], abs=5 * np.sqrt(0.25 / 20_000))


def test_all_columns_can_be_known_and_none_can_exist(rng):
    mixture = make_mixture(2, 2, 4)
    intervals = {at: [(0.4, 0.6)] for at in range(4)}
    empty = class_mixture(np.array([3.0, 1.0]), np.zeros((2, 0, 0)))

    _, quantiles = draw(mixture, intervals, 500, rng)
    classes, nothing = draw(empty, {}, 50, rng, [False, True])

    assert is_inside(quantiles, intervals).all()
    assert nothing.shape == (50, 0)
    assert (classes == 1).all()


def test_what_has_no_probability_is_refused(rng):
    mixture = make_mixture(2, 1, 2)
    without_weight = Mixture(np.array([[0.0], [1.0]]), mixture.means, mixture.covariances)

    for case, interval, classes in (
        (mixture, (0.5, 0.5), [True, True]),
        (mixture, (0.1, 0.5), [False, False]),
        (without_weight, (0.1, 0.5), [True, False]),
    ):
        with pytest.raises(ImpossibleCondition, match='no probability'):
            draw(case, {0: [interval]}, 3, rng, classes)


@pytest.mark.parametrize('num_rows', [0, 1, 10_000])
def test_any_number_of_rows_follows_from_the_generator(num_rows):
    mixture = make_mixture(2, 2, 3)
    intervals = {0: [(0.2, 0.6)], 2: [(0.5, 0.9)]}

    first, again, other = (
        draw(mixture, intervals, num_rows, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )

    assert first[1].shape == (num_rows, 3)
    assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
    assert num_rows == 0 or not np.array_equal(first[1], other[1])
