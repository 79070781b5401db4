"""Nystrom features: a kernel, seen through the leading directions it has among public points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.exact import as_points, as_scores
from sdv_threea.adapt.features import KernelFeatures
from sdv_threea.adapt.ntk import kernel_matrix
from sdv_threea.adapt.relu import Kernel

#: Directions of the landmarks' kernel matrix below this share of the largest carry only rounding.
SPECTRUM_FLOOR = 1e-10

#: Share of the landmarks whose features stay below norm one without being clipped.
UNCLIPPED_SHARE = 0.9


def kernel_features(
    landmarks: NDArray[np.float64], kernel: Kernel, rank: int = 32
) -> KernelFeatures:
    """Make features that span the leading directions of the kernel between public points.

    The better the landmarks resemble the rows, the fewer directions are needed: draw them from what
    is already released, or from a standard normal.

    Args:
        landmarks: Public normal scores, shape (P, m); they are rounded as rows are.
        kernel: The kernel.
        rank: Number of features, at most; the noise of the release grows with it.

    Returns:
        Features with ``r <= min(rank, P)``. With ``r = P`` they give the kernel exactly between a
        landmark and any point, up to the scale and the clipping.
    """
    landmarks = as_points(as_scores(landmarks))
    matrix = kernel_matrix(kernel, landmarks)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = np.flatnonzero(values > SPECTRUM_FLOOR * values[-1])[::-1][:rank]
    projection = vectors[:, kept] / np.sqrt(values[kept])
    norms = np.linalg.norm(matrix @ projection, axis=1)
    scale = float(np.quantile(norms, UNCLIPPED_SHARE))
    return KernelFeatures(kernel=kernel, landmarks=landmarks, projection=projection, scale=scale)
