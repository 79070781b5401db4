"""The one pass of this room over private rows: features of every row, then sums over the rows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.exact import as_points, relu_features
from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.privacy.statistics import clip_norm, second_moments

#: Units per one: features and targets become whole multiples of ``1 / GRID``.
GRID = 2**12

#: Norm bound of a row ``(phi, target)`` in grid units: no row with two halves of norm one is cut.
RADIUS = math.isqrt(2 * GRID**2) + 1

#: Rows per block: bounds the memory, changes no result.
BLOCK_ROWS = 4096


def kernel_sums(
    scores: NDArray[np.int64], targets: NDArray[np.float64], features: KernelFeatures
) -> NDArray[np.int64]:
    """Sum the second moments of ``(phi(x), y)`` over private rows, in whole numbers.

    Threads and processes of one machine may share the chunks out; another processor may round a
    kernel value differently.

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a row counts through ``phi`` of that row and its target only, bit for bit, whatever the
          kernel does and wherever the row stands in the table
        * its integer vector ``(phi, y)`` has norm at most ``RADIUS``, whatever its values
        * so the sums change by at most ``moment_sensitivity(RADIUS, neighbors)``

    Args:
        scores: Private whole-number scores, in units of ``1 / GRID``, shape (n, m).
        targets: Private targets, shape (n, q), of row norm at most one (longer ones are clipped):
            one-hot classes, or one number in [-1, 1].
        features: The feature map.

    Returns:
        The sums of :func:`~sdv_threea.privacy.statistics.second_moments`, shape
        (1, d (d + 1) / 2) with ``d = r + q``. The memory is bounded by ``BLOCK_ROWS`` rows.
    """
    width = features.projection.shape[1] + targets.shape[1]
    sums = np.zeros((1, width * (width + 1) // 2), dtype=np.int64)
    for start in range(0, len(scores), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        vectors = integer_vectors(scores[block], targets[block], features)
        sums += second_moments(vectors, np.zeros(len(vectors), dtype=np.int64), 1)
    return sums


def integer_vectors(
    scores: NDArray[np.int64], targets: NDArray[np.float64], features: KernelFeatures
) -> NDArray[np.int64]:
    """Turn rows and targets into the integer vectors ``(phi, y)`` whose moments are summed.

    Formal guarantees:
        * the squared norm of each vector, an exact integer, is at most ``RADIUS**2``
        * each vector is a function of its own row and target

    Args:
        scores: Private whole-number scores, shape (b, m), at most ``BLOCK_ROWS`` rows.
        targets: Private targets, shape (b, q).
        features: The feature map.

    Returns:
        Vectors in units of ``1 / GRID``, rounded toward zero, shape (b, r + q).
    """
    vectors = np.concatenate([row_features(scores, features), targets], axis=1)
    vectors[np.isnan(vectors)] = 0
    np.clip(vectors, -1, 1, out=vectors)
    vectors *= GRID
    return clip_norm(vectors.astype(np.int64), RADIUS)


def row_features(scores: NDArray[np.int64], features: KernelFeatures) -> NDArray[np.float64]:
    """Compute the features of private rows, each by itself.

    Formal guarantees:
        * the features of a row are the same, bit for bit, in any table and at any place in it, even
          for a kernel that would mix the rows of a batch

    Args:
        scores: Private whole-number scores, shape (b, m), at most ``BLOCK_ROWS`` rows.
        features: The feature map.

    Returns:
        Features, shape (b, r).
    """
    points = as_points(scores)
    if isinstance(features.kernel, ReluNtk):
        return relu_features(points, features.kernel, features)
    # Batched arithmetic rounds a row differently in batches of other sizes: one record would then
    # move many rows. So one program of fixed shape takes row after row.
    from sdv_threea.adapt.ntk import row_by_row

    padded = np.zeros((BLOCK_ROWS, points.shape[1]))
    padded[: len(points)] = points
    return row_by_row(features, padded)[: len(points)]
