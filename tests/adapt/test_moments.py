"""Vectors stay in a ball, rows do not touch each other, one row moves the sums a little."""

from __future__ import annotations

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.features import kernel_features
from sdv_threea.adapt.moments import (
    BLOCK_ROWS,
    GRID,
    RADIUS,
    integer_vectors,
    nearest_positive,
    release_moments,
    row_features,
)
from sdv_threea.adapt.ntk import ReluNtk, float64
from sdv_threea.adapt.ridge import moment_loss
from sdv_threea.statistics import moment_sensitivity, second_moments

ADVERSARIAL = np.array(
    [
        [0.0, 0.0, 0.0],
        [1e12, -1e12, 1e12],
        [1e200, 1e200, -1e200],
        [1e-200, 0.0, 0.0],
        [np.inf, 0.0, -np.inf],
        [np.nan, 1.0, 2.0],
        [3.0, -3.0, 3.0],
    ]
)


def broken_kernel(first, second):
    """Not finite for some points."""
    return jnp.where(first[:, :1] > 0, jnp.inf, jnp.nan) * (first @ second.T)


def huge_kernel(first, second):
    """Far larger than its values at the landmarks suggest."""
    return jnp.exp(jnp.sum(first**2, axis=1)[:, None] + 0 * (first @ second.T))


def meddling_kernel(first, second):
    """Every row depends on all rows of its batch."""
    return ReluNtk()(first, second) / jnp.sum(jnp.abs(first))


KERNELS = [ReluNtk(), broken_kernel, huge_kernel, meddling_kernel]


def features_of(kernel=None, size=32, rank=8, columns=3):
    landmarks = np.random.default_rng(5).normal(size=(size, columns))
    features = kernel_features(landmarks, ReluNtk(), rank)
    return dataclasses.replace(features, kernel=kernel or ReluNtk())


def private_rows(size, seed=0, columns=3):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(size, columns))
    return rows, np.eye(2)[(rows[:, 0] * rows[:, 1] > 0).astype(int)]


def no_noise(size, scale):
    return np.zeros(size, dtype=np.int64)


def sums_of(rows, targets, features):
    vectors = integer_vectors(rows, targets, features)
    return second_moments(vectors, np.zeros(len(vectors), dtype=np.int64), 1)


@pytest.mark.parametrize('kernel', KERNELS)
def test_vectors_stay_in_the_ball_whatever_the_row_and_the_kernel(kernel):
    targets = np.tile([[1.0, 0.0], [1.0, 1.0], [1e9, -np.inf], [np.nan, 0.5]], (2, 1))[:7]

    vectors = integer_vectors(ADVERSARIAL, targets, features_of(kernel))

    assert vectors.dtype == np.int64
    assert np.abs(vectors).max() <= GRID
    assert (vectors**2).sum(axis=1).max() <= RADIUS**2


@pytest.mark.parametrize('kernel', KERNELS)
def test_a_row_is_mapped_alike_to_the_bit_in_any_table_and_place(kernel):
    features, (rows, _) = features_of(kernel, rank=32), private_rows(301)
    order = np.random.default_rng(1).permutation(len(rows))

    mapped = row_features(rows, features)

    np.testing.assert_array_equal(row_features(rows[order], features), mapped[order])
    for start in (1, 7, 300):
        np.testing.assert_array_equal(row_features(rows[start:], features), mapped[start:])


@pytest.mark.parametrize('kernel', KERNELS)
def test_adding_a_row_moves_the_sums_by_at_most_the_sensitivity(kernel):
    features, (rows, targets) = features_of(kernel), private_rows(50)
    before = sums_of(rows, targets, features)
    bound = moment_sensitivity(RADIUS, 'add_remove')

    moves = [
        np.linalg.norm(
            sums_of(np.vstack([row[None], rows]), np.vstack([[[1, 0]], targets]), features) - before
        )
        for row in ADVERSARIAL
    ]

    assert max(moves) <= bound
    if kernel == ReluNtk():
        assert max(moves) > 0.9 * bound


