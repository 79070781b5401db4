"""Features have norm at most one and reproduce the kernel as far as their rank allows."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.features import kernel_features
from sdv_threea.adapt.ntk import ReluNtk, float64


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
        inner = features(others) @ features(jnp.asarray(landmarks)).T * 100.0**2
        kernel = ReluNtk()(others, jnp.asarray(landmarks))

    np.testing.assert_allclose(inner, kernel, rtol=1e-6, atol=1e-6)


def test_rank_is_bounded_by_what_the_landmarks_span():
    landmarks = np.repeat(np.random.default_rng(3).normal(size=(5, 3)), 2, axis=0)

    assert kernel_features(landmarks, ReluNtk(), rank=64).projection.shape == (10, 5)
    assert kernel_features(landmarks, ReluNtk(), rank=3).projection.shape == (10, 3)
