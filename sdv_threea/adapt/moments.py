"""The one release of this room that reads private rows.

With features ``phi`` such that ``k(x, s) = phi(x) . phi(s)``, the loss of kernel ridge regression
over the private rows depends on them only through ``Phi^T Phi``, ``Phi^T Y`` and ``Y^T Y``.
:func:`release_moments` releases these three together, once; the rest of the room reads only them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import jax
import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.ntk import float64
from sdv_threea.mechanism import Noise, add_noise, discrete_gaussian
from sdv_threea.statistics import (
    OFF_DIAGONAL_WEIGHT,
    clip_norm,
    moment_sensitivity,
    second_moments,
    unpack_second_moments,
)

#: Units per one: features and targets become whole multiples of ``1 / GRID``.
GRID = 2**12

#: Norm bound of a row ``(phi, target)`` in grid units: no row with two halves of norm one is cut.
RADIUS = math.isqrt(2 * GRID**2) + 1

#: Rows per block: bounds the memory, changes no result.
BLOCK_ROWS = 4096


@partial(
    jax.tree_util.register_dataclass,
    data_fields=('gram', 'cross', 'target_gram', 'noise_scale'),
    meta_fields=(),
)
@dataclass(frozen=True, kw_only=True)
class KernelMoments:
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

    @property
    def count(self) -> float:
        """``tr(Y^T Y)``, at least one: the number of rows, if targets are one-hot."""
        return max(float(np.trace(self.target_gram)), 1.0)


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
        * the sums change by at most ``moment_sensitivity(RADIUS, neighbors)``

    Args:
        sums: Those of :func:`kernel_sums`, over all rows.
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


def kernel_sums(
    rows: NDArray[np.float64], targets: NDArray[np.float64], features: KernelFeatures
) -> NDArray[np.int64]:
    """Sum the second moments of ``(phi(x), y)`` over private rows, exactly.

    Formal guarantees:
        * a row counts through ``phi`` of that row and its target only, bit for bit, whatever the
          kernel does and wherever the row stands in the table
        * its integer vector ``(phi, y)`` has norm at most ``RADIUS``, whatever its values
        * the sums of a table are the sums of those of its blocks of rows

    Args:
        rows: Private normal scores, shape (n, m).
        targets: Private targets, shape (n, q), of row norm at most one (longer ones are clipped):
            one-hot classes, or one number in [-1, 1].
        features: The feature map.

    Returns:
        The sums, as :func:`sdv_threea.statistics.second_moments` packs them.
    """
    return np.asarray(sum(_block_moments(*block, features) for block in _blocks(rows, targets)))


def integer_vectors(
    rows: NDArray[np.float64], targets: NDArray[np.float64], features: KernelFeatures
) -> NDArray[np.int64]:
    """Turn rows and targets into the integer vectors ``(phi, y)`` whose moments are released.

    Formal guarantees:
        * the squared norm of each vector, an exact integer, is at most ``RADIUS**2``
        * each vector is a function of its own row and target

    Args:
        rows: Private normal scores, shape (b, m), at most ``BLOCK_ROWS`` of them.
        targets: Private targets, shape (b, q).
        features: The feature map.

    Returns:
        Vectors in units of ``1 / GRID``, rounded toward zero, shape (b, r + q).
    """
    vectors = np.concatenate([row_features(rows, features), targets], axis=1)
    boxed = np.clip(np.nan_to_num(vectors), -1, 1)
    return clip_norm(np.trunc(boxed * GRID).astype(np.int64), RADIUS)


def row_features(rows: NDArray[np.float64], features: KernelFeatures) -> NDArray[np.float64]:
    """Compute the features of private rows, each by itself.

    Formal guarantees:
        * the features of a row are the same, bit for bit, in any table and at any place in it, even
          for a kernel that would mix the rows of a batch

    Args:
        rows: Private normal scores, shape (b, m), at most ``BLOCK_ROWS`` of them.
        features: The feature map.

    Returns:
        Features, shape (b, r).
    """
    # Batched arithmetic rounds a row differently in batches of other sizes: one record would then
    # move many rows. So one program of fixed shape takes row after row, on a CPU.
    padded = np.zeros((BLOCK_ROWS, rows.shape[1]))
    padded[: len(rows)] = rows
    with float64(), jax.default_device(jax.devices('cpu')[0]):
        return np.asarray(_row_by_row(features, padded))[: len(rows)]


def nearest_positive(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project a symmetric matrix, shape (d, d), to the nearest positive semidefinite one."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


@jax.jit
def _row_by_row(features: KernelFeatures, rows: jax.Array) -> jax.Array:
    mapped: jax.Array = jax.lax.map(features.of_row, rows)
    return mapped


def _blocks(
    rows: NDArray[np.float64], targets: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    for start in range(0, max(len(rows), 1), BLOCK_ROWS):
        yield rows[start : start + BLOCK_ROWS], targets[start : start + BLOCK_ROWS]


def _block_moments(
    rows: NDArray[np.float64], targets: NDArray[np.float64], features: KernelFeatures
) -> NDArray[np.int64]:
    vectors = integer_vectors(rows, targets, features)
    return second_moments(vectors, np.zeros(len(vectors), dtype=np.int64), 1)
