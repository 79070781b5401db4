"""Features of rows under the default kernel: many at a time, and still each row by itself.

A sum of floats depends on the order of its terms, which a matrix product chooses by the shape of
the matrix and the place of a row in it. Here a sum over columns or landmarks is one of whole
numbers below ``2**53`` (times a power of two), which is exact in any order, and that over features
has its order written down. All else is done value by value, on arrays of one fixed shape.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.relu import ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.privacy.statistics import EXACT_FLOAT

#: Scores beyond this many units are cut: far outside a normal's.
LARGEST_SCORE = 2**15

#: Rows per tile: what is computed of them stays in the cache.
TILE_ROWS = 512

#: Bits of a kernel value: those of a float32, in which it is computed.
KERNEL_BITS = 24

#: Kernel values are not told from zero below ``2 ** SMALLEST_EXPONENT``.
SMALLEST_EXPONENT = -100


class Prepared(NamedTuple):
    """What of the features does not depend on the rows.

    Args:
        kernel: The kernel.
        landmarks: Landmarks, shape (P, m).
        variances: Variances of the landmarks in the first layer, shape (P, 1).
        projection: Whole numbers, shape (r, P): the projection is ``projection.T * units``.
        units: A power of two for each feature, shape (r, 1).
        scale: Norm above which a feature vector is clipped.
    """

    kernel: ReluNtk
    landmarks: NDArray[np.float64]
    variances: NDArray[np.float32]
    projection: NDArray[np.float64]
    units: NDArray[np.float64]
    scale: float


def as_scores(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Round points to whole-number scores, in score units."""
    return np.rint(np.clip(points * SCORE_UNITS, -LARGEST_SCORE, LARGEST_SCORE)).astype(np.int64)


def as_points(scores: NDArray[np.int64]) -> NDArray[np.float64]:
    """Turn whole-number scores, as far as they are in reach, into points, exactly."""
    return np.asarray(np.clip(scores, -LARGEST_SCORE, LARGEST_SCORE) / SCORE_UNITS)


def relu_features(
    points: NDArray[np.float64], kernel: ReluNtk, features: KernelFeatures
) -> NDArray[np.float64]:
    """Compute the features of rows under the kernel of a ReLU network.

    They differ from ``features(points)`` by the rounding of kernel values to single precision: by
    less than ``1e-4``, but where points lie on one line, as they do in a table of one column.

    Formal guarantees:
        * the features of a row are the same, bit for bit, in any table and at any place in it

    Args:
        points: Rows that came out of :func:`as_points`, shape (b, m).
        kernel: The kernel of the features.
        features: The feature map.

    Returns:
        Features, shape (b, r).

    Raises:
        OverflowError: If the columns are so many that inner products may not be exact.
    """
    if points.shape[1] * LARGEST_SCORE**2 >= EXACT_FLOAT:
        raise OverflowError('the inner products do not fit into 53 bits: too many columns.')
    prepared, space = _prepare(kernel, features), _make_workspace(len(features.landmarks))
    result = np.empty((len(points), len(prepared.units)))
    tile = np.zeros((TILE_ROWS, points.shape[1]))
    for start in range(0, len(points), TILE_ROWS):
        rows = points[start : start + TILE_ROWS]
        tile[: len(rows)] = rows
        # A row that makes floats overflow must not be known by a warning.
        with np.errstate(all='ignore'):
            _compute_kernel(tile, prepared, space)
            result[start : start + len(rows)] = _project(prepared, space).T[: len(rows)]
    return result


class Workspace(NamedTuple):
    """Arrays for intermediate results, shape (P, TILE_ROWS): fresh ones would cost half the time.

    Args:
        wide: For whole numbers.
        ntk: Kernel values.
        covariance: Covariances in a layer.
        root: Square roots.
        active: Shares of active neurons.
    """

    wide: NDArray[np.float64]
    ntk: NDArray[np.float32]
    covariance: NDArray[np.float32]
    root: NDArray[np.float32]
    active: NDArray[np.float32]


def _make_workspace(num_landmarks: int) -> Workspace:
    shape = num_landmarks, TILE_ROWS
    return Workspace(np.empty(shape), *(np.empty(shape, dtype=np.float32) for _ in range(4)))


def _compute_kernel(tile: NDArray[np.float64], prepared: Prepared, space: Workspace) -> None:
    """Do what ``kernel(landmarks, tile)`` does, in single precision and in place: into ``ntk``."""
    kernel, width = prepared.kernel, tile.shape[1]
    bias = kernel.bias_std**2
    variance_1 = prepared.variances
    variance_2 = kernel.first_layer(np.square(tile).sum(axis=1), width).astype(np.float32)
    wide, ntk, covariance, root, active = space
    wide[...] = 0  # no trace of other rows, should BLAS read what it is to overwrite
    np.matmul(prepared.landmarks, tile.T, out=wide)
    wide *= 2 / width
    wide += bias
    covariance[...] = wide
    ntk[...] = covariance
    for _ in range(kernel.depth):
        np.multiply(variance_1, variance_2, out=root)
        root -= np.square(covariance, out=active)
        np.sqrt(np.abs(root, out=root), out=root)
        np.arctan2(root, covariance, out=active)
        active *= -1 / math.pi
        active += 1
        covariance *= active
        root *= 1 / math.pi
        covariance += root
        covariance += bias
        ntk *= active
        ntk += covariance
        variance_1, variance_2 = variance_1 + bias, variance_2 + bias


def _project(prepared: Prepared, space: Workspace) -> NDArray[np.float64]:
    """Turn kernel values into features, shape (r, TILE_ROWS)."""
    # Scaled to its largest value, a row of the kernel matrix is made of whole numbers.
    values = space.ntk
    _, exponents = np.frexp(np.maximum(values.max(axis=0), -values.min(axis=0)))
    exponents = np.maximum(exponents, SMALLEST_EXPONENT) - KERNEL_BITS
    values *= np.ldexp(np.float32(1), -exponents)
    space.wide[...] = np.rint(values, out=values)
    raw = prepared.projection @ space.wide
    raw *= prepared.units
    raw *= np.ldexp(1.0, exponents)
    # Along the columns of an array, NumPy adds row after row.
    squared = np.square(raw).sum(axis=0)
    raw /= np.sqrt(np.maximum(prepared.scale**2, squared))
    return raw


def _prepare(kernel: ReluNtk, features: KernelFeatures) -> Prepared:
    landmarks = as_points(as_scores(features.landmarks))
    width = landmarks.shape[1]
    variances = kernel.first_layer(np.square(landmarks).sum(axis=1), width)
    # So many bits that a sum over the landmarks stays below 2**53.
    bits = 52 - KERNEL_BITS - math.ceil(math.log2(len(landmarks)))
    exponents = np.frexp(np.abs(features.projection).max(axis=0))[1] - bits
    units = np.ldexp(1.0, exponents)
    return Prepared(
        kernel,
        landmarks,
        variances.astype(np.float32)[:, None],
        np.rint(features.projection / units).T.copy(),
        units[:, None],
        features.scale,
    )
