"""Second moments of kernel features over the private rows, released once to correct the draws.

In some direction private rows may vary forty times as much as draws, whose curvature would then
make steps forty times too long. With targets in place of the constant, these are the moments in
section 3 of Nguyen, Chen, Lee 2020 (arXiv 2011.00050).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.features import KernelFeatures, whole_features
from sdv_threea.adapt.slopes import Featured
from sdv_threea.approximate.moments import ScoreMoments, release_score_moments
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded, Grouped
from sdv_threea.statistics import registry

#: Smallest factor on the variance of draws.
LEAST_STRETCH = 0.05

#: Added to the second moments of draws, relative to them, for inversion.
TINY = 1e-6


def add_features(pooled: NormalScores, features: KernelFeatures, chunk: Encoded) -> Featured:
    """Return records with their features, computed row by row from scores over all classes."""
    scores = pooled(chunk.codes, np.zeros(len(chunk.codes), dtype=np.int64))
    return Featured(chunk.codes, chunk.labels, whole_features(scores, features))


def release_feature_moments(
    rows: Rows[Any],
    radius: int,
    constants: AdaptConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[ScoreMoments, Receipt]:
    """Release count, sums and second moments of the features of private rows, as one group.

    Formal guarantees:
        * those of :func:`~sdv_threea.approximate.moments.release_score_moments`: features of rows
          are whole numbers in the units of scores, and shortened to the radius
    """
    return release_score_moments(
        rows.map(_group),
        1,
        radius,
        constants.count_weight,
        mu=mu,
        neighbors=neighbors,
        kind=registry.FEATURES,
        noise=noise,
    )


def match_moments(
    features: NDArray[np.float64], weights: NDArray[np.float64], moments: ScoreMoments
) -> NDArray[np.float64]:
    """Return the features of draws, (n, r), mapped linearly to the significant released moments.

    With second moments ``G = L L^T`` of draws ``t = (1, phi)``, and ``M`` released, the eigenvalues
    of ``L^-1 M L^-T - I`` are their difference. Noise of deviation ``s`` per entry has eigenvalues
    up to ``2 s sqrt(d)`` (Wigner 1958), which are ignored. Larger ones are shrunk for the least
    error: Gavish and Donoho (2017, arXiv 1405.7511, equation 7).
    """
    total = weights.sum()
    # This constant gives all entries equal noise.
    constant = moments.product_scale / moments.sum_scale if moments.sum_scale else 1.0
    lead = np.full((len(features), 1), constant)
    vectors = np.concatenate([lead, features], axis=1)
    drawn = (vectors * weights[:, None]).T @ vectors / total
    released = np.empty_like(drawn)
    released[0, 0] = constant**2
    released[0, 1:] = released[1:, 0] = constant * moments.sums[0] / total
    released[1:, 1:] = moments.products[0] / total
    size = len(drawn)
    root = np.linalg.cholesky(drawn + TINY * np.trace(drawn) / size * np.eye(size))
    inverse = np.linalg.inv(root)
    excess, directions = np.linalg.eigh(inverse @ released @ inverse.T - np.eye(size))
    spread = moments.product_scale / total * np.square(inverse).sum() / size
    edge = 2 * spread * math.sqrt(size)
    seen = np.sign(excess) * np.sqrt(np.maximum(np.square(excess) - edge**2, 0))
    # An eigenvalue of -1 would be a direction without any variance.
    stretch = np.sqrt(np.maximum(1 + seen, LEAST_STRETCH))
    mapping = root @ (directions * stretch) @ directions.T @ inverse
    return np.asarray((vectors @ mapping.T)[:, 1:])


def _group(chunk: Any) -> Grouped:
    return Grouped(chunk.features, np.zeros(len(chunk.features), dtype=np.int64))
