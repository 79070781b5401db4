"""The normal posterior of weights, updated by one noisy slope after another: post-processing.

The best weights ``w`` of a class have the prior ``w - w_0 ~ N(0, V)`` around the present weights
``w_0``. The released slope is ``s = H (w - w_0) + noise``, with the curvature ``H``; the noise has
variance ``scale^2`` by the mechanism and covariance ``H`` by sampling. With
``S = H V H + H + scale^2 I``, a step of a Kalman filter (Newton's without noise) is::

    d     = V H S^-1 s             expected step to the minimum
    V'    = V - V H S^-1 H V       posterior covariance
    log p = - s^T S^-1 s / 2 - log det(S) / 2 + const     log likelihood of the slope
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from sdv_threea.maths.shrinkage import precision_weight

#: Added to the covariance of slopes, which is singular where nothing varies.
TINY = 1e-6


class Update(NamedTuple):
    """A step, shape (D,), the posterior covariance, (D, D), and the log likelihood of the slope."""

    way: NDArray[np.float64]
    covariance: NDArray[np.float64]
    log_likelihood: float


class Slopes(NamedTuple):
    """A released slope, shape (D,), and its noise scale."""

    sums: NDArray[np.float64]
    scale: float

    def average(self, other: Slopes) -> Slopes:
        """Return the precision-weighted average with another release of the same slope."""
        weight = precision_weight(self.scale, other.scale)
        sums = weight * self.sums + (1 - weight) * other.sums
        return Slopes(sums, self.scale * math.sqrt(weight))

    def over(self, unit: float) -> Slopes:
        """Return the same slope in another unit."""
        return Slopes(self.sums / unit, self.scale / unit)


def update(
    curvature: NDArray[np.float64],
    slope: NDArray[np.float64],
    scale: float,
    covariance: NDArray[np.float64],
) -> Update:
    """Return the posterior of a class's weights given a slope ``s``, ``H`` and the prior ``V``."""
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
    """Return log likelihoods of a slope, up to a constant, for the priors ``V + t^2 M M^T``.

    ``spreads`` are ``t``, ``more`` is ``M``, (D, r). With ``S = L L^T`` for ``V``, slopes have
    covariance ``L (I + t^2 U U^T) L^T``, ``U = L^-1 H M``, so one decomposition serves all ``t``.
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


def choose_spread(
    likelihoods: NDArray[np.float64], spreads: Sequence[float]
) -> tuple[float, float]:
    """Return the likeliest positive spread, and its gain of log likelihood over zero spread."""
    best = 1 + int(np.argmax(likelihoods[1:]))
    return spreads[best], float(likelihoods[best] - likelihoods[0])


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
