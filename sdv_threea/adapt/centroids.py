"""Adapt: the centroids that cut the classes into cells, moved to where a classifier needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.mechanism import Noise
from sdv_threea.moments import GRID

#: Landmarks of the kernel's features, at most.
NUM_LANDMARKS = 128


def adapt_centroids(  # noqa: PLR0913 (the private rows, the start, the settings and the price)
    points: NDArray[np.int64],
    targets: NDArray[np.float64],
    centroids: NDArray[np.int64],
    centroid_targets: NDArray[np.float64],
    *,
    landmarks: NDArray[np.int64],
    alpha: float,
    kernel: Callable[..., Any] | None,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[NDArray[np.int64], Receipt]:
    """Move centroids by kernel inducing points, on privately released moments.

    Formal guarantees:
        * the private rows are read once, by :func:`sdv_threea.adapt.rows.kernel_sums`, and what
          :func:`sdv_threea.adapt.moments.release_moments` releases of the sums has the receipt that
          is returned; all else is post-processing

    Args:
        points: Private whole-number scores, in units of ``1 / GRID``, shape (n, m).
        targets: Private targets, shape (n, q), row norm at most one.
        centroids: Where the centroids are, in the same units, shape (C, K, m).
        centroid_targets: Their targets, shape (C K, q).
        landmarks: Scores drawn from what is released, shape (P, m).
        alpha: Weight of staying put.
        kernel: The kernel; ``None`` for the neural tangent kernel of a ReLU network.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The adapted centroids, shape (C, K, m), and the receipt.
    """
    from sdv_threea.adapt.inducing import InducingSettings, adapt
    from sdv_threea.adapt.moments import release_moments
    from sdv_threea.adapt.ntk import as_kernel
    from sdv_threea.adapt.nystrom import kernel_features
    from sdv_threea.adapt.rows import kernel_sums

    width = centroids.shape[2]
    features = kernel_features(landmarks[:NUM_LANDMARKS] / GRID, as_kernel(kernel, width))
    sums = kernel_sums(points, targets, features)
    rank = features.projection.shape[1]
    moments, receipt = release_moments(sums, rank, mu=mu, neighbors=neighbors, noise=noise)
    start = centroids.reshape(-1, width) / GRID
    induced = adapt(start, centroid_targets, moments, features, InducingSettings(alpha=alpha))
    return np.rint(induced.points * GRID).astype(np.int64).reshape(centroids.shape), receipt
