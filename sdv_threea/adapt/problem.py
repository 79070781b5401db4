"""What inducing points are judged by, padded to a few shapes so that XLA compiles few programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.engine import padded_size
from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.moments import KernelMoments
from sdv_threea.adapt.relu import Array, ReluNtk

#: The smallest padded sizes: most tables need no larger ones.
POINTS, COLUMNS, TARGETS, LANDMARKS, RANK = 16, 16, 16, 128, 32


class Problem(NamedTuple):
    """Support points, their targets, and the released moments that judge them.

    Padding changes no loss and no slope but for rounding. Added points are copies that ``present``
    leaves out; added landmarks are copies without a share in any feature; added features, targets
    and columns are zero. As a ReLU network's kernel divides by the number of columns, points are
    stretched to make up for those of zeros; to other kernels no column is added.

    Args:
        start: Where the points are, shape (K, M).
        targets: Their targets, shape (K, Q).
        present: One for a point, zero for padding, shape (K,).
        num_columns: How many of the columns are a table's.
        stretch: Factor by which points are stretched before features are computed.
        moments: The released moments, padded.
        features: The feature map they were released for, padded; landmarks are stretched.
    """

    start: Array
    targets: Array
    present: Array
    num_columns: Array
    stretch: Array
    moments: KernelMoments
    features: KernelFeatures


def make_problem(
    points: NDArray[np.float64],
    targets: NDArray[np.float64],
    moments: KernelMoments,
    features: KernelFeatures,
) -> Problem:
    """Pad all that the objective is made of.

    Args:
        points: Normal scores, shape (k, m).
        targets: Their targets, shape (k, q).
        moments: The released moments.
        features: The feature map they were released for.

    Returns:
        The problem.
    """
    num_points, width = points.shape
    rows, outputs = padded_size(num_points, POINTS), padded_size(targets.shape[1], TARGETS)
    columns = padded_size(width, COLUMNS) if isinstance(features.kernel, ReluNtk) else width
    stretch = math.sqrt(columns / width)
    return Problem(
        start=_fill(_repeat(points, rows), (rows, columns)),
        targets=_fill(targets, (rows, outputs)),
        present=_fill(np.ones(num_points), (rows,)),
        num_columns=float(width),
        stretch=stretch,
        moments=_pad_moments(moments, outputs),
        features=_pad_features(features, columns, stretch),
    )


def _pad_moments(moments: KernelMoments, outputs: int) -> KernelMoments:
    rank = padded_size(len(moments.gram), RANK)
    return KernelMoments(
        gram=_fill(moments.gram, (rank, rank)),
        cross=_fill(moments.cross, (rank, outputs)),
        target_gram=_fill(moments.target_gram, (outputs, outputs)),
        noise_scale=float(moments.noise_scale),
    )


def _pad_features(features: KernelFeatures, columns: int, stretch: float) -> KernelFeatures:
    count, rank = features.projection.shape
    num_landmarks, rank = padded_size(count, LANDMARKS), padded_size(rank, RANK)
    landmarks = _repeat(features.landmarks, num_landmarks)
    return replace(
        features,
        landmarks=stretch * _fill(landmarks, (num_landmarks, columns)),
        projection=_fill(features.projection, (num_landmarks, rank)),
    )


def _fill(array: NDArray[np.float64], shape: Sequence[int]) -> NDArray[np.float64]:
    """Enlarge an array by zeros."""
    filled = np.zeros(shape)
    filled[tuple(slice(size) for size in array.shape)] = array
    return filled


def _repeat(rows: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Repeat the last row until there are so many: where it is, every kernel has a value."""
    return np.pad(rows, ((0, count - len(rows)), (0, 0)), mode='edge')
