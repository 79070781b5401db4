"""Vectors stay in a ball, rows do not touch each other, one row moves the sums a little."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
import tracemalloc

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.nystrom import kernel_features
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.adapt.rows import (
    BLOCK_ROWS,
    GRID,
    RADIUS,
    integer_vectors,
    kernel_sums,
    row_features,
)
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


def broken_kernel(first, second):
    """Not finite for some points."""
    return jnp.where(first[:, :1] > 0, jnp.inf, jnp.nan) * (first @ second.T)


def huge_kernel(first, second):
    """Far larger than its values at the landmarks suggest."""
    return jnp.exp(jnp.sum(first**2, axis=1)[:, None] + 0 * (first @ second.T))


def meddling_kernel(first, second):
    """Every row depends on all rows of its batch."""
    return ReluNtk()(first, second) / jnp.sum(jnp.abs(first))


KERNELS = [
    ReluNtk(),
    ReluNtk(depth=0),
    ReluNtk(4, 1e-30),
    broken_kernel,
    huge_kernel,
    meddling_kernel,
]


def features_of(kernel=None, size=32, rank=8, columns=3):
    landmarks = np.random.default_rng(5).normal(size=(size, columns))
    features = kernel_features(landmarks, ReluNtk(), rank)
    return dataclasses.replace(features, kernel=kernel or ReluNtk())


def private_rows(size, seed=0, columns=3):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-700, 700, size=(size, columns))
    return scores, np.eye(2)[(scores[:, 0] * scores[:, -1] > 0).astype(int)]


@pytest.mark.parametrize('kernel', KERNELS)
def test_vectors_stay_in_the_ball_whatever_the_row_and_the_kernel(kernel):
    targets = np.tile([[1.0, 0.0], [1.0, 1.0], [1e9, -np.inf], [np.nan, 0.5]], (2, 1))[:7]

    vectors = integer_vectors(ADVERSARIAL, targets, features_of(kernel))

    assert vectors.dtype == np.int64
    assert np.abs(vectors).max() <= GRID
    assert (vectors**2).sum(axis=1).max() <= RADIUS**2


@pytest.mark.parametrize('columns', [1, 3, 14, 70])
@pytest.mark.parametrize('kernel', KERNELS)
def test_a_row_is_mapped_alike_to_the_bit_in_any_table_and_place(kernel, columns):
    features = features_of(kernel, rank=32, columns=columns)
    scores, _ = private_rows(1301, columns=columns)
    order = np.random.default_rng(1).permutation(len(scores))

    mapped = row_features(scores, features)

    np.testing.assert_array_equal(row_features(scores[order], features), mapped[order])
    for start in (1, 7, 300, 511, 512, 1300):
        np.testing.assert_array_equal(row_features(scores[start:], features), mapped[start:])


@pytest.mark.parametrize('kernel', KERNELS)
def test_adding_a_row_moves_the_sums_by_at_most_the_sensitivity(kernel):
    features, (scores, targets) = features_of(kernel), private_rows(50)
    before = kernel_sums(scores, targets, features)
    bound = moment_sensitivity(RADIUS, 'add_remove')

    moves = [
        np.linalg.norm(
            kernel_sums(np.vstack([row, scores]), np.vstack([[1, 0], targets]), features) - before
        )
        for row in ADVERSARIAL
    ]

    assert max(moves) <= bound
    if kernel == ReluNtk():
        assert max(moves) > 0.9 * bound


@pytest.mark.parametrize('kernel', KERNELS)
def test_replacing_a_row_moves_the_sums_by_at_most_the_sensitivity(kernel):
    features, (scores, targets) = features_of(kernel), private_rows(50)
    bound = moment_sensitivity(RADIUS, 'replace_one')

    sums = []
    for row in ADVERSARIAL:
        for target in ([1.0, 0.0], [0.0, 1.0]):
            other_scores, other_targets = scores.copy(), targets.copy()
            other_scores[20], other_targets[20] = row, target
            sums.append(kernel_sums(other_scores, other_targets, features))

    assert max(np.linalg.norm(one - other) for one in sums for other in sums) <= bound


@pytest.mark.parametrize('kernel', [ReluNtk(), meddling_kernel])
def test_sums_of_chunks_add_up_to_the_sums_of_the_table_to_the_bit(kernel):
    features, (scores, targets) = features_of(kernel), private_rows(2 * BLOCK_ROWS + 5)

    whole = kernel_sums(scores, targets, features)
    ends = [0, 0, 1, 99, BLOCK_ROWS - 1, 2 * BLOCK_ROWS + 5]
    chunks = [slice(*pair) for pair in zip(ends, ends[1:], strict=False)]
    parts = sum(kernel_sums(scores[chunk], targets[chunk], features) for chunk in chunks)

    assert whole.dtype == np.int64
    np.testing.assert_array_equal(parts, whole)
    blocks = np.split(np.arange(len(scores)), [BLOCK_ROWS, 2 * BLOCK_ROWS])
    vectors = np.vstack([integer_vectors(scores[at], targets[at], features) for at in blocks])
    direct = unpack_second_moments(whole.astype(float))[0]
    np.testing.assert_array_equal(direct, vectors.T @ vectors)


def test_an_empty_table_has_empty_sums():
    sums = kernel_sums(np.zeros((0, 3), dtype=np.int64), np.zeros((0, 2)), features_of())

    np.testing.assert_array_equal(sums, np.zeros((1, 55)))


def test_the_memory_does_not_grow_with_the_table():
    def peak(num_blocks):
        tracemalloc.start()
        kernel_sums(*private_rows(num_blocks * BLOCK_ROWS), features)
        table = num_blocks * BLOCK_ROWS * (3 + 2 * 2) * 8
        return tracemalloc.get_traced_memory()[1] - table

    features = features_of()
    try:
        few, many = peak(2), peak(20)
    finally:
        tracemalloc.stop()

    assert many < 1.5 * few


def test_features_and_sums_travel_to_processes_that_load_no_jax():
    features, (scores, targets) = features_of(), private_rows(100)
    program = (
        'import pickle, sys\n'
        'from sdv_threea.adapt.rows import kernel_sums\n'
        'sums = kernel_sums(*pickle.load(sys.stdin.buffer))\n'
        'assert "jax" not in sys.modules\n'
        'sys.stdout.buffer.write(pickle.dumps(sums))'
    )

    sent = pickle.dumps((scores, targets, features))
    done = subprocess.run([sys.executable, '-c', program], input=sent, capture_output=True)

    assert done.returncode == 0, done.stderr.decode()
    np.testing.assert_array_equal(pickle.loads(done.stdout), kernel_sums(scores, targets, features))
    assert len(pickle.dumps(features)) < 32 * (3 + 8) * 8 + 1000
