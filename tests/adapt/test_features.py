"""Features say what is not linear; those of a private row are a function of it, bit for bit."""

import dataclasses
import pickle
import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.design import INPUT_UNITS
from sdv_threea.adapt.features import (
    KERNEL_BITS,
    LARGEST_RADIUS,
    LARGEST_SCORE,
    _project,
    as_points,
    make_features,
    whole_features,
    whole_projection,
)
from sdv_threea.adapt.kernels import UserKernel
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS

LARGEST = np.iinfo(np.int64).max

HOSTILE_SCORES = np.array(
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
    """Not finite for any point."""
    return jnp.where(first[:, :1] > 0, jnp.inf, jnp.nan) * (1 + first @ second.T)


@UserKernel
def endless(first, second):
    """Infinite both ways, at some landmarks."""
    return jnp.where(second[:, 0] > 0, 1.0, -1.0) * jnp.where(first[:, :1] > 0, jnp.inf, 1.0)


@UserKernel
def huge(first, second):
    """Far larger than its values at the landmarks suggest, up to overflow."""
    return jnp.exp(jnp.sum(first**2, axis=1)[:, None] + 0 * (first @ second.T))


@UserKernel
def tiny(first, second):
    """Smaller than what is told from zero."""
    return 1e-300 * (first @ second.T + 1)


@UserKernel
def meddling(first, second):
    """Every row depends on all rows of its batch."""
    return (first @ second.T + 1) / jnp.sum(jnp.abs(first))


KERNELS = [ReluNtk(), ReluNtk(0), ReluNtk(4, 1e-30), ReluNtk(3, 1e15)]
HOSTILE_KERNELS = [*KERNELS, broken, endless, huge, tiny, meddling]


def make(kernel=None, columns=5, *, size=600, landmarks=128, rank=32, unclipped=0.9):
    """Make features of the default kernel, and put another in its place."""
    rng = np.random.default_rng(0)
    scores = np.rint(rng.normal(size=(size, columns)) * SCORE_UNITS).astype(int)
    made = make_features(
        scores, np.ones(size), ReluNtk(), num_landmarks=landmarks, rank=rank, unclipped=unclipped
    )
    return dataclasses.replace(made, kernel=kernel or ReluNtk())


def draw_scores(features, size=1301):
    scores = np.random.default_rng(1).integers(-1000, 1000, (size, features.landmarks.shape[1]))
    # Rows that are landmarks, or opposite, zero and far: where square roots cancel.
    scores[:3] = np.outer([1, -1, 0], features.landmarks[0] * SCORE_UNITS)
    scores[3], scores[4] = LARGEST_SCORE, -LARGEST_SCORE
    return scores


def compute_directly(scores, features):
    """The features again, in double precision, as their definition says."""
    points = as_points(scores)
    inputs = np.column_stack(
        [features.kernel(points, features.landmarks), np.ones(len(points)), points]
    )
    found = inputs @ features.projection * INPUT_UNITS
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return found * np.minimum(1.0, features.radius / np.maximum(lengths, 1e-300))


@pytest.mark.parametrize('kernel', [ReluNtk(), ReluNtk(1, 1.0), ReluNtk(4, 0.5)])
@pytest.mark.parametrize('columns', [2, 5, 90])
def test_features_of_rows_are_those_of_the_kernel(kernel, columns):
    rng = np.random.default_rng(0)
    scores = np.rint(rng.normal(size=(600, columns)) * SCORE_UNITS).astype(int)
    features = make_features(
        scores, np.ones(600), kernel, num_landmarks=128, rank=16, unclipped=0.9
    )

    whole, direct = whole_features(scores, features), compute_directly(scores, features)

    # Single precision and the grid: a hundredth of a feature's standard deviation at most, but at
    # landmarks, where square roots cancel and cost half of the digits.
    np.testing.assert_allclose(whole[128:], direct[128:], atol=0.02 * INPUT_UNITS)
    assert np.mean(np.abs(whole - direct) > 0.1 * INPUT_UNITS) < 0.01


@pytest.mark.parametrize('columns', [1, 3, 14, 70])
@pytest.mark.parametrize('kernel', HOSTILE_KERNELS)
def test_a_row_has_the_same_features_to_the_bit_in_any_table_and_place(kernel, columns):
    features = dataclasses.replace(make(columns=columns), kernel=kernel)
    scores = draw_scores(features)
    order = np.random.default_rng(1).permutation(len(scores))

    found = whole_features(scores, features)

    np.testing.assert_array_equal(whole_features(scores[order], features), found[order])
    for start in (1, 7, 300, 511, 512, 1300):
        np.testing.assert_array_equal(whole_features(scores[start:], features), found[start:])
    alone = [whole_features(scores[[at]], features)[0] for at in (*range(6), 600, 1300)]
    np.testing.assert_array_equal(alone, found[[*range(6), 600, 1300]])


def test_sums_over_columns_and_landmarks_are_exact_in_any_order():
    features, rng = make(), np.random.default_rng(2)
    scores = draw_scores(features)
    found = whole_features(scores, features)

    for _ in range(5):
        columns, order = rng.permutation(5), rng.permutation(128)
        rows = np.concatenate([order, [128], 129 + columns])
        other = dataclasses.replace(
            features,
            landmarks=features.landmarks[order][:, columns],
            projection=features.projection[rows],
        )
        np.testing.assert_array_equal(whole_features(scores[:, columns], other), found)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_products_are_the_same_to_the_last_bit_in_any_order_before_they_are_rounded(dtype):
    rng = np.random.default_rng(2)
    values = (rng.normal(size=(300, 512)) * 10.0 ** rng.integers(-9, 9, (300, 512))).astype(dtype)
    projection, units = whole_projection(rng.normal(size=(300, 9)))
    found = _project(values, projection, units)

    for order in (rng.permutation(300), np.arange(300)[::-1]):
        other = _project(values[order], np.ascontiguousarray(projection[:, order]), units)
        np.testing.assert_array_equal(other, found)


@pytest.mark.parametrize('kernel', HOSTILE_KERNELS)
@pytest.mark.parametrize('radius', [0, 1, 300, 2**15 - 1, 2**15, LARGEST_RADIUS])
def test_whatever_the_row_and_the_kernel_no_vector_is_longer_than_the_radius(kernel, radius):
    features = dataclasses.replace(make(kernel, 3), radius=radius)
    # Far larger than the kernel makes them, either way.
    for scale in (1.0, 1e12, -1e12):
        wild = dataclasses.replace(features, projection=features.projection * scale)
        for vector in whole_features(HOSTILE_SCORES, wild).tolist():
            assert sum(each**2 for each in vector) <= radius**2


def test_what_is_not_a_number_is_no_feature():
    found = whole_features(np.full((3, 5), -300), make(broken))

    assert not found.any()


@pytest.mark.parametrize('size', [1, 100, 128, 129, 5000])
def test_no_sum_over_landmarks_leaves_the_whole_numbers_that_floats_hold(size):
    # The largest that can occur: every product at its bound, all of one sign.
    projection, _ = whole_projection(np.full((size, 2), np.nextafter(2.0, 0)))

    np.testing.assert_array_equal(projection, np.rint(projection))
    assert size * int(projection.max()) * 2**KERNEL_BITS < 2**53


def test_too_many_columns_for_exact_products_are_refused():
    with pytest.raises(OverflowError, match='too many columns'):
        whole_features(np.empty((0, 2**23), dtype=int), make())


def test_features_travel_to_processes_that_load_no_jax():
    features = make(columns=3)
    scores = draw_scores(features)
    program = (
        'import pickle, sys\n'
        'from sdv_threea.adapt.features import whole_features\n'
        'found = whole_features(*pickle.load(sys.stdin.buffer))\n'
        'assert "jax" not in sys.modules\n'
        'sys.stdout.buffer.write(pickle.dumps(found))'
    )
    sent = pickle.dumps((scores, features))

    done = subprocess.run([sys.executable, '-c', program], input=sent, capture_output=True)

    assert done.returncode == 0, done.stderr.decode()
    np.testing.assert_array_equal(pickle.loads(done.stdout), whole_features(scores, features))
