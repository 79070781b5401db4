"""Features are those of the kernel; those of a private row are a function of it, bit for bit."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.features import (
    KERNEL_BITS,
    LARGEST_SCORE,
    as_points,
    kernel_features,
    row_features,
    whole_projection,
)
from sdv_threea.adapt.kernels import UserKernel
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS


@UserKernel
def meddling(first, second):
    """Every row depends on all rows of its batch."""
    return (first @ second.T + 1) / jnp.sum(jnp.abs(first))


def make(kernel, columns=5, size=128, rank=32, unclipped=0.9):
    landmarks = np.rint(np.random.default_rng(0).normal(size=(size, columns)) * SCORE_UNITS)
    return kernel_features(landmarks.astype(int), kernel, rank=rank, unclipped=unclipped)


def draw_scores(features, size=1301):
    scores = np.random.default_rng(1).integers(-1000, 1000, (size, features.landmarks.shape[1]))
    # Rows that are landmarks, or opposite, zero and far: where square roots cancel.
    scores[:3] = np.outer([1, -1, 0], features.landmarks[0] * SCORE_UNITS)
    scores[3], scores[4] = LARGEST_SCORE, -LARGEST_SCORE
    return scores


@pytest.mark.parametrize('kernel', [ReluNtk(), ReluNtk(0), ReluNtk(1, 1.0), ReluNtk(4, 0.5)])
@pytest.mark.parametrize('columns', [1, 2, 5, 90])
def test_features_of_rows_are_those_of_the_kernel(kernel, columns):
    features = make(kernel, columns)
    scores = draw_scores(features)

    quick, slow = row_features(scores, features), features.with_slope(as_points(scores))[0]

    # Far below the grid of 2**-12 that they are rounded to; but where square roots cancel, half of
    # the digits of single precision are lost: on a line, everywhere.
    np.testing.assert_allclose(quick[5:], slow[5:], atol=4e-3 if columns == 1 else 4e-5)
    np.testing.assert_allclose(quick, slow, atol=4e-3)


@pytest.mark.parametrize('columns', [1, 3, 14, 70])
@pytest.mark.parametrize('kernel', [ReluNtk(), ReluNtk(0), ReluNtk(4, 1e-30), meddling])
def test_a_row_has_the_same_features_to_the_bit_in_any_table_and_place(kernel, columns):
    features = dataclasses.replace(make(ReluNtk(), columns), kernel=kernel)
    scores = draw_scores(features)
    order = np.random.default_rng(1).permutation(len(scores))

    found = row_features(scores, features)

    np.testing.assert_array_equal(row_features(scores[order], features), found[order])
    for start in (1, 7, 300, 511, 512, 1300):
        np.testing.assert_array_equal(row_features(scores[start:], features), found[start:])


def test_sums_over_columns_and_landmarks_are_exact_in_any_order():
    features, rng = make(ReluNtk()), np.random.default_rng(2)
    scores = draw_scores(features)
    found = row_features(scores, features)

    for _ in range(5):
        columns, order = rng.permutation(5), rng.permutation(128)
        landmarks, projection = features.landmarks[order][:, columns], features.projection[order]
        other = dataclasses.replace(features, landmarks=landmarks, projection=projection)
        np.testing.assert_array_equal(row_features(scores[:, columns], other), found)


@pytest.mark.parametrize('size', [1, 100, 128, 129, 5000])
def test_no_sum_over_landmarks_leaves_the_whole_numbers_that_floats_hold(size):
    # The largest that can occur: every product at its bound, all of one sign.
    projection, _ = whole_projection(np.full((size, 2), np.nextafter(2.0, 0)))

    np.testing.assert_array_equal(projection, np.rint(projection))
    assert size * int(projection.max()) * 2**KERNEL_BITS < 2**53


def test_too_many_columns_for_exact_products_are_refused():
    with pytest.raises(OverflowError, match='too many columns'):
        row_features(np.empty((0, 2**23), dtype=int), make(ReluNtk()))


def test_scores_out_of_reach_are_cut():
    far = as_points(np.array([[2**62, -(2**63), 5]])) * SCORE_UNITS

    np.testing.assert_array_equal(far, [[LARGEST_SCORE, -LARGEST_SCORE, 5]])


def test_a_row_that_overflows_warns_of_nothing():
    features = make(ReluNtk())
    wild = dataclasses.replace(features, kernel=ReluNtk(3, 1e15))

    with np.errstate(all='raise'):
        assert row_features(draw_scores(features), wild).shape == (1301, 32)


def test_features_of_far_points_reach_the_unit_sphere_and_none_leaves_it():
    rows = np.random.default_rng(6).normal(size=(502, 3))
    rows[:2] = [0.0, 0.0, 0.0], [1e12, -1e12, 1e12]

    norms = np.linalg.norm(make(ReluNtk(), 3, size=32).with_slope(rows)[0], axis=1)

    assert norms.max() <= 1 + 1e-12
    assert norms[1] == pytest.approx(1)
    assert norms[0] < 0.5
    assert (norms < 1 - 1e-9).mean() > 0.7


def test_full_rank_features_are_exact_at_the_landmarks():
    features = dataclasses.replace(make(ReluNtk(), 3, size=40, rank=40), scale=100.0)
    others = np.random.default_rng(4).normal(size=(9, 3))

    products = features.with_slope(others)[0] @ features.with_slope(features.landmarks)[0].T

    expected = ReluNtk()(others, features.landmarks)
    np.testing.assert_allclose(products * 100.0**2, expected, rtol=1e-6, atol=1e-6)


def test_rank_is_bounded_by_what_the_landmarks_span():
    landmarks = np.repeat(np.random.default_rng(3).integers(-500, 500, (5, 3)), 2, axis=0)

    for rank, kept in ((64, 5), (3, 3)):
        features = kernel_features(landmarks, ReluNtk(), rank=rank, unclipped=0.9)
        assert features.projection.shape == (10, kept)


@pytest.mark.parametrize('unclipped', [0.0, 0.5, 1.0])
def test_slopes_are_pulled_back_to_points_inside_the_ball_and_on_it(unclipped):
    features, rng = (
        make(ReluNtk(), 3, size=20, rank=6, unclipped=unclipped),
        np.random.default_rng(5),
    )
    points, weights = rng.normal(size=(4, 3)), rng.normal(size=(4, 6))
    slope = features.with_slope(points)[1](weights)

    for index in np.ndindex(points.shape):
        shift = np.zeros_like(points)
        shift[index] = 1e-6
        ends = [features.with_slope(points + sign * shift)[0] for sign in (1, -1)]
        rise = np.sum(weights * (ends[0] - ends[1])) / 2e-6
        assert slope[index] == pytest.approx(rise, rel=1e-5, abs=1e-8)
