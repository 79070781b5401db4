"""Inducing points lower their loss, help a model on held-out rows, and never end worse."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm, rankdata
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.features import as_points, kernel_features
from sdv_threea.adapt.inducing import adapt_centroids, move_points, support_loss
from sdv_threea.adapt.kernels import UserKernel
from sdv_threea.adapt.moments import Targeted, release_kernel_moments
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.privacy.rows import chunk_arrays

CONSTANTS = AdaptConstants()
RIDGE = CONSTANTS.ridge
TERMS = {'mu': math.inf, 'neighbors': 'add_remove', 'noise': discrete_gaussian}


def linear(first, second):
    return first @ second.T + 1


def moons(size, seed):
    """Two moons, their columns turned into normal scores by rank, and one-hot classes."""
    points, labels = make_moons(size, noise=0.15, random_state=seed)
    scores = norm.ppf((rankdata(points, axis=0) - 0.5) / size)
    return Targeted(np.rint(scores * SCORE_UNITS).astype(np.int64), np.eye(2)[labels])


def accuracy(points, targets, rows):
    """Kernel ridge regression with the exact kernel, trained on the support points."""
    inner, across = ReluNtk()(points, points), ReluNtk()(as_points(rows.scores), points)
    answers = across @ np.linalg.solve(inner + RIDGE * np.trace(inner) * np.eye(6), targets)
    return np.mean(answers.argmax(axis=1) == rows.targets.argmax(axis=1))


def make_problem(kernel, mu=math.inf, rows=None):
    landmarks = np.rint(np.random.default_rng(0).normal(0, SCORE_UNITS, size=(200, 2)))
    features = kernel_features(landmarks.astype(np.int64), kernel, rank=40, unclipped=0.9)
    rows = chunk_arrays(rows or moons(2000, seed=0))
    return features, release_kernel_moments(rows, features, **TERMS | {'mu': mu})[0]


@pytest.fixture(scope='module')
def start():
    """Three centroids of each moon."""
    rows = moons(2000, seed=0)
    groups = [as_points(rows.scores[rows.targets[:, label] == 1]) for label in (0, 1)]
    clusters = [KMeans(3, n_init=3, random_state=0).fit(group) for group in groups]
    return np.concatenate([cluster.cluster_centers_ for cluster in clusters])


@pytest.fixture(scope='module')
def problem():
    return make_problem(ReluNtk())


TARGETS = np.repeat(np.eye(2), 3, axis=0)


def move(start, problem, alpha=0.1, targets=TARGETS, **constants):
    """Move points, and return them with the loss before and after."""
    features, moments = problem
    judge = partial(support_loss, targets=targets, moments=moments, ridge=RIDGE)
    moved = move_points(start, features, judge, alpha, AdaptConstants(**constants))
    return moved, *(judge(features.with_slope(points)[0])[0] for points in (start, moved))


def test_the_loss_is_that_of_kernel_ridge_regression_from_support_to_rows(start, problem):
    features, moments = problem
    rows = moons(2000, seed=0)
    phi, support = (features.with_slope(each)[0] for each in (as_points(rows.scores), start))

    loss, _ = support_loss(support, TARGETS, moments, 0.01)

    solution = np.linalg.solve(support @ support.T + 0.01 * 6 * np.eye(6), TARGETS)
    residual = rows.targets - phi @ support.T @ solution
    expected = 0.5 * np.sum(residual**2) / np.sum(rows.targets**2)
    assert loss == pytest.approx(expected, rel=1e-3)  # features are rounded to the grid


def test_predicting_zero_has_loss_one_half_and_no_loss_of_positive_moments_is_negative(problem):
    moments = problem[1]
    phi = np.random.default_rng(0).normal(size=(6, 40)) / 7

    assert support_loss(phi, np.zeros((6, 2)), moments, RIDGE)[0] == pytest.approx(0.5)
    for size in (0.1, 1, 10):
        assert support_loss(phi, size * TARGETS, moments, RIDGE)[0] >= 0


@pytest.mark.parametrize('width', [1, 3])
def test_the_slope_of_the_loss_matches_finite_differences(width):
    rng = np.random.default_rng(width)
    phi, targets = rng.normal(size=(6, 8)), rng.normal(size=(6, width))
    root = rng.normal(size=(20, 8 + width))
    loss = partial(support_loss, targets=targets, moments=root.T @ root, ridge=0.05)
    slope = loss(phi)[1]

    for index in np.ndindex(phi.shape):
        shift = np.zeros_like(phi)
        shift[index] = 1e-6
        rise = (loss(phi + shift)[0] - loss(phi - shift)[0]) / 2e-6
        assert slope[index] == pytest.approx(rise, rel=1e-4, abs=1e-8)


def test_adapting_lowers_the_loss_and_helps_on_held_out_rows(start, problem):
    held_out = moons(4000, seed=1)

    moved, before, after = move(start, problem, alpha=0.01)

    assert after < 0.7 * before
    assert accuracy(moved, TARGETS, held_out) > accuracy(start, TARGETS, held_out) + 0.02


def test_the_more_weight_on_staying_the_less_the_points_move(start, problem):
    away = [np.mean((move(start, problem, alpha)[0] - start) ** 2) for alpha in (0.01, 0.5, 0.9)]

    assert away[0] > away[1] > away[2] > 0


def test_points_told_to_stay_stay(start, problem):
    np.testing.assert_array_equal(move(start, problem, alpha=1.0)[0], start)
    np.testing.assert_array_equal(move(start, problem, point_steps=0)[0], start)


@pytest.mark.parametrize('rate', [0.05, 3.0, 1e3])
def test_no_learning_rate_makes_things_worse(start, problem, rate):
    moved, before, after = move(start, problem, learning_rate=rate, point_steps=30)

    assert after <= before
    assert np.isfinite(moved).all()


def test_adapting_to_noisy_moments_still_lowers_the_noisy_loss(start):
    _, before, after = move(start, make_problem(ReluNtk(), mu=0.5))

    assert after < before


def test_a_number_as_target_is_adapted_to_as_well(start):
    scores = moons(2000, seed=0).scores
    rows = Targeted(scores, np.tanh(as_points(scores[:, :1])))

    _, before, after = move(
        start, make_problem(ReluNtk(), rows=rows), targets=np.tanh(start[:, :1])
    )

    assert after < before < 0.5


def test_a_kernel_that_overflows_leaves_the_points_where_they_are(start, problem):
    wild = UserKernel(lambda first, second: first @ second.T * 1e308 * 10)
    features = replace(problem[0], kernel=wild)
    judge = partial(support_loss, targets=TARGETS, moments=problem[1], ridge=RIDGE)

    with np.errstate(all='raise'):
        moved = move_points(start, features, judge, 0.1, CONSTANTS)

    np.testing.assert_array_equal(moved, start)


def test_steps_are_those_of_adam():
    # By hand: the bias-corrected moments of a constant slope are the slope and its square, so every
    # step is the learning rate against the sign of the slope.
    start, slope, seen = np.array([[1.0, -2.0]]), np.array([[0.5, -4.0]]), []
    features = SimpleNamespace(with_slope=lambda points: (points, lambda slope: slope))

    def judge(phi):
        seen.append(phi)
        return [3.0, 1.0, 2.0][len(seen) - 1], slope

    constants = AdaptConstants(point_steps=2, learning_rate=0.1)
    best = move_points(start, features, judge, 0.0, constants)

    np.testing.assert_allclose(seen[2], [[0.8, -1.8]], rtol=1e-6)
    np.testing.assert_allclose(best, [[0.9, -1.9]], rtol=1e-6)


def adapt(kernel=None):
    rows = moons(2000, seed=0)
    centroids = np.random.default_rng(1).integers(-SCORE_UNITS, SCORE_UNITS, size=(2, 3, 2))
    landmarks = np.random.default_rng(2).integers(-2 * SCORE_UNITS, 2 * SCORE_UNITS, size=(400, 2))
    terms = {'alpha': 0.1, 'kernel': kernel, 'constants': CONSTANTS, **TERMS}
    moved = adapt_centroids(chunk_arrays(rows), centroids, TARGETS, landmarks=landmarks, **terms)
    return centroids, *moved


@pytest.mark.parametrize('kernel', [None, linear])
def test_centroids_move_alike_each_time(kernel):
    before, after, receipt = adapt(kernel)

    assert (after.shape, after.dtype) == (before.shape, np.int64)
    assert 1 < np.abs(after - before).max() < 8 * SCORE_UNITS
    assert receipt.stage == 'adapt'
    np.testing.assert_array_equal(adapt(kernel)[1], after)


def test_without_a_kernel_of_the_user_no_jax_is_loaded():
    program = """
import math, sys
import numpy as np
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.inducing import adapt_centroids
from sdv_threea.adapt.moments import Targeted
from sdv_threea.privacy.mechanism import discrete_gaussian
from sdv_threea.privacy.rows import chunk_arrays
scores, targets = np.arange(24).reshape(8, 3), np.eye(2)[[0, 1] * 4]
adapt_centroids(
    chunk_arrays(Targeted(scores, targets)), scores.reshape(2, 4, 3), targets, landmarks=scores,
    alpha=0.5, kernel=None, constants=AdaptConstants(), mu=math.inf, neighbors='add_remove',
    noise=discrete_gaussian,
)
assert 'jax' not in sys.modules
"""
    subprocess.run([sys.executable, '-c', program], check=True)


def test_a_stax_kernel_gives_the_same_points_as_the_closed_form(start, problem, stax_kernel):
    closed, _, loss = move(start, problem, point_steps=20)
    stax, _, other = move(start, make_problem(stax_kernel(2)), point_steps=20)

    np.testing.assert_allclose(stax, closed, atol=1e-3)
    assert other == pytest.approx(loss, rel=1e-3)
