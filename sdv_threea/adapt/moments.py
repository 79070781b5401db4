"""Second moments of features: what draws do not show of the private rows.

The curvature of the loss is read off draws from what is released. Features of a kernel are made of
many columns at once, and what many columns do at once is what draws get wrong: along some direction
the private rows may vary forty times as much, and a step by the curvature of the draws would go
forty times too far. So the second moments of features are released, once, and draws are made to
have them.

With the targets in place of the constant they are the moments of the ridge regression by which
kernel inducing points solve for their labels (Nguyen, Chen, Lee 2020, arXiv 2011.00050, section 3).
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
from sdv_threea.approximate.moments import Grouped, ScoreMoments, release_score_moments
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows

#: Draws are made to vary by no less than this share of what they did.
LEAST_STRETCH = 0.05

#: Added to the second moments of draws, as a share of them, so that they can be inverted.
TINY = 1e-6


def add_features(pooled: NormalScores, features: KernelFeatures, chunk: Encoded) -> Featured:
    """Compute the features of records, each by itself, from their scores among all classes."""
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
    """Release number, sums and second moments of the features of private rows.

    Formal guarantees:
        * those of :func:`~sdv_threea.approximate.moments.release_score_moments`: features of rows
          are whole numbers in the units of scores, and shortened to the radius

    Args:
        rows: The private rows, with ``features``, whole numbers, shape (n, r).
        radius: The norm that no feature vector exceeds, in the units of features.
        constants: The constants of the room.
        mu: The price, in Gaussian differential privacy.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The moments, of a single group, and the receipt.
    """
    return release_score_moments(
        rows.map(_group),
        1,
        radius,
        constants.count_weight,
        mu=mu,
        neighbors=neighbors,
        stage='adapt',
        of='kernel features',
        noise=noise,
    )


def match_moments(
    features: NDArray[np.float64], weights: NDArray[np.float64], moments: ScoreMoments
) -> NDArray[np.float64]:
    """Map draws linearly until they have the released moments, as far as noise lets these be seen.

    With ``G = L L^T`` the second moments of draws ``t = (1, phi)`` and ``M`` the released ones, the
    eigenvalues of ``L^-1 M L^-T - I`` say by how much they differ, and along which directions. Of
    noise alone, eigenvalues of such a matrix reach ``2 s sqrt(d)``, with ``s`` the noise of an
    entry (Wigner 1958). Within that they count as noise. Beyond, they are shrunk as Gavish and
    Donoho (2017, arXiv 1405.7511, equation 7) do for the least error.

    Args:
        features: The features of the draws, shape (n, r).
        weights: How many private records each of them stands for, shape (n,).
        moments: The released moments of a single group.

    Returns:
        The mapped features, shape (n, r).
    """
    total = weights.sum()
    # The constant is as long as an average feature vector has to be for noise to fall evenly.
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
    # An eigenvalue of -1 would be a direction in which no private row varies.
    stretch = np.sqrt(np.maximum(1 + seen, LEAST_STRETCH))
    mapping = root @ (directions * stretch) @ directions.T @ inverse
    return np.asarray((vectors @ mapping.T)[:, 1:])


def _group(chunk: Any) -> Grouped:
    return Grouped(chunk.features, np.zeros(len(chunk.features), dtype=np.int64))
