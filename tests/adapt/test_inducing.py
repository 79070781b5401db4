"""Inducing points lower their loss, help a model on held-out rows, and never end worse."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm, rankdata
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

from sdv_threea.adapt.engine import float64
from sdv_threea.adapt.exact import as_scores
from sdv_threea.adapt.inducing import InducingSettings, Seen, adapt, candidate_loss, init, step
from sdv_threea.adapt.moments import release_moments
from sdv_threea.adapt.ntk import as_kernel
from sdv_threea.adapt.nystrom import kernel_features
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.adapt.rows import kernel_sums

RIDGE = 1e-3


def moons(size, seed):
    """Two moons, their columns turned into normal scores by rank, and one-hot classes."""
    points, labels = make_moons(size, noise=0.15, random_state=seed)
    scores = norm.ppf((rankdata(points, axis=0) - 0.5) / size)
    return scores, np.eye(2)[labels]


def centroids(rows, targets, per_class):
    groups = [rows[targets[:, label] == 1] for label in (0, 1)]
    clusters = [KMeans(per_class, n_init=3, random_state=0).fit(group) for group in groups]
    points = np.concatenate([cluster.cluster_centers_ for cluster in clusters])
    return points, np.repeat(np.eye(2), per_class, axis=0)


def release(rows, targets, features, mu=math.inf):
    sums = kernel_sums(as_scores(rows), targets, features)
    return release_moments(sums, features.projection.shape[1], mu=mu)[0]


def accuracy(points, targets, rows, row_targets):
    """Kernel ridge regression with the exact kernel, trained on the support points."""
    with float64():
        support, rows = jnp.asarray(points), jnp.asarray(rows)
        inner = np.asarray(ReluNtk()(support, support))
        across = np.asarray(ReluNtk()(rows, support))
    ridge = RIDGE * len(points) * np.trace(inner) / len(points) * np.eye(len(points))
    answers = across @ np.linalg.solve(inner + ridge, targets)
    return np.mean(answers.argmax(axis=1) == row_targets.argmax(axis=1))


@pytest.fixture(scope='module')
def problem():
    rows, targets = moons(2000, seed=0)
    landmarks = np.random.default_rng(0).normal(size=(200, 2))
    features = kernel_features(landmarks, as_kernel(), rank=40)
    moments = release(rows, targets, features)
    points, point_targets = centroids(rows, targets, per_class=3)
    return points, point_targets, moments, features


def test_adapting_lowers_the_loss_and_helps_on_held_out_rows(problem):
    points, targets, moments, features = problem
    held_out = moons(4000, seed=1)

    induced = adapt(points, targets, moments, features, InducingSettings(alpha=0.01))

    assert induced.loss_after < 0.7 * induced.loss_before
    before = accuracy(points, targets, *held_out)
    after = accuracy(induced.points, targets, *held_out)
    assert after > before + 0.02


def test_the_more_weight_on_staying_the_less_the_points_move(problem):
    points = problem[0]
    moves = [
        np.mean((adapt(*problem, InducingSettings(alpha=alpha)).points - points) ** 2)
        for alpha in (0.01, 0.5, 0.9)
    ]

    assert moves[0] > moves[1] > moves[2] > 0


@pytest.mark.parametrize('settings', [{'alpha': 1.0}, {'steps': 0}])
def test_points_told_to_stay_stay(problem, settings):
    induced = adapt(*problem, InducingSettings(**settings))

    np.testing.assert_array_equal(induced.points, problem[0])
    assert induced.loss_after == induced.loss_before


@pytest.mark.parametrize('rate', [0.05, 3.0, 1e3])
def test_no_learning_rate_makes_things_worse(problem, rate):
    induced = adapt(*problem, InducingSettings(alpha=0.1, learning_rate=rate, steps=30))

    assert induced.loss_after <= induced.loss_before
    assert np.isfinite(induced.points).all()


def test_adapting_to_noisy_moments_still_lowers_the_noisy_loss(problem):
    points, targets, _, features = problem
    noisy = release(*moons(2000, seed=0), features, mu=0.5)

    induced = adapt(points, targets, noisy, features, InducingSettings(alpha=0.1))

    assert induced.loss_after < induced.loss_before


def test_a_number_as_target_is_adapted_to_as_well(problem):
    points, _, _, features = problem
    rows, _ = moons(2000, seed=0)
    moments = release(rows, np.tanh(rows[:, :1]), features)

    induced = adapt(points, np.tanh(points[:, :1]), moments, features, InducingSettings(alpha=0.1))

    assert induced.loss_after < induced.loss_before < 0.5


def test_the_same_input_gives_the_same_output_in_double_precision(problem):
    first, second = adapt(*problem), adapt(*problem)

    np.testing.assert_array_equal(first.points, second.points)
    assert first.points.dtype == np.float64
    assert jnp.ones(1).dtype == jnp.float32


def test_the_reported_losses_are_those_of_the_candidates(problem):
    _, targets, moments, features = problem

    induced = adapt(*problem, InducingSettings(alpha=0.1, ridge=0.01))

    after = candidate_loss(induced.points, targets, moments, features, 0.01)
    assert induced.loss_after == pytest.approx(after, rel=1e-12)
    before = candidate_loss(problem[0], targets, moments, features, 0.01)
    assert induced.loss_before == pytest.approx(before, rel=1e-12)


def test_a_faithful_candidate_is_judged_better_than_one_with_shuffled_labels(problem):
    _, _, moments, features = problem
    support, targets = moons(300, seed=3)
    shuffled = np.random.default_rng(0).permutation(targets)

    faithful = candidate_loss(support, targets, moments, features)

    assert faithful < 0.1
    assert faithful < 0.5 * candidate_loss(support, shuffled, moments, features)


def test_steps_are_those_of_adam():
    # By hand: the bias-corrected moments of a constant slope are the slope and its square, so every
    # step is the learning rate against the sign of the slope.
    with float64():
        state = init(jnp.asarray([[1.0, -2.0]]))
        slope = jnp.asarray([[0.5, -4.0]])
        for time, value in ((1.0, 3.0), (2.0, 1.0), (3.0, 2.0)):
            state = step(state, Seen(value, 10 * value, slope), time, 0.1)

        np.testing.assert_allclose(state.points, [[0.7, -1.7]], rtol=1e-6)
        np.testing.assert_allclose(state.best_points, [[0.9, -1.9]], rtol=1e-6)
        assert state.best_value == 1.0
        assert (state.start_loss, state.best_loss) == (30.0, 10.0)


@pytest.mark.parametrize(
    'fields',
    [
        {'alpha': -0.1},
        {'alpha': 1.1},
        {'alpha': float('nan')},
        {'ridge': 0.0},
        {'steps': -1},
        {'learning_rate': 0.0},
    ],
)
def test_impossible_settings_are_refused(fields):
    with pytest.raises(ValueError, match='Expected'):
        InducingSettings(**fields)


def test_a_stax_kernel_gives_the_same_points_as_the_closed_form(problem):
    neural_tangents = pytest.importorskip(
        'neural_tangents', reason='neural-tangents wants an old JAX: its own environment'
    )
    dense = neural_tangents.stax.Dense(1, W_std=2**0.5, b_std=0.1)
    relu = neural_tangents.stax.Relu()
    kernel = as_kernel(neural_tangents.stax.serial(dense, relu, dense, relu, dense)[2])
    points, targets, moments, features = problem
    stax_features = kernel_features(features.landmarks, kernel, rank=40)
    stax_moments = release(*moons(2000, seed=0), stax_features)
    settings = InducingSettings(alpha=0.1, steps=20)

    closed = adapt(points, targets, moments, features, settings)
    stax = adapt(points, targets, stax_moments, stax_features, settings)

    np.testing.assert_allclose(stax.points, closed.points, atol=1e-3)
    assert stax.loss_after == pytest.approx(closed.loss_after, rel=1e-3)
