"""Features have norm at most one and reproduce the kernel as far as their rank allows."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.engine import float64
from sdv_threea.adapt.nystrom import kernel_features
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS


def test_features_of_far_rows_reach_the_unit_sphere_and_none_leaves_it():
    rng = np.random.default_rng(0)
    features = kernel_features(rng.normal(size=(32, 3)), ReluNtk(), rank=32)
    rows = np.concatenate([[[0.0, 0.0, 0.0], [1e12, -1e12, 1e12]], rng.normal(size=(500, 3))])

    with float64():
        norms = np.linalg.norm(features(jnp.asarray(rows)), axis=1)

    assert norms.max() <= 1 + 1e-12
    assert norms[1] == pytest.approx(1)
    assert norms[0] < 0.5
    assert (norms < 1 - 1e-9).mean() > 0.7


def test_full_rank_features_are_exact_at_the_landmarks():
    landmarks = np.random.default_rng(3).normal(size=(40, 3))
    features = dataclasses.replace(kernel_features(landmarks, ReluNtk(), rank=40), scale=100.0)

    with float64():
        others = jnp.asarray(np.random.default_rng(4).normal(size=(9, 3)))
        public = jnp.asarray(features.landmarks)
        inner = features(others) @ features(public).T * 100.0**2
        kernel = ReluNtk()(others, public)

    np.testing.assert_allclose(inner, kernel, rtol=1e-6, atol=1e-6)


def test_rank_is_bounded_by_what_the_landmarks_span():
    landmarks = np.repeat(np.random.default_rng(3).normal(size=(5, 3)), 2, axis=0)

    assert kernel_features(landmarks, ReluNtk(), rank=64).projection.shape == (10, 5)
    assert kernel_features(landmarks, ReluNtk(), rank=3).projection.shape == (10, 3)


def test_landmarks_are_rounded_as_rows_are():
    landmarks = np.array([[0.1, 1e9], [-2.0, 0.25]])

    features = kernel_features(landmarks, ReluNtk())

    np.testing.assert_array_equal(features.landmarks, [[26 / SCORE_UNITS, 128.0], [-2.0, 0.25]])


def test_a_kernel_of_jax_and_the_default_have_the_same_features():
    landmarks = np.random.default_rng(5).normal(size=(40, 3))

    default = kernel_features(landmarks, ReluNtk(), rank=6)
    wrapped = kernel_features(landmarks, lambda first, second: ReluNtk()(first, second), rank=6)

    np.testing.assert_allclose(np.abs(wrapped.projection), np.abs(default.projection), atol=1e-9)
    assert wrapped.scale == pytest.approx(default.scale)
