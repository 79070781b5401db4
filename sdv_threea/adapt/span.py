"""Coordinates of evidence weights in the span of the draws, for more columns than draws.

The evidence of ``n`` draws spans ``n`` of ``m`` dimensions, which contain all steps of the fit.
With an orthonormal basis ``Q``, (m, n), the fit of ``Q^T w`` equals that of ``w``, because the
prior is isotropic, and takes seconds instead of minutes at 5,000 columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Span:
    """Bases ``Q`` of evidence weights, (m, k) per class; empty if coordinates are the weights."""

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
    """Return the span of inputs, (C, n, 1 + m), and their coordinates, (C, n, 1 + min(n, m))."""
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
    """Multiply entries 1 to ``width`` of each class with the matrix of that class."""
    moved = [matrix @ own[1 : width + 1] for matrix, own in zip(matrices, values, strict=True)]
    return np.concatenate([values[:, :1], np.stack(moved), values[:, width + 1 :]], axis=1)
