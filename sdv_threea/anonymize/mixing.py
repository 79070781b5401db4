"""Anonymize: the records of a cell are replaced by their mixture, their noisy moments.

The release itself is :func:`sdv_threea.approximate.moments.release_moments` over the adapted cells;
here its noisy answer becomes a density. All of it is post-processing: cells are shrunk toward their
class by what the noise can tell, and made positive definite.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.anonymize.constants import AnonymizeConstants
from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.maths.shrinkage import ratio, shrunk_effects


def mixture_of_cells(
    cells: ScoreMoments,
    totals: NDArray[np.float64],
    correlations: NDArray[np.float64],
    variances: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> Mixture:
    """Make a mixture of the noisy moments of cells.

    A component's mean and covariance start from those of its class and move toward those of its
    cell, as far as noise and number of records can tell: with little noise it is the cell's
    Gaussian, with much the class's. Scores stand for their normals: their means as they are, their
    products with the gain of :func:`~sdv_threea.approximate.gaussian.class_correlations`.

    Args:
        cells: Released moments, ``K`` neighbouring groups per class.
        totals: Number of records of each class, shape (C,).
        correlations: Covariance of the normal variables of each class, shape (C, m, m).
        variances: Variance of the scores, shape (C, m).
        constants: The constants of the stage.

    Returns:
        The mixture.
    """
    cells = cells.unclipped(float(totals @ variances.sum(axis=1)), constants.most_unclipped)
    num_cells = len(cells.counts) // len(totals)
    weights, means, covariances = [], [], []
    for label, variance in enumerate(variances):
        own = cells.select(slice(label * num_cells, (label + 1) * num_cells))
        shares = _shares(own.counts, constants.least_share)
        weights.append(shares * totals[label])
        # The size of a class is known better than those of its cells.
        own = replace(own, counts=np.maximum(weights[-1], 1.0))
        centres = _centres(own, shares, variance, constants)
        means.append(centres)
        known = own, shares, centres, correlations[label], variance
        covariances.append(_covariances(*known, constants))
    return Mixture(np.stack(weights), np.stack(means), np.stack(covariances))


def regularize(mixture: Mixture, trust: float) -> Mixture:
    """Move the covariances of all components toward independence, variances as they are.

    A likelihood ratio is most sensitive to the directions in which records hardly vary, where
    errors of the model weigh most. Trusting covariances less makes better classifiers: regularized
    discriminant analysis (Friedman 1989).

    Args:
        mixture: The mixture.
        trust: What is left of the covariances, in [0, 1].

    Returns:
        The mixture.
    """
    width = mixture.means.shape[2]
    factors = np.where(np.eye(width, dtype=np.bool_), 1.0, trust)
    return replace(mixture, covariances=mixture.covariances * factors)


def _shares(counts: NDArray[np.float64], least_share: float) -> NDArray[np.float64]:
    kept = np.where(counts < least_share * counts.max(), 0.0, counts)
    return np.asarray(kept / kept.sum())


def _centres(
    cells: ScoreMoments,
    shares: NDArray[np.float64],
    variance: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> NDArray[np.float64]:
    """Estimate the means of the normals in each cell; their mixture has mean zero."""
    centred = cells.means - shares @ cells.means
    noises = (cells.sum_scale / cells.counts[:, None]) ** 2 + variance / cells.counts[:, None]
    gains = np.ones_like(variance)
    rows = zip(centred, noises, strict=True)
    shrunk = np.stack([_effects(row, gains, noise, constants) for row, noise in rows])
    return np.asarray(shrunk - shares @ shrunk)


def _covariances(
    cells: ScoreMoments,
    shares: NDArray[np.float64],
    centres: NDArray[np.float64],
    correlation: NDArray[np.float64],
    variance: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> NDArray[np.float64]:
    """Estimate the covariances of the normals in each cell, from what the class leaves them."""
    gains = np.outer(variance, variance)
    lost = np.diag(variance - variance**2)
    between = [np.outer(centre, centre) for centre in centres]
    within = _floored(correlation - np.tensordot(shares, between, 1), constants.least_eigenvalue)
    result = []
    for products, count, square in zip(cells.products, cells.counts, between, strict=True):
        surprise = products / count - gains * (within + square) - lost
        noises = (cells.product_scale / count) ** 2 + gains / count
        change = _effects(surprise.ravel(), gains.ravel(), noises.ravel(), constants)
        result.append(_floored(within + change.reshape(gains.shape), constants.least_eigenvalue))
    return np.stack(result)


def _effects(
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
    constants: AnonymizeConstants,
) -> NDArray[np.float64]:
    if not constants.shrink:
        return ratio(values, gains)
    return shrunk_effects(values, gains, variances, doubt=constants.doubt)


def _floored(matrix: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)
