"""Ridge regression and its loss agree with plain linear algebra on the rows themselves."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdv_threea.adapt.engine import float64
from sdv_threea.adapt.moments import KernelMoments
from sdv_threea.adapt.nystrom import kernel_features
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.adapt.ridge import moment_loss, ridge_weights, support_loss


def setting(width, seed=0):
    rng = np.random.default_rng(seed)
    features = kernel_features(rng.normal(size=(30, 2)), ReluNtk(), rank=12)
    rows, targets = rng.normal(size=(80, 2)), rng.normal(size=(80, width))
    with float64():
        phi = np.asarray(features(jnp.asarray(rows)))
    moments = KernelMoments(
        gram=phi.T @ phi, cross=phi.T @ targets, target_gram=targets.T @ targets, noise_scale=0.0
    )
    support, support_targets = rng.normal(size=(6, 2)), rng.normal(size=(6, width))
    return features, phi, targets, moments, support, support_targets


def test_ridge_weights_are_those_of_the_regularised_kernel():
    rng = np.random.default_rng(0)
    phi, targets = rng.normal(size=(5, 8)), rng.normal(size=(5, 2))

    with float64():
        weights = np.asarray(ridge_weights(jnp.asarray(phi), jnp.asarray(targets), 0.5))

    dual = np.linalg.solve(phi @ phi.T + 0.5 * np.eye(5), targets)
    np.testing.assert_allclose(weights, phi.T @ dual, rtol=1e-9)


@pytest.mark.parametrize('width', [1, 3])
def test_the_loss_read_from_moments_is_the_loss_over_the_rows(width):
    _, phi, targets, moments, _, _ = setting(width)
    weights = np.random.default_rng(1).normal(size=(phi.shape[1], width))

    with float64():
        loss = float(moment_loss(jnp.asarray(weights), moments))

    direct = 0.5 * np.sum((targets - phi @ weights) ** 2) / np.sum(targets**2)
    assert loss == pytest.approx(direct, rel=1e-9)


def test_predicting_zero_has_loss_one_half():
    moments = setting(2)[3]
    with float64():
        assert float(moment_loss(jnp.zeros((12, 2)), moments)) == pytest.approx(0.5)


@pytest.mark.parametrize('width', [1, 3])
def test_the_support_loss_is_kernel_ridge_regression_from_support_to_rows(width):
    features, phi, targets, moments, support, support_targets = setting(width)
    with float64():
        phi_support = np.asarray(features(jnp.asarray(support)))
        loss = float(
            support_loss(
                jnp.asarray(support), support_targets, np.ones(6), moments, features, ridge=0.01
            )
        )

    kernel = phi_support @ phi_support.T
    solution = np.linalg.solve(kernel + 0.01 * 6 * np.eye(6), support_targets)
    residual = targets - phi @ phi_support.T @ solution
    assert loss == pytest.approx(0.5 * np.sum(residual**2) / np.sum(targets**2), rel=1e-9)


def test_points_that_are_not_present_do_not_count():
    features, _, _, moments, support, support_targets = setting(2)
    present = np.array([1.0, 1, 0, 1, 0, 1])
    kept = present > 0

    with float64():
        masked = support_loss(
            jnp.asarray(support),
            support_targets * present[:, None],
            present,
            moments,
            features,
            0.01,
        )
        alone = support_loss(
            jnp.asarray(support[kept]), support_targets[kept], np.ones(4), moments, features, 0.01
        )

    assert float(masked) == pytest.approx(float(alone), rel=1e-12)


def test_its_gradient_matches_finite_differences():
    features, _, _, moments, support, support_targets = setting(2)
    step = 1e-6

    with float64():

        def loss(points):
            return support_loss(points, support_targets, np.ones(6), moments, features, 0.01)

        slope = np.asarray(jax.grad(loss)(jnp.asarray(support)))
        for index in np.ndindex(support.shape):
            shift = np.zeros_like(support)
            shift[index] = step
            rise = loss(jnp.asarray(support + shift)) - loss(jnp.asarray(support - shift))
            assert slope[index] == pytest.approx(float(rise) / (2 * step), rel=1e-4, abs=1e-8)


def test_its_gradient_is_finite_where_support_points_coincide_with_landmarks():
    features, _, _, moments, _, support_targets = setting(2)
    support = np.repeat(features.landmarks[:3], 2, axis=0)

    with float64():
        slope = jax.grad(support_loss)(
            jnp.asarray(support), support_targets, np.ones(6), moments, features, 0.01
        )

    assert np.isfinite(np.asarray(slope)).all()
