"""One Gaussian per class: the correlations behind the normal scores.

They are estimated from released moments of the scores, so all of it is post-processing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.maths.neighbours import smooth_pairs
from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.maths.shrinkage import ratio, shrunk_effects
from sdv_threea.maths.triangles import mask

#: Correlations stay below this, and eigenvalues above that, so that matrices can be inverted.
LARGEST_CORRELATION = 0.98
SMALLEST_EIGENVALUE = 1e-3


def class_correlations(
    moments: ScoreMoments,
    totals: NDArray[np.float64],
    variances: NDArray[np.float64],
    constants: ApproximateConstants,
) -> NDArray[np.float64]:
    """Estimate, for each class, the correlations of the normal variables behind its scores.

    Scores are means of normals on intervals. Let two normals have correlation ``r``, and their
    scores the variances ``v`` and ``w``. To first order in ``r``, the covariance of the scores is
    ``r v w``. So over ``n`` records the products of two scores sum to ``n v w r``, with a sampling
    variance of ``n v w`` beside the variance of the noise. Hence ``r`` has the gain ``n v w``:
    where a column hardly varies, its products tell nothing.

    Classes are shrunk toward what they have in common, and that toward what a few factors explain
    that stand out of the noise, and neighbouring columns have alike; or toward independence.

    Args:
        moments: Released moments of the scores, one group per class.
        totals: Number of records of each class, shape (C,).
        variances: Variance of the scores, shape (C, m).
        constants: The constants of the stage.

    Returns:
        Correlation matrices, positive definite, shape (C, m, m).
    """
    moments = moments.unclipped(float(totals @ variances.sum(axis=1)), constants.most_unclipped)
    width = variances.shape[1]
    # Each pair of columns once, and one class at a time: there may be millions of pairs.
    upper = mask(width)
    np.fill_diagonal(upper, False)
    pairs = upper[mask(width)]

    def read(label: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        gains = np.outer(totals[label] * variances[label], variances[label])[upper]
        # Sampling and the mechanism.
        return moments.triangles[label, pairs], gains, gains + moments.product_scale**2

    # All classes together tell what they have in common.
    sums = read(0)
    for label in range(1, len(totals)):
        for total, own in zip(sums, read(label), strict=True):
            total += own
    values, gains, noises = sums
    common = np.zeros(len(values))
    for find in (find_factors, find_likeness) if constants.shrink else ():
        found = find(*sums)
        common += found
        found *= gains
        values -= found
        del found
    common += _effects(constants, values, gains, noises)
    del sums, values, gains, noises
    matrices = np.zeros((len(totals), width, width))
    for label, matrix in enumerate(matrices):
        products, gains, noises = read(label)
        products -= gains * common
        found = _effects(constants, products, gains, noises)
        del products, gains, noises
        found += common
        matrix[upper] = matrix.T[upper] = found
        del found
        matrix[:] = make_correlation(matrix)
    return matrices


def find_factors(
    values: NDArray[np.float64], gains: NDArray[np.float64], variances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the correlations that a few factors explain, which all columns have in common.

    Noise may hide each correlation of hundreds of columns, and not what they make together. Of a
    symmetric matrix of ``m`` columns that is noise of deviation ``s``, the largest eigenvalue is
    about ``e = 2 s sqrt(m)``; it exceeds ``e (1 + m^(-2/3))`` in one case of a hundred (Tracy and
    Widom 1996). An eigenvalue ``y`` beyond that is a factor, and becomes ``sqrt(y^2 - e^2)``, which
    is best for the squared error (Gavish and Donoho 2017, *Optimal shrinkage of singular values*).

    Args:
        values: Noisy sums of products of two columns, shape (pairs,) in the order of
            :func:`numpy.triu_indices` without the diagonal.
        gains: What they would be at a correlation of one.
        variances: Variances of their noise.

    Returns:
        Correlations, shape (pairs,).
    """
    matrix, upper = _lay_out(values)
    width, noise = len(matrix), float(variances.mean()) if len(variances) else 0.0
    edge = 2 * math.sqrt(noise * width)
    lowest = edge * (1 + width ** (-2 / 3))
    sizes, directions = eigh(matrix, subset_by_value=(lowest, np.inf))
    del matrix  # there may be millions of pairs
    directions = directions.copy()  # a view of all of them
    sizes = np.sqrt(np.square(sizes) - edge**2)
    found = ((directions * sizes) @ directions.T)[upper]
    # Of the noise a factor keeps two parts in as many as there are columns.
    doubt = 2 * len(sizes) / max(width, 1) * noise
    return ratio(found * gains, np.square(gains) + doubt)


def find_likeness(
    values: NDArray[np.float64], gains: NDArray[np.float64], variances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the correlations that columns next to each other have alike, as moments of a series.

    See :mod:`~sdv_threea.maths.neighbours`. Arguments and result are those of :func:`find_factors`.
    """
    matrix, upper = _lay_out(values)
    noise = float(variances.mean()) if len(variances) else 0.0
    smooth = smooth_pairs(matrix, math.sqrt(noise))[upper]
    del matrix, upper  # there may be millions of pairs
    return ratio(smooth * gains, np.square(gains))


def _lay_out(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Lay values of pairs out as a symmetric matrix without a diagonal; and return where."""
    width = (math.isqrt(8 * len(values) + 1) + 1) // 2
    upper = np.triu(np.ones((width, width), dtype=np.bool_), 1)
    matrix = np.zeros((width, width))
    matrix[upper] = matrix.T[upper] = values
    return matrix, upper


def _effects(
    constants: ApproximateConstants,
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return correlations, whose noisy multiples are the values, shape (..., pairs)."""
    if not constants.shrink:
        return ratio(values, gains)
    return shrunk_effects(values, gains, variances, doubt=constants.correlation_doubt)


def make_correlation(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a correlation matrix near a symmetric one, shape (m, m).

    Entries and eigenvalues are bounded, so that the result is positive definite; then it is scaled
    to a unit diagonal.
    """
    positive = bound_eigenvalues(_bound_entries(matrix), SMALLEST_EIGENVALUE)
    # Bounding eigenvalues has moved the diagonal away from one.
    scale = np.sqrt(np.diag(positive))
    positive /= np.outer(scale, scale)
    return positive


def _bound_entries(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    bounded = np.clip(matrix, -LARGEST_CORRELATION, LARGEST_CORRELATION)
    np.fill_diagonal(bounded, 1.0)
    return bounded
