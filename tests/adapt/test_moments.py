"""Vectors stay in a ball, a row moves sums a little, one receipt pays for their release."""

from __future__ import annotations

import dataclasses
import math
import pickle
import subprocess
import sys
import tracemalloc
from itertools import pairwise

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.features import as_points, kernel_features
from sdv_threea.adapt.kernels import UserKernel
from sdv_threea.adapt.moments import (
    BLOCK_ROWS,
    FEATURE_RADIUS,
    FEATURE_UNITS,
    Targeted,
    integer_vectors,
    kernel_sums,
    release_kernel_moments,
)
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.privacy.rows import chunk_arrays
from sdv_threea.privacy.statistics import moment_sensitivity, unpack_second_moments

LARGEST = np.iinfo(np.int64).max

ADVERSARIAL = np.array(
    [
        [0, 0, 0],
        [2**40, -(2**40), 2**40],
        [LARGEST, LARGEST, -LARGEST - 1],
        [1, 0, 0],
        [-LARGEST, 0, -LARGEST - 1],
        [768, -768, 768],
        [LARGEST, 1, 2],
    ]
)


@UserKernel
def broken(first, second):
    """Not finite for some points."""
    return jnp.where(first[:, :1] > 0, jnp.inf, jnp.nan) * (first @ second.T)


@UserKernel
def huge(first, second):
    """Far larger than its values at the landmarks suggest."""
    return jnp.exp(jnp.sum(first**2, axis=1)[:, None] + 0 * (first @ second.T))


@UserKernel
def meddling(first, second):
    """Every row depends on all rows of its batch."""
    return (first @ second.T + 1) / jnp.sum(jnp.abs(first))


KERNELS = [ReluNtk(), ReluNtk(depth=0), ReluNtk(4, 1e-30), broken, huge, meddling]


def make_features(kernel=None, size=32, rank=8):
    landmarks = np.random.default_rng(5).integers(-500, 500, (size, 3))
    features = kernel_features(landmarks, ReluNtk(), rank=rank, unclipped=0.9)
    return dataclasses.replace(features, kernel=kernel or ReluNtk())


def make_rows(size):
    scores = np.random.default_rng(0).integers(-700, 700, size=(size, 3))
    return Targeted(scores, np.eye(2)[(scores[:, 0] * scores[:, -1] > 0).astype(int)])


def no_noise(size, scale):
    return np.zeros(size, dtype=np.int64)


def release(rows, features, mu=math.inf, neighbors='add_remove', noise=no_noise):
    terms = {'mu': mu, 'neighbors': neighbors, 'noise': noise}
    return release_kernel_moments(chunk_arrays(rows), features, **terms)


@pytest.mark.parametrize('kernel', KERNELS)
def test_vectors_stay_in_the_ball_whatever_the_row_and_the_kernel(kernel):
    targets = np.tile([[1.0, 0.0], [1.0, 1.0], [1e9, -np.inf], [np.nan, 0.5]], (2, 1))[:7]

    with np.errstate(invalid='ignore'):
        vectors = integer_vectors(make_features(kernel), Targeted(ADVERSARIAL, targets))

    assert vectors.dtype == np.int64
    assert np.abs(vectors).max() <= FEATURE_UNITS
    assert (vectors**2).sum(axis=1).max() <= FEATURE_RADIUS**2


@pytest.mark.parametrize('kernel', KERNELS)
def test_adding_or_replacing_a_row_moves_the_sums_by_at_most_the_sensitivity(kernel):
    features, rows = make_features(kernel), make_rows(50)
    sums = [
        kernel_sums(features, Targeted(np.vstack([row, rows[0]]), np.vstack([target, rows[1]])))
        for row in ADVERSARIAL
        for target in ([1.0, 0.0], [0.0, 1.0])
    ]
    without = kernel_sums(features, rows)

    added = max(np.linalg.norm(each - without) for each in sums)
    replaced = max(np.linalg.norm(one - other) for one in sums for other in sums)

    assert added <= moment_sensitivity(FEATURE_RADIUS, 'add_remove')
    assert replaced <= moment_sensitivity(FEATURE_RADIUS, 'replace_one')
    if kernel == ReluNtk():
        assert added > 0.9 * moment_sensitivity(FEATURE_RADIUS, 'add_remove')