@pytest.mark.parametrize('kernel', KERNELS)
def test_replacing_a_row_moves_the_sums_by_at_most_the_sensitivity(kernel):
    features, (rows, targets) = features_of(kernel), private_rows(50)
    bound = moment_sensitivity(RADIUS, 'replace_one')

    sums = []
    for row in ADVERSARIAL:
        for target in ([1.0, 0.0], [0.0, 1.0]):
            other_rows, other_targets = rows.copy(), targets.copy()
            other_rows[20], other_targets[20] = row, target
            sums.append(sums_of(other_rows, other_targets, features))

    assert max(np.linalg.norm(one - other) for one in sums for other in sums) <= bound


def test_one_row_moves_the_released_moments_by_at_most_its_squared_norm():
    features, (rows, targets) = features_of(), private_rows(200)

    def released(size):
        moments, _ = release_moments(rows[:size], targets[:size], features, mu=1.0, noise=no_noise)
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

    _, receipt = release_moments(
        *private_rows(100), features_of(), mu=0.25, neighbors=neighbors, noise=recorded
    )

    assert draws == [10 * 11 // 2]
    assert (receipt.stage, receipt.mu, receipt.delta, receipt.charged) == ('adapt', 0.25, 0, True)
    bound = moment_sensitivity(RADIUS, neighbors) / GRID**2
    assert receipt.sensitivity == pytest.approx(bound)
    assert receipt.noise_scale == pytest.approx(bound / 0.25, rel=1e-3)


def test_noise_free_moments_give_the_loss_of_the_kernel_itself():
    rng = np.random.default_rng(2)
    rows, targets = private_rows(60)
    landmarks = np.concatenate([rows, rng.normal(size=(20, 3))])
    features = dataclasses.replace(kernel_features(landmarks, ReluNtk(), rank=80), scale=10.0)
    support, support_targets = landmarks[40:60], rng.normal(size=(20, 2))
    moments, _ = release_moments(rows, targets, features, mu=math.inf, noise=no_noise)

    with float64():
        kernel = np.asarray(ReluNtk()(jnp.asarray(landmarks), jnp.asarray(landmarks)))
        solution = np.linalg.solve(kernel[40:60, 40:60] + np.eye(20), support_targets)
        weights = 10.0 * np.asarray(features(jnp.asarray(support))).T @ solution * 10.0
        loss = float(moment_loss(jnp.asarray(weights), moments))

    direct = 0.5 * np.sum((targets - kernel[:60, 40:60] @ solution) ** 2) / 60
    assert loss == pytest.approx(direct, rel=5e-3)


def test_blocks_change_nothing():
    features, (rows, targets) = features_of(), private_rows(BLOCK_ROWS + 5)
    moments, _ = release_moments(rows, targets, features, mu=math.inf, noise=no_noise)

    halves = sums_of(rows[:99], targets[:99], features)
    halves = halves + sums_of(rows[99:4095], targets[99:4095], features)
    halves = halves + sums_of(rows[4095:], targets[4095:], features)
    vectors = np.concatenate(
        [
            integer_vectors(rows[:BLOCK_ROWS], targets[:BLOCK_ROWS], features),
            integer_vectors(rows[BLOCK_ROWS:], targets[BLOCK_ROWS:], features),
        ]
    )

    whole = second_moments(vectors, np.zeros(len(vectors), dtype=np.int64), 1)
    np.testing.assert_array_equal(halves, whole)
    direct = (vectors.T @ vectors) / GRID**2
    np.testing.assert_allclose(moments.gram, direct[:8, :8], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(moments.cross, direct[:8, 8:], rtol=1e-9, atol=1e-9)
    assert moments.count == pytest.approx(BLOCK_ROWS + 5)


def test_an_empty_table_has_empty_moments():
    moments, _ = release_moments(
        np.zeros((0, 3)), np.zeros((0, 2)), features_of(), mu=math.inf, noise=no_noise
    )

    assert not moments.gram.any()
    assert not moments.cross.any()
    assert moments.count == 1


def test_noisy_moments_stay_positive_and_every_loss_at_least_zero():
    moments, _ = release_moments(*private_rows(300), features_of(), mu=0.05)
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
    exact, _ = release_moments(*table, features, mu=0.5, noise=no_noise)
    noisy, _ = release_moments(*table, features, mu=0.5, noise=constant)

    np.testing.assert_allclose(noisy.cross - exact.cross, noisy.noise_scale, rtol=1e-3)
