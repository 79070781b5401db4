"""What is known of weights after each noisy slope: a normal distribution, made surer step by step.

The best weights ``w`` of a class are those where the loss is least. Known of them is ``w - w_0 ~
N(0, V)``, with ``w_0`` the present weights. A slope is released: ``s = H (w - w_0) + noise``, with
``H`` the curvature. The noise is that of the release, of variance ``scale^2``, and that of
sampling, of covariance ``H``, as records are themselves a sample. With ``S = H V H + H + scale^2
I``::

    d     = V H S^-1 s             the expected way to the least loss
    V'    = V - V H S^-1 H V       what is known of the weights after it
    log p = - s^T S^-1 s / 2 - log det(S) / 2 + const     how likely such a slope was

That is a step of a Kalman filter. With no noise it is Newton's. All of it is post-processing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

#: Added to the covariance of slopes, so that it can be inverted where nothing varies.
TINY = 1e-6


class Update(NamedTuple):
    """What a slope says of the weights of a class.

    Shapes: way (D,), covariance (D, D).
    """

    way: NDArray[np.float64]
    covariance: NDArray[np.float64]
    log_likelihood: float


def update(
    curvature: NDArray[np.float64],
    slope: NDArray[np.float64],
    scale: float,
    covariance: NDArray[np.float64],
) -> Update:
    """Update what is known of the weights of a class by a noisy slope.

    Args:
        curvature: ``H``, shape (D, D).
        slope: ``s``, shape (D,).
        scale: Standard deviation of the noise of the slope.
        covariance: ``V``, shape (D, D).

    Returns:
        The way to go, the covariance after it, and how likely the slope was.
    """
    moved = curvature @ covariance
    expected = moved @ curvature + curvature
    expected[np.diag_indices(len(expected))] += scale**2 + TINY
    root = np.linalg.cholesky(expected)
    white = solve_triangular(root, slope, lower=True)
    gained = solve_triangular(root, moved, lower=True)
    likelihood = -0.5 * float(white @ white) - float(np.log(np.diag(root)).sum())
    return Update(gained.T @ white, covariance - gained.T @ gained, likelihood)
