"""The one release of this room: what it knows of the private rows.

With features ``phi`` such that ``k(x, s) = phi(x) . phi(s)``, the loss of kernel ridge regression
over the private rows depends on them only through ``Phi^T Phi``, ``Phi^T Y`` and ``Y^T Y``.
:func:`release_moments` releases these three together, once; the rest of the room reads only them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.rows import GRID, RADIUS
from sdv_threea.privacy.mechanism import Noise, add_noise, discrete_gaussian
from sdv_threea.privacy.statistics import (
    OFF_DIAGONAL_WEIGHT,
    moment_sensitivity,
    unpack_second_moments,
)


class KernelMoments(NamedTuple):
    """What is released of the private rows: publishable.

    Args:
        gram: ``Phi^T Phi``, shape (r, r).
        cross: ``Phi^T Y``, shape (r, q).
        target_gram: ``Y^T Y``, shape (q, q).
        noise_scale: Standard deviation of the noise in the off-diagonal entries.
    """

    gram: NDArray[np.float64]
    cross: NDArray[np.float64]
    target_gram: NDArray[np.float64]
    noise_scale: float


def release_moments(
    sums: NDArray[np.int64],
    rank: int,
    *,
    mu: float,
    neighbors: str = 'add_remove',
    noise: Noise = discrete_gaussian,
) -> tuple[KernelMoments, Receipt]:
    """Release the second moments of ``(phi(x), y)`` over the private rows, with noise.

    The noisy matrix is projected to the nearest positive semidefinite one, so that every loss read
    from it is at least zero.

    Formal guarantees:
        * the sums change by at most ``moment_sensitivity(RADIUS, neighbors)``, which is what
          :func:`sdv_threea.adapt.rows.kernel_sums` promises, and all chunks of a table together

    Args:
        sums: Private sums of the table, from :func:`sdv_threea.adapt.rows.kernel_sums`, shape
            (1, d (d + 1) / 2) with ``d = r + q``.
        rank: Number of features ``r``.
        mu: The price, in Gaussian differential privacy.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise; for tests.

    Returns:
        The moments and their receipt.
    """
    noisy, receipt = add_noise(
        sums,
        sensitivity=moment_sensitivity(RADIUS, neighbors),
        mu=mu,
        stage='adapt',
        released='second moments of kernel features and targets',
        resolution=GRID**-2,
        noise=noise,
    )
    matrix = nearest_positive(unpack_second_moments(noisy)[0])
    moments = KernelMoments(
        gram=matrix[:rank, :rank],
        cross=matrix[:rank, rank:],
        target_gram=matrix[rank:, rank:],
        noise_scale=receipt.noise_scale / OFF_DIAGONAL_WEIGHT,
    )
    return moments, receipt


def nearest_positive(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project a symmetric matrix, shape (d, d), to the nearest positive semidefinite one."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)
