"""Finite features of a kernel: ``k(x, z)`` becomes ``phi(x) . phi(z)``, made of public numbers.

They are Nystroem's (Williams and Seeger 2001). Of landmarks ``Z``, shape (P, m), the kernel matrix
is ``k(Z, Z) = U D U^T``. With its ``r`` leading directions in ``U``, shape (P, r)::

    A      = U D^(-1/2)                              shape (P, r)
    raw(x) = k(x, Z) A
    phi(x) = raw(x) / max(scale, ||raw(x)||)         shape (r,), in the unit ball

With ``r = P``, ``raw(x) . raw(z)`` is ``k(x, z)`` wherever ``z`` is a landmark. As features lie in
the unit ball, a record adds little to any sum of them.

Features of private rows are computed many at a time, and still each by itself, bit for bit. A sum
of floats depends on the order of its terms, which a matrix product chooses by shapes and places. So
sums over columns and over landmarks are sums of whole numbers below ``2**53``, times a power of
two: they are exact in any order. The order of the sum over features is written down. All else is
done value by value, on arrays of one fixed shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.ntk import Floats, Kernel, Points, Pull
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.privacy.statistics import EXACT_FLOAT

#: Directions of the landmarks' kernel matrix below this share of the largest carry only rounding.
SPECTRUM_FLOOR = 1e-10

#: Scores beyond this many units are cut: far outside a normal's.
LARGEST_SCORE = 2**15

#: Rows per tile: what is computed of them stays in the cache.
TILE_ROWS = 512

#: Bits of a kernel value: those of a float32, in which the default kernel is computed.
KERNEL_BITS = 24

#: Kernel values are not told from zero below ``2 ** SMALLEST_EXPONENT``.
SMALLEST_EXPONENT = -100


@dataclass(frozen=True, kw_only=True)
class KernelFeatures:
    """The feature map ``phi`` of a kernel. It can be pickled if the kernel can.

    Args:
        kernel: The kernel ``k``.
        landmarks: Public points ``Z``, whole multiples of a score unit, shape (P, m).
        projection: ``A``, shape (P, r).
        scale: Norm of ``k(x, Z) A`` above which a feature vector is clipped.
    """

    kernel: Kernel
    landmarks: Points
    projection: NDArray[np.float64]
    scale: float

    def with_slope(self, points: Points) -> tuple[NDArray[np.float64], Pull]:
        """Compute features of public points, (k, m) to (k, r), and what pulls slopes back."""
        values, pull_kernel = self.kernel.with_slope(points, self.landmarks)
        raw = values @ self.projection
        lengths = np.sqrt(np.square(raw).sum(axis=1, keepdims=True))
        norms = np.maximum(self.scale, lengths)
        phi = raw / norms

        def pull(slope: NDArray[np.float64]) -> Points:
            # A clipped vector can only turn: the part of the slope along it is lost.
            along = (slope * phi).sum(axis=1, keepdims=True) * (lengths > self.scale)
            return pull_kernel((slope - along * phi) / norms @ self.projection.T)

        return phi, pull


def kernel_features(
    scores: NDArray[np.int64], kernel: Kernel, *, rank: int, unclipped: float
) -> KernelFeatures:
    """Make features that span the leading directions of the kernel between public points.

    The better the landmarks resemble the rows, the fewer directions are needed: draw them from what
    is already released, or from a standard normal.

    Args:
        scores: Public whole-number scores of the landmarks, in score units, shape (P, m).
        kernel: The kernel.
        rank: Number of features, at most; the noise of the release grows with it.
        unclipped: Share of the landmarks whose features are not clipped.

    Returns:
        Features with ``r <= min(rank, P)``.
    """
    landmarks = as_points(scores)
    matrix = kernel(landmarks, landmarks)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = np.flatnonzero(values > SPECTRUM_FLOOR * values[-1])[::-1][:rank]
    projection = vectors[:, kept] / np.sqrt(values[kept])
    norms = np.linalg.norm(matrix @ projection, axis=1)
    scale = float(np.quantile(norms, unclipped))
    return KernelFeatures(kernel=kernel, landmarks=landmarks, projection=projection, scale=scale)


def row_features(scores: NDArray[np.int64], features: KernelFeatures) -> NDArray[np.float64]:
    """Compute the features of private rows, each by itself.

    They differ from those of ``with_slope`` by rounding: by less than ``1e-4`` for the default
    kernel, except where points lie on one line, as they do in a table of one column.

    Formal guarantees:
        * the features of a row are the same, bit for bit, in any table and at any place in it, even
          for a kernel of the user that would mix the rows of a batch

    Args:
        scores: Private whole-number scores, in score units, shape (n, m).
        features: The feature map.

    Returns:
        Features, shape (n, r).

    Raises:
        OverflowError: If the columns are so many that inner products may not be exact.
    """
    if scores.shape[1] * LARGEST_SCORE**2 >= EXACT_FLOAT:
        raise OverflowError('the inner products do not fit into 53 bits: too many columns.')
    projection, units = whole_projection(features.projection)
    result = np.empty((len(scores), len(units)))
    tile = np.zeros((TILE_ROWS, scores.shape[1]))
    for start in range(0, len(scores), TILE_ROWS):
        points = as_points(scores[start : start + TILE_ROWS])
        tile[: len(points)] = points
        # A row that makes floats overflow must not be known by a warning.
        with np.errstate(all='ignore'):
            raw = _project(features.kernel.of_rows(features.landmarks, tile), projection, units)
            # Along the columns of an array, NumPy adds row after row.
            raw /= np.sqrt(np.maximum(features.scale**2, np.square(raw).sum(axis=0)))
        result[start : start + TILE_ROWS] = raw.T[: len(points)]
    return result


def as_points(scores: NDArray[np.int64]) -> Points:
    """Turn whole-number scores into points, exactly; scores out of reach are cut."""
    return np.asarray(np.clip(scores, -LARGEST_SCORE, LARGEST_SCORE) / SCORE_UNITS)


def whole_projection(projection: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Round ``A``, shape (P, r), to whole numbers, (r, P), of units that are powers of two, (r, 1).

    The numbers are so small that their products with kernel values, summed over landmarks, stay
    below ``2**53``.
    """
    bits = 52 - KERNEL_BITS - math.ceil(math.log2(len(projection)))
    exponents = np.frexp(np.abs(projection).max(axis=0))[1] - bits
    units = np.ldexp(1.0, exponents)
    return np.rint(projection / units).T.copy(), units[:, None]


def _project(
    values: Floats, projection: NDArray[np.float64], units: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn the kernel values of a tile, shape (P, b), into ``raw``, shape (r, b)."""
    # In units of a power of two for each row, its largest value has KERNEL_BITS bits.
    _, exponents = np.frexp(np.maximum(values.max(axis=0), -values.min(axis=0)))
    exponents = np.maximum(exponents, SMALLEST_EXPONENT) - KERNEL_BITS
    values = values * np.ldexp(values.dtype.type(1), -exponents)
    raw = projection @ np.rint(values, out=values).astype(np.float64)
    raw *= units
    raw *= np.ldexp(1.0, exponents)
    return np.asarray(raw)
