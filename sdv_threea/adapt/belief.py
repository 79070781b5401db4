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

import math
from collections.abc import Sequence
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


class Slopes(NamedTuple):
    """A released slope, shape (D,), and the standard deviation of its noise."""

    sums: NDArray[np.float64]
    scale: float

    def over(self, unit: float) -> Slopes:
        """Return the same in another unit."""
        return Slopes(self.sums / unit, self.scale / unit)


def pool(looks: Sequence[Slopes]) -> Slopes:
    """Average looks at the same slope, each by how precise it is."""
    precisions = np.array([1 / (look.scale**2 + TINY) for look in looks])
    sums = np.average([look.sums for look in looks], axis=0, weights=precisions)
    return Slopes(sums, 1 / math.sqrt(precisions.sum()))


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
    moved, root = _slope_law(curvature, scale, covariance)
    white = solve_triangular(root, slope, lower=True)
    gained = solve_triangular(root, moved, lower=True)
    likelihood = _log_likelihood(root, white)
    return Update(gained.T @ white, covariance - gained.T @ gained, likelihood)


def log_likelihoods(
    curvature: NDArray[np.float64],
    slope: NDArray[np.float64],
    scale: float,
    covariance: NDArray[np.float64],
    more: NDArray[np.float64],
    spreads: Sequence[float],
) -> NDArray[np.float64]:
    """Return how likely a slope was, if more was open than is believed, for several guesses.

    With ``S = L L^T`` for the belief, and ``U = L^-1 H M``, a guess ``t`` has the covariance of
    slopes ``L (I + t^2 U U^T) L^T``. So the eigenvalues of ``U^T U`` tell the likelihoods of all
    guesses, and the matrices of the belief are made once.

    Args:
        curvature: ``H``, shape (D, D).
        slope: ``s``, shape (D,).
        scale: Standard deviation of the noise of the slope.
        covariance: ``V``, shape (D, D).
        more: ``M``: the covariance of a guess is ``V + t^2 M M^T``; shape (D, r).
        spreads: The guesses ``t``.

    Returns:
        Their logarithms, but for a constant, by guess.
    """
    _, root = _slope_law(curvature, scale, covariance)
    white = solve_triangular(root, slope, lower=True)
    added = solve_triangular(root, curvature @ more, lower=True)
    values, turn = np.linalg.eigh(added.T @ added)
    seen = np.square(turn.T @ (added.T @ white))
    guesses = np.square(np.asarray(spreads))[:, None]
    factors = 1 + guesses * np.maximum(values, 0.0)
    gains = 0.5 * (guesses * seen / factors - np.log(factors)).sum(axis=1)
    return np.asarray(_log_likelihood(root, white) + gains)


def _slope_law(
    curvature: NDArray[np.float64], scale: float, covariance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``H V``, and the Cholesky root of the covariance ``S`` of slopes."""
    moved = curvature @ covariance
    expected = moved @ curvature + curvature
    expected[np.diag_indices(len(expected))] += scale**2 + TINY
    return moved, np.asarray(np.linalg.cholesky(expected), dtype=np.float64)


def _log_likelihood(root: NDArray[np.float64], white: NDArray[np.float64]) -> float:
    return -0.5 * float(white @ white) - float(np.log(np.diag(root)).sum())
