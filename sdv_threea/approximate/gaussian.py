"""One Gaussian per class: the correlations behind the normal scores, from their released moments.

All of it is post-processing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.moments import ScoreMoments
from sdv_threea.shrinkage import stein_factor

#: Correlations stay below this, and eigenvalues above that.
LARGEST_CORRELATION = 0.98
SMALLEST_EIGENVALUE = 1e-3

#: Scores with less variance than this carry no correlation that could be told from noise.
LEAST_VARIANCE = 1e-3


def class_correlations(
    moments: ScoreMoments, totals: NDArray[np.float64], variances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Estimate, for each class, the correlations of the normal variables behind its scores.

    If two normals of correlation ``r`` are replaced by their means on intervals, with variances
    ``v`` and ``w``, the covariance of the means is ``r v w`` to first order in ``r``. So the
    covariance of the scores, divided by both variances, estimates the correlation. Classes are
    shrunk toward what they have in common, and that toward independence, by what the noise can
    tell (James and Stein).

    Args:
        moments: Released moments of the scores, one group per class.
        totals: Number of records of each class, shape (C,).
        variances: Variance of the scores, shape (C, m).

    Returns:
        Correlation matrices, positive definite, shape (C, m, m).
    """
    gains = _gains(variances)
    weighted = (totals[:, None, None] * gains).sum(axis=0)
    scale = np.sqrt(len(totals)) * moments.product_scale
    common = shrink_off_diagonal(moments.products.sum(axis=0), scale) / weighted
    return np.stack(
        [
            nearest_correlation(common + shrink_off_diagonal(products - total * common * gain,
                                                             moments.product_scale)
                                / (total * gain))
            for products, total, gain in zip(moments.products, totals, gains, strict=True)
        ]
    )


def shrink_off_diagonal(matrix: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Shrink the off-diagonal entries, shape (m, m), by James-Stein, and drop the diagonal."""
    upper = matrix[np.triu_indices(len(matrix), 1)]
    return (matrix - np.diag(np.diag(matrix))) * stein_factor(upper, scale)


def nearest_correlation(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make a symmetric matrix, shape (m, m), a positive definite one with a unit diagonal."""
    bounded = np.clip(matrix, -LARGEST_CORRELATION, LARGEST_CORRELATION)
    np.fill_diagonal(bounded, 1.0)
    values, vectors = np.linalg.eigh(bounded)
    positive = (vectors * np.maximum(values, SMALLEST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(positive))
    return np.asarray(positive / np.outer(scale, scale))


def _gains(variances: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of a correlation is left in the covariance of the scores, shape (C, m, m)."""
    bounded = np.maximum(variances, LEAST_VARIANCE)
    return bounded[:, :, None] * bounded[:, None, :]
