"""The normal posterior of weights, updated by one noisy slope after another: post-processing.

The best weights ``w`` of a predictor have the prior ``w - w_0 ~ N(0, V)`` around the current
weights ``w_0``. The released slope is ``s = H (w - w_0) + noise``, with the curvature ``H``; the
noise has variance ``scale^2`` by the mechanism and covariance ``H`` by sampling. With
``S = H V H + H + scale^2 I``, a step of a Kalman filter (Newton's without noise) is::

    d     = V H S^-1 s             expected step to the minimum
    V'    = V - V H S^-1 H V       posterior covariance
    log p = - s^T S^-1 s / 2 - log det(S) / 2 + const     log likelihood of the slope
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag, solve_triangular

from sdv_threea.arrays import Floats

#: Added to the covariance of slopes, which is singular if an input does not vary. If that is not
#: enough, the second number times the largest entry is added.
TINY, RELATIVE_TINY = 1e-6, 1e-9


class Added(NamedTuple):
    """Weights whose prior is known up to a factor, and the root ``R`` of the prior, (r, r)."""

    weights: slice
    root: Floats


class Belief:
    """Means, (K, D), and covariances, (K, D, D), of the weights of ``K`` predictors."""

    def __init__(self, means: Floats, covariances: Floats) -> None:
        self.means, self.covariances = means, covariances

    def widen(self, covariance: Floats) -> None:
        """Add weights of mean zero, with this prior covariance, (r, r), for each predictor."""
        self.means = np.pad(self.means, ((0, 0), (0, len(covariance))))
        self.covariances = np.stack([block_diag(own, covariance) for own in self.covariances])

    def narrow(self, width: int) -> None:
        """Keep the first ``width`` weights."""
        self.means = self.means[:, :width]
        self.covariances = self.covariances[:, :width, :width]

    def open(
        self,
        curvatures: Sequence[Floats],
        slopes: Floats,
        scale: float,
        added: Added,
        spreads: Sequence[float],
        doubt: float,
    ) -> bool:
        """Give added weights, so far fixed at zero, their likeliest prior ``t^2 R R^T``.

        ``spreads`` are the candidates for ``t``. Return whether weights get a prior: only if its
        log likelihood exceeds that of zero by more than ``doubt``.
        """
        weights, root = added
        more = np.zeros((self.means.shape[1], len(root)))
        more[weights] = root
        known = zip(curvatures, slopes, self.covariances, strict=True)
        gains = sum(gain(*each[:2], scale, each[2], more, spreads) for each in known)
        spread, best = choose_spread(np.asarray(gains), spreads)
        if best > doubt:
            self.covariances[:, weights, weights] = spread**2 * root @ root.T
        return best > doubt

    def step(self, curvatures: Sequence[Floats], slopes: Floats, scale: float) -> Floats:
        """Update the belief by noisy slopes; return the move of the means, shape (K, D)."""
        known = zip(curvatures, slopes, self.covariances, strict=True)
        found = [update(curvature, slope, scale, prior) for curvature, slope, prior in known]
        self.covariances = np.stack([covariance for _, covariance in found])
        return np.stack([way for way, _ in found])


def update(
    curvature: Floats, slope: Floats, scale: float, covariance: Floats
) -> tuple[Floats, Floats]:
    """Return the step ``d``, (D,), and the posterior ``V'``, (D, D), given ``H``, ``s``, ``V``."""
    moved, root = _slope_law(curvature, scale, covariance)
    white = solve_triangular(root, slope, lower=True)
    gained = solve_triangular(root, moved, lower=True)
    return gained.T @ white, covariance - gained.T @ gained


def gain(
    curvature: Floats,
    slope: Floats,
    scale: float,
    covariance: Floats,
    more: Floats,
    spreads: Sequence[float],
) -> Floats:
    """Return the gain in log likelihood of a slope by priors ``V + t^2 M M^T`` over ``V``, in nats.

    ``covariance`` is ``V``, ``more`` is ``M``, shape (D, r), and ``spreads`` are values of ``t``.
    With ``S = L L^T`` for ``V``, slopes have covariance ``L (I + t^2 U U^T) L^T``, where ``U = L^-1
    H M``, so one decomposition serves all ``t``.
    """
    _, root = _slope_law(curvature, scale, covariance)
    white = solve_triangular(root, slope, lower=True)
    added = solve_triangular(root, curvature @ more, lower=True)
    values, turn = np.linalg.eigh(added.T @ added)
    seen = np.square(turn.T @ (added.T @ white))
    guesses = np.square(np.asarray(spreads))[:, None]
    factors = 1 + guesses * np.maximum(values, 0.0)
    return np.asarray(0.5 * (guesses * seen / factors - np.log(factors)).sum(axis=1))


def choose_spread(gains: Floats, spreads: Sequence[float]) -> tuple[float, float]:
    """Return the likeliest spread, and its gain of log likelihood over zero spread."""
    best = int(np.argmax(gains))
    return spreads[best], float(gains[best])


def _slope_law(curvature: Floats, scale: float, covariance: Floats) -> tuple[Floats, Floats]:
    """Return ``H V``, and the Cholesky root of the covariance ``S`` of slopes."""
    moved = curvature @ covariance
    expected = moved @ curvature + curvature
    diagonal = np.diag_indices(len(expected))
    expected[diagonal] += scale**2 + TINY
    try:
        root = np.linalg.cholesky(expected)
    except np.linalg.LinAlgError:  # without noise, rounding of large numbers exceeds TINY
        expected[diagonal] += RELATIVE_TINY * expected[diagonal].max()
        root = np.linalg.cholesky(expected)
    return moved, np.asarray(root, dtype=np.float64)
