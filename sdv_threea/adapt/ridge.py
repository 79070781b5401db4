"""Kernel ridge regression on a support set, judged on the private rows through released moments.

Everything here is a pure JAX function of public or released numbers: differentiable, free of
privacy cost. Targets are matrices: one-hot rows for classes, one column for a number.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.moments import KernelMoments


def ridge_weights(features: jax.Array, targets: jax.Array, ridge: float | jax.Array) -> jax.Array:
    """Solve kernel ridge regression on a support set, as weights of the features.

    ``Phi^T (Phi Phi^T + c I)^-1 Y = (Phi^T Phi + c I)^-1 Phi^T Y``: a system of as many equations
    as there are features, whatever the number of points; a point without features and targets
    changes nothing.

    Args:
        features: Features ``Phi`` of the support points, shape (k, r).
        targets: Their targets ``Y``, shape (k, q).
        ridge: ``c``, above 0.

    Returns:
        Weights of the features, shape (r, q).
    """
    regularised = features.T @ features + ridge * jnp.eye(features.shape[1])
    return jax.scipy.linalg.solve(regularised, features.T @ targets, assume_a='pos')


def moment_loss(weights: jax.Array, moments: KernelMoments) -> jax.Array:
    """Read the squared loss of a linear predictor ``phi(x) W`` off the released moments.

    ``1/2 ||Y - Phi W||^2 = 1/2 tr(Y'Y - 2 W' Phi'Y + W' Phi'Phi W)``, per unit of ``||Y||^2``: the
    predictor that always says zero has loss 1/2.

    Args:
        weights: ``W``, shape (r, q).
        moments: The released moments.

    Returns:
        The loss, a scalar, at least zero.
    """
    energy = jnp.trace(moments.target_gram)
    fit = jnp.sum(weights * (moments.gram @ weights)) - 2 * jnp.sum(weights * moments.cross)
    return (energy + fit) / (2 * jnp.maximum(energy, 1))


def support_loss(
    points: jax.Array,
    targets: jax.Array,
    present: jax.Array,
    moments: KernelMoments,
    features: KernelFeatures,
    ridge: float | jax.Array,
) -> jax.Array:
    """Train on a support set, test on the private rows: the loss of kernel inducing points.

    ``1/2 ||Y - K_xs (K_ss + lambda k I)^-1 Y_s||^2`` per unit of ``||Y||^2``, for the kernel
    ``phi(x) . phi(s)`` (Nguyen, Chen, Lee 2020, equation 7).

    Args:
        points: Support points, shape (k, m).
        targets: Their targets, shape (k, q); zero where a point is not present.
        present: One for a point that counts, zero for one that does not, shape (k,).
        moments: The released moments.
        features: The feature map they were released for.
        ridge: ``lambda``, per support point.

    Returns:
        The loss, a scalar.
    """
    phi = features(points) * present[:, None]
    return moment_loss(ridge_weights(phi, targets, ridge * jnp.sum(present)), moments)
