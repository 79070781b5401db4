"""Symmetric matrices whose eigenvalues are bounded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, eigh


def bound_eigenvalues(
    matrix: NDArray[np.float64], least: float, most: float = np.inf
) -> NDArray[np.float64]:
    """Return the nearest symmetric matrix whose eigenvalues lie within bounds.

    With ``A = V diag(e) V^T``, it is ``V diag(clip(e)) V^T``: no other one with such eigenvalues is
    nearer in the Frobenius norm (Higham 1988). Noise makes estimated covariances indefinite; with
    ``least`` above zero the result is positive definite, and can be inverted and drawn from.

    All eigenvectors take a minute at 5,000 columns. Where eigenvalues have no upper bound, only
    those are found that are too small; and none, if a Cholesky root shows that there are none.

    Args:
        matrix: A matrix, shape (m, m); its symmetric part is meant.
        least: The least eigenvalue of the result.
        most: The largest eigenvalue of the result.

    Returns:
        The matrix, shape (m, m).
    """
    # Rounding makes symmetric matrices slightly asymmetric.
    symmetric = np.asarray(matrix + matrix.T, dtype=np.float64)
    symmetric /= 2
    del matrix  # where nobody else holds it, there is room for another
    if most < np.inf:
        values, vectors = np.linalg.eigh(symmetric)
        return np.asarray((vectors * np.clip(values, least, most)) @ vectors.T)
    if _exceeds(symmetric, least):
        return symmetric
    values, vectors = eigh(symmetric, subset_by_value=(-np.inf, least))
    symmetric += (vectors * (least - values)) @ vectors.T
    return symmetric


def _exceeds(symmetric: NDArray[np.float64], least: float) -> bool:
    """Return whether all eigenvalues are above a bound: less the bound, the matrix has a root."""
    # In the order of Fortran, so that the root is found in place.
    moved = symmetric.copy().T
    moved[np.diag_indices_from(moved)] -= least
    try:
        cholesky(moved, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True
