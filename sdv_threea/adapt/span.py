"""Weights of evidence in fewer coordinates, where there are more columns than draws.

A fit of the labels sees draws alone, but for slopes. With ``n`` draws and ``m > n`` columns, the
evidence of the draws for a class spans ``n`` dimensions of the ``m``. Log odds of draws, curvatures
and steps lie in that span, and no draw tells what a slope says beyond it. With a matrix ``Q``,
shape (m, n), whose columns are orthonormal and span it, a fit in the coordinates ``Q^T w`` is the
fit of ``w``: all weights of evidence are expected to spread alike, so the prior is the same in any
orthonormal coordinates. Matrices of the fit then have ``n`` rows in place of ``m``, which takes
seconds in place of minutes at 5,000 columns.

The first coordinate of a class is the weight of the constant, and those of features are the last:
both stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Span:
    """Coordinates of the weights of the evidence of ``m`` columns, by class.

    Args:
        bases: Orthonormal columns ``Q`` by class, shape (m, k) each; none where coordinates are the
            weights themselves.
    """

    bases: tuple[NDArray[np.float64], ...] = ()

    def restrict(self, slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return slopes in the weights, shape (C, D), as slopes in the coordinates."""
        if not self.bases:
            return slopes
        return _replace(slopes, len(self.bases[0]), [basis.T for basis in self.bases])

    def lift(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights, shape (C, D), that have the coordinates."""
        if not self.bases:
            return coordinates
        return _replace(coordinates, self.bases[0].shape[1], self.bases)


def span_of(inputs: NDArray[np.float64]) -> tuple[Span, NDArray[np.float64]]:
    """Find coordinates of weights in which draws say all that they can, and the inputs in them.

    Args:
        inputs: A constant and the evidence of ``n`` draws by class, shape (C, n, 1 + m).

    Returns:
        The coordinates, and what they are multiplied with, shape (C, n, 1 + min(n, m)).
    """
    if inputs.shape[1] >= inputs.shape[2] - 1:
        return Span(), inputs
    bases, triangles = zip(*(np.linalg.qr(own[:, 1:].T) for own in inputs), strict=True)
    return Span(bases), np.concatenate(
        [inputs[:, :, :1], np.stack([triangle.T for triangle in triangles])], axis=2
    )


def _replace(
    values: NDArray[np.float64],
    width: int,
    matrices: list[NDArray[np.float64]] | tuple[NDArray[np.float64], ...],
) -> NDArray[np.float64]:
    """Multiply what stands behind the first place, ``width`` long, with the matrix of its class."""
    moved = [matrix @ own[1 : width + 1] for matrix, own in zip(matrices, values, strict=True)]
    return np.concatenate([values[:, :1], np.stack(moved), values[:, width + 1 :]], axis=1)
