"""Symmetric matrices with bounded eigenvalues."""

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh

from sdv_threea.arrays import Floats


def bound_eigenvalues(matrix: Floats, least: float) -> Floats:
    """Return the nearest symmetric matrix with eigenvalues of at least ``least``, shape (m, m).

    For ``A = V diag(e) V^T`` the result is ``V diag(max(e, least)) V^T``, the nearest one in the
    Frobenius norm (Higham 1988). Noise makes estimated covariances indefinite; a positive ``least``
    makes them invertible. Only eigenvalues below ``least`` are computed, because all eigenvectors
    of 5,000 columns take a minute.
    """
    # Rounding makes symmetric matrices slightly asymmetric.
    symmetric = np.asarray(matrix + matrix.T, dtype=np.float64)
    symmetric /= 2
    del matrix  # frees its memory if the caller kept no reference
    if _exceeds(symmetric, least):
        return symmetric
    values, vectors = eigh(symmetric, subset_by_value=(-np.inf, least))
    symmetric += (vectors * (least - values)) @ vectors.T
    return symmetric


def _exceeds(symmetric: Floats, least: float) -> bool:
    # Fortran order, so that the root is computed in place.
    moved = symmetric.copy().T
    moved[np.diag_indices_from(moved)] -= least
    try:
        cholesky(moved, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True
