"""Symmetric matrices whose eigenvalues are bounded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def bound_eigenvalues(
    matrix: NDArray[np.float64], least: float, most: float = np.inf
) -> NDArray[np.float64]:
    """Return the nearest symmetric matrix whose eigenvalues lie within bounds.

    With ``A = V diag(e) V^T``, it is ``V diag(clip(e)) V^T``: no other one with such eigenvalues is
    nearer in the Frobenius norm (Higham 1988). Noise makes estimated covariances indefinite; with
    ``least`` above zero the result is positive definite, and can be inverted and drawn from.

    Args:
        matrix: A matrix, shape (m, m); its symmetric part is meant.
        least: The least eigenvalue of the result.
        most: The largest eigenvalue of the result.

    Returns:
        The matrix, shape (m, m).
    """
    # Rounding makes symmetric matrices slightly asymmetric.
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.clip(values, least, most)) @ vectors.T)
