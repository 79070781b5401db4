"""Anonymize: the records of a cell are replaced by their mixture, their noisy moments.

The release itself is :func:`sdv_threea.moments.release_moments` over the adapted cells; here its
noisy answer becomes a density. All of it is post-processing: cells are shrunk toward their class by
what the noise can tell, and made positive definite.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.anonymize.mixture import Mixture
from sdv_threea.moments import ScoreMoments
from sdv_threea.shrinkage import stein_factor

#: Smallest eigenvalue of a component's covariance: no component collapses.
SMALLEST_EIGENVALUE = 0.02

#: Components with a smaller share of their class have no weight.
LEAST_SHARE = 0.005


def mixture_of_cells(
    cells: ScoreMoments,
    totals: NDArray[np.float64],
    correlations: NDArray[np.float64],
    variances: NDArray[np.float64],
) -> Mixture:
    """Make a mixture of the noisy moments of cells.

    A component's mean and covariance start from those of its class and move toward those of its
    cell by a James-Stein factor: with little noise it is the cell's Gaussian, with much the
    class's.

    Args:
        cells: Released moments, ``K`` neighbouring groups per class.
        totals: Number of records of each class, shape (C,).
        correlations: Covariance of the normal variables of each class, shape (C, m, m).
        variances: Variance of the scores, shape (C, m).

    Returns:
        The mixture.
    """
    num_classes, width = variances.shape
    shape = (num_classes, -1)
    counts = cells.counts.reshape(shape)
    means = cells.means.reshape(*shape, width)
    seconds = (cells.products / cells.counts[:, None, None]).reshape(*shape, width, width)
    weights, centres, covariances = [], [], []
    for label, total in enumerate(totals):
        share = _shares(counts[label])
        scales = cells.sum_scale / counts[label], cells.product_scale / counts[label]
        centre = _shrunk_means(means[label], share, scales[0])
        weights.append(share * total)
        centres.append(centre)
        covariances.append(
            _covariances(
                seconds[label], (share, means[label], centre), correlations[label],
                variances[label], scales[1],
            )
        )
    return Mixture(np.stack(weights), np.stack(centres), np.stack(covariances))


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = counts / counts.sum()
    shares = np.where(shares < LEAST_SHARE, 0.0, shares)
    return np.asarray(shares / shares.sum())


def _shrunk_means(
    means: NDArray[np.float64], shares: NDArray[np.float64], scales: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Shrink the means of cells, shape (K, m), toward zero, then centre their mixture on it."""
    centred = means - shares @ means
    shrunk = np.stack([
        row * stein_factor(row, scale) for row, scale in zip(centred, scales, strict=True)
    ])
    return np.asarray(shrunk - shares @ shrunk)


def _covariances(
    seconds: NDArray[np.float64],
    parts: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    correlation: NDArray[np.float64],
    variance: NDArray[np.float64],
    scales: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Shrink the covariances of cells toward the one that their class leaves them."""
    shares, means, centres = parts
    between = np.einsum('k,ki,kj->ij', shares, centres, centres)
    within = _floored(correlation - between)
    gain = np.outer(variance, variance)
    np.fill_diagonal(gain, 1.0)
    gain = np.maximum(gain, 1e-3)
    lost = np.diag(1 - variance)
    result = []
    for second, mean, scale in zip(seconds, means, scales, strict=True):
        own = (second - np.outer(mean, mean)) / gain + lost
        difference = own - within
        in_noise_units = (difference * gain)[np.triu_indices(len(gain), 1)]
        result.append(_floored(within + difference * stein_factor(in_noise_units, scale)))
    return np.stack(result)


def _floored(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, SMALLEST_EIGENVALUE)) @ vectors.T)
