"""Correlations of the normals behind scores, from released moments of the scores."""

import math
from functools import partial

import numpy as np
from scipy.linalg import eigh

from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import ApproximateConstants
from sdv_threea.maths.neighbours import smooth_pairs
from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.maths.shrinkage import ratio, shrunk_effects
from sdv_threea.rows.statistics import mask

#: Bounds of correlations and eigenvalues that keep matrices invertible.
LARGEST_CORRELATION = 0.98
SMALLEST_EIGENVALUE = 1e-3


def class_correlations(
    moments: ScoreMoments, totals: Floats, variances: Floats, constants: ApproximateConstants
) -> Floats:
    """Return positive definite correlation matrices of the normals behind the scores, (C, m, m).

    Scores are means of normals on intervals. If two normals have correlation ``r`` and their scores
    variances ``v`` and ``w``, the covariance of the scores is ``r v w`` to first order. Over ``n``
    records their products sum to ``n v w r``, with sampling variance ``n v w`` plus the noise
    variance, so ``r`` has the gain ``n v w``. Correlations of classes are shrunk toward common
    ones, and these toward a few factors and a smooth function of neighbouring columns, otherwise
    toward zero.
    """
    moments = moments.unclipped(float(totals @ variances.sum(axis=1)))
    width = variances.shape[1]
    doubt = constants.clear_of_noise() if constants.shrink else None
    smooth = find_factors, partial(find_likeness, doubt=constants.clear_of_noise())
    # There may be millions of pairs: each is stored once, one class at a time.
    upper = mask(width)
    np.fill_diagonal(upper, False)
    pairs = upper[mask(width)]

    def read(label: int) -> tuple[Floats, Floats, Floats]:
        gains = np.outer(totals[label] * variances[label], variances[label])[upper]
        # The variance of sampling plus that of the noise.
        return moments.triangles[label, pairs], gains, gains + moments.product_scale**2

    sums = read(0)
    for label in range(1, len(totals)):
        for total, own in zip(sums, read(label), strict=True):
            total += own
    values, gains, noises = sums
    common = np.zeros(len(values))
    for find in smooth if constants.shrink else ():
        found = find(*sums)
        common += found
        found *= gains
        values -= found
        del found
    common += shrunk_effects(values, gains, noises, doubt)
    del sums, values, gains, noises
    matrices = np.zeros((len(totals), width, width))
    for label, matrix in enumerate(matrices):
        products, gains, noises = read(label)
        products -= gains * common
        found = shrunk_effects(products, gains, noises, doubt)
        del products, gains, noises
        found += common
        matrix[upper] = matrix.T[upper] = found
        del found
        matrix[:] = make_correlation(matrix)
    return matrices


def correlation_evidence(
    moments: ScoreMoments, totals: Floats, variances: Floats, alike: float = 1.0
) -> Floats:
    """Return how many standard errors (noise and sampling) correlations are from zero, (m, m).

    Up to ``alike`` records are alike, which makes the sampling error larger.
    """
    gains = np.einsum('c,ci,cj->ij', totals, variances, variances)
    error = np.sqrt(gains * alike + len(totals) * moments.product_scale**2)
    return ratio(np.abs(moments.products.sum(axis=0)), error)


def find_factors(values: Floats, gains: Floats, variances: Floats) -> Floats:
    """Return the correlations, (pairs,), explained by a few factors common to all columns.

    A factor may exceed the noise even if no single correlation does. A symmetric noise matrix of
    ``m`` columns and deviation ``s`` has a largest eigenvalue of about ``e = 2 s sqrt(m)``, and
    above ``e (1 + m^(-2/3))`` in one case of a hundred (Tracy and Widom 1996). A larger eigenvalue
    ``y`` becomes a factor of size ``sqrt(y^2 - e^2)``, optimal for the squared error (Gavish and
    Donoho 2017, *Optimal shrinkage of singular values*). ``values`` are noisy ``gains *
    correlation`` in the order of :func:`numpy.triu_indices` without the diagonal.
    """
    matrix, upper = _lay_out(values)
    width, noise = len(matrix), float(variances.mean()) if len(variances) else 0.0
    edge = 2 * math.sqrt(noise * width)
    lowest = edge * (1 + width ** (-2 / 3))
    sizes, directions = eigh(matrix, subset_by_value=(lowest, np.inf))
    del matrix  # there may be millions of pairs
    directions = directions.copy()  # frees the other eigenvectors
    sizes = np.sqrt(np.square(sizes) - edge**2)
    found = ((directions * sizes) @ directions.T)[upper]
    # Each factor retains 2 / width of the noise variance.
    doubt = 2 * len(sizes) / max(width, 1) * noise
    return ratio(found * gains, np.square(gains) + doubt)


def find_likeness(values: Floats, gains: Floats, variances: Floats, doubt: float) -> Floats:
    """Return smooth correlations of neighbouring columns (:mod:`~sdv_threea.maths.neighbours`)."""
    matrix, upper = _lay_out(values)
    noise = float(variances.mean()) if len(variances) else 0.0
    smooth = smooth_pairs(matrix, math.sqrt(noise), doubt)[upper]
    del matrix, upper  # there may be millions of pairs
    return ratio(smooth * gains, np.square(gains))


def _lay_out(values: Floats) -> tuple[Floats, Bools]:
    width = (math.isqrt(8 * len(values) + 1) + 1) // 2
    upper = np.triu(np.ones((width, width), dtype=np.bool_), 1)
    matrix = np.zeros((width, width))
    matrix[upper] = matrix.T[upper] = values
    return matrix, upper


def make_correlation(matrix: Floats) -> Floats:
    """Return a positive definite correlation matrix near a symmetric matrix, shape (m, m)."""
    positive = bound_eigenvalues(_bound_entries(matrix), SMALLEST_EIGENVALUE)
    # Bounding eigenvalues has moved the diagonal away from one.
    scale = np.sqrt(np.diag(positive))
    positive /= np.outer(scale, scale)
    return positive


def _bound_entries(matrix: Floats) -> Floats:
    bounded = np.clip(matrix, -LARGEST_CORRELATION, LARGEST_CORRELATION)
    np.fill_diagonal(bounded, 1.0)
    return bounded
