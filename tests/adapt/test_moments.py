"""One receipt pays for the sums; what is released of them is a possible matrix of moments."""

from __future__ import annotations

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.engine import float64
from sdv_threea.adapt.exact import as_points
from sdv_threea.adapt.moments import nearest_positive, release_moments
from sdv_threea.adapt.nystrom import kernel_features
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.adapt.ridge import moment_loss
from sdv_threea.adapt.rows import GRID, RADIUS, kernel_sums
from sdv_threea.privacy.statistics import moment_sensitivity


def features_of(size=32, rank=8, columns=3):
    landmarks = np.random.default_rng(5).normal(size=(size, columns))
    return kernel_features(landmarks, ReluNtk(), rank)


def private_rows(size, columns=3):
    scores = np.random.default_rng(0).integers(-700, 700, size=(size, columns))
    return scores, np.eye(2)[(scores[:, 0] * scores[:, 1] > 0).astype(int)]


def no_noise(size, scale):
    return np.zeros(size, dtype=np.int64)


def release(scores, targets, features, mu=math.inf, **terms):
    sums = kernel_sums(scores, targets, features)
    return release_moments(sums, features.projection.shape[1], mu=mu, **terms)


def test_one_row_moves_the_released_moments_by_at_most_its_squared_norm():
    features, (scores, targets) = features_of(), private_rows(200)

    def released(size):
        moments, _ = release(scores[:size], targets[:size], features, 1.0, noise=no_noise)
        return np.block(
            [
                [moments.gram, moments.cross],
                [moments.cross.T, moments.target_gram],
            ]
        )

    move = np.linalg.norm(released(200) - released(199))

    assert 1 < move <= (RADIUS / GRID) ** 2 + 1e-9


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_one_receipt_pays_for_one_draw_of_noise(neighbors):
    draws = []

    def recorded(size, scale):
        draws.append(size)
        return no_noise(size, scale)

    _, receipt = release(
        *private_rows(100), features_of(), 0.25, neighbors=neighbors, noise=recorded
    )

    assert draws == [10 * 11 // 2]
    assert (receipt.stage, receipt.mu, receipt.delta, receipt.charged) == ('adapt', 0.25, 0, True)
    bound = moment_sensitivity(RADIUS, neighbors) / GRID**2
    assert receipt.sensitivity == pytest.approx(bound)
    assert receipt.noise_scale == pytest.approx(bound / 0.25, rel=1e-3)


def test_noise_free_moments_give_the_loss_of_the_kernel_itself():
    rng = np.random.default_rng(2)
    scores, targets = private_rows(60)
    landmarks = np.concatenate([as_points(scores), rng.normal(size=(20, 3))])
    features = dataclasses.replace(kernel_features(landmarks, ReluNtk(), rank=80), scale=10.0)
    landmarks = features.landmarks
    support, support_targets = landmarks[40:60], rng.normal(size=(20, 2))
    moments, _ = release(scores, targets, features)

    with float64():
        kernel = np.asarray(ReluNtk()(jnp.asarray(landmarks), jnp.asarray(landmarks)))
        solution = np.linalg.solve(kernel[40:60, 40:60] + np.eye(20), support_targets)
        weights = 10.0 * np.asarray(features(jnp.asarray(support))).T @ solution * 10.0
        loss = float(moment_loss(jnp.asarray(weights), moments))

    direct = 0.5 * np.sum((targets - kernel[:60, 40:60] @ solution) ** 2) / 60
    assert loss == pytest.approx(direct, rel=5e-3)


@pytest.mark.parametrize('width', [1, 2, 5])
def test_moments_are_taken_apart_into_those_of_features_and_targets(width):
    features, (scores, _) = features_of(), private_rows(300)
    targets = np.random.default_rng(1).uniform(-0.4, 0.4, size=(300, width))

    moments, _ = release(scores, targets, features)

    with float64():
        phi = np.asarray(features(jnp.asarray(as_points(scores))))
    # Every product is off by up to two roundings to the grid.
    close = {'rtol': 0, 'atol': 300 * 3 / GRID}
    np.testing.assert_allclose(moments.gram, phi.T @ phi, **close)
    np.testing.assert_allclose(moments.cross, phi.T @ targets, **close)
    np.testing.assert_allclose(moments.target_gram, targets.T @ targets, **close)


def test_an_empty_table_has_empty_moments():
    empty = np.zeros((0, 3), dtype=np.int64), np.zeros((0, 2))
    moments, _ = release(*empty, features_of())

    assert not moments.gram.any()
    assert not moments.cross.any()
    assert moments.gram.shape == (8, 8)
    assert moments.target_gram.shape == (2, 2)


def test_noisy_moments_stay_positive_and_every_loss_at_least_zero():
    moments, _ = release(*private_rows(300), features_of(), 0.05)
    joint = np.block([[moments.gram, moments.cross], [moments.cross.T, moments.target_gram]])

    assert np.linalg.eigvalsh(joint).min() > -1e-9 * np.abs(joint).max()
    rng = np.random.default_rng(0)
    with float64():
        losses = [
            float(moment_loss(jnp.asarray(rng.normal(size=(8, 2)) * size), moments))
            for size in (0.1, 1, 10)
        ]
    assert min(losses) >= 0


def test_the_nearest_positive_matrix_keeps_the_positive_part():
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]

    projected = nearest_positive(turn @ np.diag([3.0, 1.0, -2.0, -0.5]) @ turn.T)

    np.testing.assert_allclose(projected, turn @ np.diag([3.0, 1, 0, 0]) @ turn.T, atol=1e-12)


def test_the_noise_scale_is_that_of_the_off_diagonal_entries():
    def constant(size, scale):
        return np.full(size, round(scale), dtype=np.int64)

    table, features = private_rows(100), features_of()
    exact, _ = release(*table, features, 0.5, noise=no_noise)
    noisy, _ = release(*table, features, 0.5, noise=constant)

    np.testing.assert_allclose(noisy.cross - exact.cross, noisy.noise_scale, rtol=1e-3)
