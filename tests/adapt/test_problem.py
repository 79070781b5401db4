"""Padding changes shapes and no result."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt import problem as padding
from sdv_threea.adapt.engine import float64
from sdv_threea.adapt.inducing import InducingSettings, adapt, candidate_loss, objective
from sdv_threea.adapt.moments import KernelMoments
from sdv_threea.adapt.nystrom import kernel_features
from sdv_threea.adapt.problem import make_problem
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.adapt.ridge import support_loss


def laplace(first, second):
    """A kernel that would see further columns of zeros, and has no value at zero."""
    distance = jnp.sum(jnp.abs(first[:, None] - second[None]), axis=-1)
    size = jnp.sum(jnp.abs(first), axis=1)[:, None] * jnp.sum(jnp.abs(second), axis=1)
    return jnp.exp(-distance / first.shape[1]) * size / size


def setting(kernel, num_points=5, columns=3, width=2, rank=7, size=20):
    rng = np.random.default_rng(num_points + columns)
    features = kernel_features(rng.normal(size=(size, columns)), kernel, rank)
    joint = rng.normal(size=(50, rank + width)) / 10
    gram = joint.T @ joint
    moments = KernelMoments(gram[:rank, :rank], gram[:rank, rank:], gram[rank:, rank:], 0.5)
    points, targets = rng.normal(size=(num_points, columns)), rng.normal(size=(num_points, width))
    return points, targets, moments, features


SIZES = [
    {},
    {'num_points': 16, 'columns': 16, 'width': 16, 'rank': 32, 'size': 128},
    {'num_points': 17, 'columns': 17, 'width': 17, 'rank': 33, 'size': 129},
    {'num_points': 1, 'columns': 1, 'width': 1, 'rank': 1, 'size': 1},
]


@pytest.mark.parametrize('kernel', [ReluNtk(), ReluNtk(1, 0.5), laplace])
@pytest.mark.parametrize('sizes', SIZES)
def test_a_padded_problem_has_the_loss_and_the_slope_of_the_problem(kernel, sizes):
    points, targets, moments, features = setting(kernel, **sizes)
    away = points + np.random.default_rng(1).normal(size=points.shape)
    padded = make_problem(points, targets, moments, features)
    away_padded = padded.start.copy()
    away_padded[: points.shape[0], : points.shape[1]] = away

    @jax.jit
    @jax.value_and_grad
    def plain(moved):
        present = jnp.ones(len(points))
        loss = support_loss(moved, targets, present, moments, features, 0.01)
        return 0.3 * jnp.mean((moved - points) ** 2) + 0.7 * loss

    @jax.jit
    @jax.value_and_grad
    def with_padding(moved):
        return objective(moved, padded, 0.3, 0.01)[0]

    with float64():
        value, slope = plain(away)
        padded_value, padded_slope = with_padding(away_padded)

    assert float(padded_value) == pytest.approx(float(value), rel=1e-10)
    inside = np.zeros(padded.start.shape, dtype=bool)
    inside[: points.shape[0], : points.shape[1]] = True
    found = np.asarray(padded_slope)
    np.testing.assert_allclose(found[inside], np.ravel(slope), rtol=1e-7, atol=1e-10)
    assert not found[~inside].any()


@pytest.mark.parametrize('kernel', [ReluNtk(), laplace])
def test_adapted_points_are_the_same_with_more_padding(kernel, monkeypatch):
    given, settings = setting(kernel), InducingSettings(alpha=0.1, steps=50)
    before, loss = adapt(*given, settings), candidate_loss(*given)

    for name in ('POINTS', 'COLUMNS', 'TARGETS', 'LANDMARKS', 'RANK'):
        monkeypatch.setattr(padding, name, getattr(padding, name) + 3)
    after = adapt(*given, settings)

    np.testing.assert_allclose(after.points, before.points, rtol=1e-6)
    assert np.abs(after.points - given[0]).max() > 0.01
    assert after.loss_after == pytest.approx(before.loss_after, rel=1e-6)
    assert candidate_loss(*given) == pytest.approx(loss, rel=1e-9)


def test_kernels_of_users_see_no_further_column():
    assert make_problem(*setting(laplace)).start.shape == (16, 3)
    assert make_problem(*setting(ReluNtk())).start.shape == (16, 16)