@pytest.mark.parametrize('kernel', [ReluNtk(), meddling])
def test_sums_of_chunks_add_up_to_the_sums_of_the_table_to_the_bit(kernel):
    features, rows = make_features(kernel), make_rows(2 * BLOCK_ROWS + 5)

    whole = kernel_sums(features, rows)
    pairs = pairwise([0, 0, 1, 99, BLOCK_ROWS - 1, 2 * BLOCK_ROWS + 5])
    chunks = [Targeted(*(each[slice(*pair)] for each in rows)) for pair in pairs]

    assert whole.dtype == np.int64
    np.testing.assert_array_equal(sum(kernel_sums(features, each) for each in chunks), whole)
    vectors = integer_vectors(features, rows)
    direct = unpack_second_moments(whole.astype(float))[0]
    np.testing.assert_array_equal(direct, vectors.T @ vectors)


def test_the_memory_does_not_grow_with_the_table():
    features, peaks = make_features(), []
    for num_blocks in (2, 20):
        rows = make_rows(num_blocks * BLOCK_ROWS)
        tracemalloc.start()
        kernel_sums(features, rows)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert peaks[1] < 1.5 * peaks[0]


def test_features_and_sums_travel_to_processes_that_load_no_jax():
    sent = pickle.dumps((make_features(), make_rows(100)))
    program = (
        'import pickle, sys\n'
        'from sdv_threea.adapt.moments import kernel_sums\n'
        'sums = kernel_sums(*pickle.load(sys.stdin.buffer))\n'
        'assert "jax" not in sys.modules\n'
        'sys.stdout.buffer.write(pickle.dumps(sums))'
    )

    done = subprocess.run([sys.executable, '-c', program], input=sent, capture_output=True)

    assert done.returncode == 0, done.stderr.decode()
    np.testing.assert_array_equal(
        pickle.loads(done.stdout), kernel_sums(make_features(), make_rows(100))
    )
    assert len(pickle.dumps(make_features())) < 32 * (3 + 8) * 8 + 1000


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_one_receipt_pays_for_one_draw_of_noise(neighbors):
    draws = []

    def recorded(size, scale):
        draws.append(size)
        return no_noise(size, scale)

    _, receipt = release(make_rows(100), make_features(), 0.25, neighbors, recorded)

    assert draws == [10 * 11 // 2]
    assert (receipt.stage, receipt.mu, receipt.delta, receipt.charged) == ('adapt', 0.25, 0, True)
    bound = moment_sensitivity(FEATURE_RADIUS, neighbors) / FEATURE_UNITS**2
    assert receipt.sensitivity == pytest.approx(bound)
    assert receipt.noise_scale == pytest.approx(bound / 0.25, rel=1e-3)


@pytest.mark.parametrize('width', [1, 2, 5])
def test_without_noise_moments_are_those_of_features_and_targets(width):
    features, scores = make_features(), make_rows(300).scores
    targets = np.random.default_rng(1).uniform(-0.4, 0.4, size=(300, width))

    moments, _ = release(Targeted(scores, targets), features)

    vectors = np.concatenate([features.with_slope(as_points(scores))[0], targets], axis=1)
    # Every product is off by up to two roundings to the grid.
    np.testing.assert_allclose(moments, vectors.T @ vectors, rtol=0, atol=300 * 3 / FEATURE_UNITS)


def test_an_empty_table_has_empty_moments():
    moments, _ = release(Targeted(np.zeros((0, 3), dtype=int), np.zeros((0, 2))), make_features())

    np.testing.assert_array_equal(moments, np.zeros((10, 10)))


def test_noisy_moments_stay_positive():
    def normal(size, scale):
        return np.rint(np.random.default_rng(0).normal(0, scale, size)).astype(np.int64)

    moments, _ = release(make_rows(300), make_features(), 0.05, noise=normal)

    assert np.linalg.eigvalsh(moments).min() > -1e-9 * np.abs(moments).max()
