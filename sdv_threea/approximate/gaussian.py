"""One Gaussian per class: the correlations behind the normal scores, from their released moments.

All of it is post-processing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.maths.shrinkage import ratio, shrunk_effects

#: Correlations stay below this, and eigenvalues above that.
LARGEST_CORRELATION = 0.98
SMALLEST_EIGENVALUE = 1e-3


def class_correlations(
    moments: ScoreMoments,
    totals: NDArray[np.float64],
    variances: NDArray[np.float64],
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    """Estimate, for each class, the correlations of the normal variables behind its scores.

    If two normals of correlation ``r`` are replaced by their means on intervals, with variances
    ``v`` and ``w``, the covariance of the means is ``r v w`` to first order in ``r``: a pair's
    products sum to ``n v w r``, with a sampling variance of ``n v w`` beside that of the noise.
    Classes are shrunk toward what they have in common, and that toward independence, by what the
    noise can tell: where a column hardly varies, it can tell nothing.

    Args:
        moments: Released moments of the scores, one group per class.
        totals: Number of records of each class, shape (C,).
        variances: Variance of the scores, shape (C, m).
        constants: The constants of the stage.

    Returns:
        Correlation matrices, positive definite, shape (C, m, m).
    """
    moments = moments.unclipped(float(totals @ variances.sum(axis=1)), constants.most_unclipped)
    rows, columns = np.triu_indices(variances.shape[1], 1)
    products = moments.products[:, rows, columns]
    gains = totals[:, None] * variances[:, rows] * variances[:, columns]
    noises = gains + moments.product_scale**2
    sums = (each.sum(axis=0) for each in (products, gains, noises))
    common = _effects(constants, *sums)
    matrices = np.zeros_like(moments.products)
    for matrix, *own in zip(matrices, products - gains * common, gains, noises, strict=True):
        matrix[rows, columns] = matrix[columns, rows] = common + _effects(constants, *own)
    return np.stack([nearest_correlation(matrix) for matrix in matrices])


def _effects(
    constants: ApproximateConstants,
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
) -> NDArray[np.float64]:
    if not constants.shrink:
        return ratio(values, gains)
    return shrunk_effects(values, gains, variances, doubt=constants.correlation_doubt)


def nearest_correlation(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make a symmetric matrix, shape (m, m), a positive definite one with a unit diagonal."""
    bounded = np.clip(matrix, -LARGEST_CORRELATION, LARGEST_CORRELATION)
    np.fill_diagonal(bounded, 1.0)
    values, vectors = np.linalg.eigh(bounded)
    positive = (vectors * np.maximum(values, SMALLEST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(positive))
    return np.asarray(positive / np.outer(scale, scale))
