"""Adapt: the centroids that cut the classes into cells, moved to where a classifier needs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.approximate.scores import NormalScores, score_pooled
from sdv_threea.encoding.classes import Classes
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows

if TYPE_CHECKING:
    from sdv_threea.adapt.features import KernelFeatures

#: Landmarks of the kernel's features, at most.
NUM_LANDMARKS = 128


class Targeted(NamedTuple):
    """Private records as scores, in score units, and targets.

    Scores have the shape (n, m), targets (n, q) with a row norm of at most one.
    """

    scores: NDArray[np.integer]
    targets: NDArray[np.float64]


def add_target(pooled: NormalScores, classes: Classes, chunk: Encoded) -> Targeted:
    """Score records among all classes, and say what is to be predicted."""
    return Targeted(score_pooled(pooled, chunk).scores, classes.targets(chunk.labels))


def adapt_centroids(  # noqa: PLR0913 (the private rows, the start, the settings and the price)
    rows: Rows[Targeted],
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
        * the private rows are read once, by :func:`sdv_threea.adapt.rows.kernel_sums`, and
          released by :func:`sdv_threea.adapt.moments.release_moments`, whose receipt is returned;
          all else is post-processing

    Args:
        rows: Private records.
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

    width = centroids.shape[2]
    features = kernel_features(landmarks[:NUM_LANDMARKS] / SCORE_UNITS, as_kernel(kernel, width))
    sums = rows.sum(partial(_sum_kernel, features))
    rank = features.projection.shape[1]
    moments, receipt = release_moments(sums, rank, mu=mu, neighbors=neighbors, noise=noise)
    start = centroids.reshape(-1, width) / SCORE_UNITS
    induced = adapt(start, centroid_targets, moments, features, InducingSettings(alpha=alpha))
    return np.rint(induced.points * SCORE_UNITS).astype(np.int64).reshape(centroids.shape), receipt


def _sum_kernel(features: KernelFeatures, chunk: Targeted) -> NDArray[np.int64]:
    from sdv_threea.adapt.rows import kernel_sums

    return kernel_sums(chunk.scores.astype(np.int64), chunk.targets, features)
