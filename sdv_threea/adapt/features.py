"""Features of a kernel: what columns say only together, in a few numbers made of public ones.

They are Nystroem's (Williams and Seeger 2001), turned to what matters among drawn records. For
landmarks ``Z``, shape (P, m), and a record of scores ``x``, shape (m,)::

    raw(x) = k(x, Z) - (1, x) B         shape (P,)
    phi(x) = raw(x) A                   shape (r,)

``B``, shape (1 + m, P), is the least-squares fit of the kernel values by the scores themselves over
the draws: what is linear in a single score is left out, as evidence says it already. ``A``, shape
(P, r), turns to the leading directions of what is left in the kernel's feature space, and scales
them, so that over the draws ``phi`` has the covariance ``I``. Leading directions come first: by
their variance the kernel says how smooth it expects functions of a record to be.

A feature vector longer than ``radius`` is shortened to it, so a record adds little to any sum.

Features of private rows are computed many at a time, and still each by itself, bit for bit. A sum
of floats depends on the order of its terms, which a matrix product chooses by shapes and places. So
sums over columns and over landmarks are sums of whole numbers below ``2**53``, times a power of
two: they are exact in any order. All else is done value by value, on arrays of one fixed shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.ntk import Floats, Kernel, Points
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.privacy.clipping import EXACT_FLOAT, clip_norm

#: Units per one: features are whole multiples of ``1 / FEATURE_UNITS``, as scores are.
FEATURE_UNITS = SCORE_UNITS

#: Directions of a kernel matrix below this share of the largest carry only rounding.
SPECTRUM_FLOOR = 1e-6

#: Scores beyond this many units are cut: far outside a normal's.
LARGEST_SCORE = 2**15

#: Rows per tile: what is computed of them stays in the cache.
TILE_ROWS = 512

#: Bits of a kernel value: those of a float32, in which the default kernel is computed.
KERNEL_BITS = 24

#: Kernel values are not told from zero below ``2 ** SMALLEST_EXPONENT``.
SMALLEST_EXPONENT = -100

#: No feature vector is longer, in units of ``1 / FEATURE_UNITS``: it bounds all whole numbers that
#: sums of slopes meet.
LARGEST_RADIUS = 2**18

#: There are no more features for each unit of what releases can tell, ``mu n``.
MOST_PER_KNOWN = 0.5

#: Of fewer points for each, features would have the covariance of these by chance alone.
DRAWS_PER_FEATURE = 8

#: The features of all rows never have more entries, unless there are the fewest: it bounds memory.
MOST_FEATURE_ENTRIES = 2**25

#: Features are computed for about this many rows at most: more would take time and gain nothing.
MOST_FEATURED = 2**18


@dataclass(frozen=True, kw_only=True)
class KernelFeatures:
    """The feature map ``phi`` of a kernel. It can be pickled if the kernel can.

    Args:
        kernel: The kernel ``k``.
        landmarks: Public points ``Z``, whole multiples of a score unit, shape (P, m).
        projection: What ``k(x, Z)``, one and ``x`` are multiplied with: ``A`` over ``-B A``, shape
            (P + 1 + m, r).
        radius: The norm that feature vectors are shortened to, in units of ``1 / FEATURE_UNITS``.
    """

    kernel: Kernel
    landmarks: Points
    projection: NDArray[np.float64]
    radius: int

    @property
    def rank(self) -> int:
        """Number of features, ``r``."""
        return int(self.projection.shape[1])


def num_features(
    known: float, num_records: float, multiple: float, entries: float, constants: AdaptConstants
) -> int:
    """Choose how many features there are.

    Noise in the weights of ``r`` features moves what they add up to by about ``r / k``, where ``k``
    is ``mu n``: slopes, whose noise grows as ``sqrt(r) / mu``, are divided by curvatures of about
    ``n``, and ``r`` such errors add up. What the features that are left out would tell falls about
    as ``1 / r``. So ``(r / k)^2 + b / r`` is least where ``r`` grows as ``k^(2/3)``. There are no
    more than ``k / 2``, for what they add up to must not be noise. For the sake of time there is
    another bound, which rises with what releases can tell: a fit without noise may take longest.

    Args:
        known: How much the releases can tell, ``k``.
        num_records: Number of records, ``n``.
        multiple: What ``k^(2/3)`` is multiplied with.
        entries: The features of all rows have no more entries than this where little is known.
        constants: The constants of the room.

    Returns:
        How many: none if there are too few to say anything of pairs of columns.
    """
    patience = np.clip((known / constants.much_known) ** (1 / 3), 1, constants.most_patience)
    most_features = constants.most_features * patience ** (1 / 3)
    entries = min(entries * patience, MOST_FEATURE_ENTRIES)
    most = np.clip(entries / num_records, constants.fewest_most, most_features)
    found = int(min(multiple * known ** (2 / 3), MOST_PER_KNOWN * known, most))
    return found if found >= constants.least_features else 0


def make_features(  # noqa: PLR0913 (points, and how they are seen)
    scores: NDArray[np.integer],
    weights: NDArray[np.float64],
    kernel: Kernel,
    *,
    num_landmarks: int,
    rank: int,
    unclipped: float,
    length: float | None = None,
) -> KernelFeatures:
    """Make features that span the leading directions of the kernel among public points.

    Args:
        scores: Whole-number scores of public points, in score units, shape (n, m). The better they
            resemble the private rows, the fewer features are needed: draw them from what is
            released.
        weights: How many records each of them stands for, shape (n,).
        kernel: The kernel.
        num_landmarks: The first of the points are landmarks: this many.
        rank: Number of features, at most; the noise of the releases grows with it. There is one
            for eight points at most.
        unclipped: Share of the points whose features are not shortened.
        length: The norm that this share of the feature vectors does not exceed; by default the one
            with which features vary by one.

    Returns:
        Features, ``r <= min(rank, num_landmarks)`` of them: none if the kernel is linear there.
    """
    points = as_points(scores)
    landmarks = points[:num_landmarks]
    values, vectors = np.linalg.eigh(_symmetric(kernel(landmarks, landmarks)))
    kept = values > SPECTRUM_FLOOR * values[-1]
    # With these, inner products over landmarks are those of the kernel's feature space.
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    found = kernel(points, landmarks) @ whiten
    linear = np.column_stack([np.ones(len(points)), points])
    roots = np.sqrt(weights / weights.sum())[:, None]
    fitted = np.linalg.lstsq(roots * linear, roots * found, rcond=None)[0]
    left = roots * (found - linear @ fitted)
    variances, turn = np.linalg.eigh(left.T @ left)
    least = SPECTRUM_FLOOR * np.square(roots * found).sum()
    leading = np.flatnonzero(variances > least)[::-1][: min(rank, len(points) // DRAWS_PER_FEATURE)]
    turn = turn[:, leading] / np.sqrt(variances[leading])
    lengths = np.linalg.norm(left / np.maximum(roots, 1e-300) @ turn, axis=1)
    longest = float(np.quantile(lengths, unclipped))
    scale = 1.0 if length is None or not longest else length / longest
    return KernelFeatures(
        kernel=kernel,
        landmarks=landmarks,
        projection=scale * np.concatenate([whiten @ turn, -fitted @ turn]),
        radius=min(math.ceil(scale * longest * FEATURE_UNITS), LARGEST_RADIUS),
    )


def whole_features(
    scores: NDArray[np.integer], features: KernelFeatures
) -> NDArray[np.int16] | NDArray[np.int32]:
    """Compute the features of rows, each by itself, as whole numbers.

    Formal guarantees:
        * the features of a row are the same, bit for bit, in any table and at any place in it, even
          for a kernel of the user that would mix the rows of a batch
        * whatever the kernel does, their norm is at most ``features.radius``, in exact integers

    Args:
        scores: Whole-number scores, in score units, shape (n, m).
        features: The feature map.

    Returns:
        Features in units of ``1 / FEATURE_UNITS``, shape (n, r).

    Raises:
        OverflowError: If the columns are too many for exact inner products.
    """
    if scores.shape[1] * LARGEST_SCORE**2 >= EXACT_FLOAT:
        raise OverflowError('the inner products do not fit into 53 bits: too many columns.')
    projection, units = whole_projection(features.projection)
    dtype = np.int16 if features.radius < 2**15 else np.int32
    result = np.empty((len(scores), len(units)), dtype=dtype)
    tile = np.zeros((TILE_ROWS, scores.shape[1]))
    ones = np.ones((1, TILE_ROWS), dtype=np.float32)
    for start in range(0, len(scores), TILE_ROWS):
        points = as_points(scores[start : start + TILE_ROWS])
        tile[: len(points)] = points
        # A row that makes floats overflow must not be known by a warning.
        with np.errstate(all='ignore'):
            values = features.kernel.of_rows(features.landmarks, tile)
            inputs = np.concatenate([values, ones, tile.T], dtype=values.dtype)
            raw = _project(inputs, projection, units)
            raw[np.isnan(raw)] = 0
            np.clip(raw, -LARGEST_RADIUS, LARGEST_RADIUS, out=raw)
            whole = np.rint(raw * FEATURE_UNITS).astype(np.int64)
        result[start : start + TILE_ROWS] = clip_norm(whole.T[: len(points)], features.radius)
    return result


def as_points(scores: NDArray[np.integer]) -> Points:
    """Turn whole-number scores into points, exactly; scores out of reach are cut."""
    whole = scores.astype(np.int64)
    return np.asarray(np.clip(whole, -LARGEST_SCORE, LARGEST_SCORE) / SCORE_UNITS)


def whole_projection(projection: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Round a projection, shape (P, r), to whole numbers, (r, P), of units, (r, 1).

    Units are powers of two. The numbers are small enough that their products with kernel values,
    summed over landmarks, stay below ``2**53``.
    """
    bits = 52 - KERNEL_BITS - math.ceil(math.log2(len(projection)))
    exponents = np.frexp(np.abs(projection).max(axis=0))[1] - bits
    units = np.ldexp(1.0, exponents)
    return np.rint(projection / units).T.copy(), units[:, None]


def _project(
    values: Floats, projection: NDArray[np.float64], units: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Multiply the values of a tile, shape (P, b), with a projection, (r, P): shape (r, b)."""
    # In units of a power of two for each row, its largest value has KERNEL_BITS bits.
    _, exponents = np.frexp(np.maximum(values.max(axis=0), -values.min(axis=0)))
    exponents = np.maximum(exponents, SMALLEST_EXPONENT) - KERNEL_BITS
    values = values * np.ldexp(values.dtype.type(1), -exponents)
    raw = projection @ np.rint(values, out=values).astype(np.float64)
    raw *= units
    raw *= np.ldexp(1.0, exponents)
    return np.asarray(raw)


def _symmetric(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return (matrix + matrix.T) / 2
