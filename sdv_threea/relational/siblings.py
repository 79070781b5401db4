"""What rows of one parent have in common: the covariance between the scores of siblings.

One pair of siblings per unit of privacy is enough to tell: for a pair with scores ``x`` and ``y``,
``x y^T + y x^T`` has twice that covariance as its mean. What the parent's columns explain of it is
left to them; the rest becomes an effect that siblings share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import SQUARED_DISTANCE, Receipt
from sdv_threea.approximate.moments import SCORE_UNITS, constant_weight, lead
from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.maths.shrinkage import shrunk_effects
from sdv_threea.privacy.mechanism import Noise, add_noise
from sdv_threea.privacy.statistics import (
    OFF_DIAGONAL_WEIGHT,
    clip_norm,
    moment_sensitivity,
    second_moments,
    unpack_second_moments,
)
from sdv_threea.relational.units import DISPUTED, rank_within

#: Siblings share at most this part of what their parent does not explain.
MOST_SHARED = 0.95


@dataclass(frozen=True)
class SiblingMoments:
    """Noisy products of the scores of pairs of siblings: publishable.

    Args:
        count: Number of pairs, at least one.
        covariance: Of the scores of siblings, symmetric, shape (m, m).
        scale: Standard deviation of the noise of an entry of ``covariance``.
    """

    count: float
    covariance: NDArray[np.float64]
    scale: float


def choose_pairs(
    units: NDArray[np.int64], owners: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose one pair of siblings in each unit that has any.

    Formal guarantees:
        * a unit has at most one pair, which depends on the rows of that unit alone

    Args:
        units: The unit of every row, shape (n,).
        owners: The row of the parent that each row refers to, -1 for none, shape (n,).
        rng: Source of the choice: independent of the rows, and nothing released is drawn from it.

    Returns:
        The first and the second rows of the pairs, shapes (P,).
    """
    rows = np.flatnonzero((owners >= 0) & (units != DISPUTED))
    ranks = rank_within(owners[rows], rng)
    first, second = rows[ranks == 0], rows[ranks == 1]
    first, second = first[np.argsort(owners[first])], second[np.argsort(owners[second])]
    first = first[np.isin(owners[first], owners[second])]
    only = rank_within(units[first], rng) == 0
    return first[only], second[only]


def release_siblings(
    scores: tuple[NDArray[np.integer], NDArray[np.integer]],
    radius: int,
    count_weight: float,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[SiblingMoments, Receipt]:
    """Release the covariance between the scores of siblings.

    Formal guarantees:
        * a unit has one pair, with vectors ``x`` and ``y`` of norm at most ``R = sqrt(w^2 +
          radius^2)``; its symmetric product ``A = x y^T + y x^T`` has a Frobenius norm of at most
          ``2 R^2``, twice that of the square of one such vector, so the weighted moments move by at
          most twice :func:`statistics.moment_sensitivity` of ``R``
        * replacing a unit moves them by at most two removals

    Args:
        scores: Private scores of first and second siblings, in score units, shape (P, m) each.
        radius: Norm to which the scores of a record are clipped, in score units; public.
        count_weight: The constant ``w`` in the vector of a record, as a share of the radius.
        mu: The price for a unit, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The moments and their receipt.
    """
    weight = constant_weight(radius, count_weight)
    one, other = (lead(clip_norm(rows, radius), weight) for rows in scores)
    everyone = np.zeros(len(one), dtype=np.int64)
    # (x + y)(x + y)^T - (x - y)(x - y)^T = 2 (x y^T + y x^T), exactly.
    products = second_moments(one + other, everyone, 1) - second_moments(one - other, everyone, 1)
    single = moment_sensitivity(math.hypot(weight, radius))
    noisy, receipt = add_noise(
        products // 2,
        sensitivity=2 * single * SQUARED_DISTANCE[neighbors],
        mu=mu,
        stage='approximate',
        released='products of the scores of one pair of siblings per unit',
        resolution=SCORE_UNITS**-2,
        noise=noise,
    )
    matrix = unpack_second_moments(noisy)[0] / 2
    count = max(float(matrix[0, 0]) / (weight / SCORE_UNITS) ** 2, 1.0)
    means = matrix[0, 1:] / (weight / SCORE_UNITS) / count
    covariance = matrix[1:, 1:] / count - np.outer(means, means)
    scale = receipt.noise_scale / OFF_DIAGONAL_WEIGHT / 2 / count
    return SiblingMoments(count, covariance, scale), receipt


def shared_effect(
    siblings: SiblingMoments,
    variances: NDArray[np.float64],
    explained: NDArray[np.float64],
    rest: NDArray[np.float64],
    between: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float]:
    """Estimate what siblings share beyond what their parent explains.

    Siblings resemble each other as far as they are of the same component, and inside components.

    Args:
        siblings: The released products.
        variances: Variance of the scores, shape (m,).
        explained: Covariance of the normals that the parent explains, shape (m, m).
        rest: Covariance that it leaves to them, positive definite, shape (m, m).
        between: Covariance between the means of the components, shape (m, m).

    Returns:
        The covariance of normals that siblings share inside components, positive semidefinite and
        within ``rest``, shape (m, m); and with which chance they share their component.
    """
    gains = np.outer(variances, variances)
    surprise = siblings.covariance - gains * explained
    noises = siblings.scale**2 + gains / siblings.count
    effect = shrunk_effects(surprise.ravel(), gains.ravel(), noises.ravel()).reshape(gains.shape)
    size = float((between**2).sum())
    together = min(max(float((effect * between).sum()) / size, 0.0), 1.0) if size else 0.0
    effect = effect - together * between
    root = np.linalg.cholesky(rest)
    inverse = np.linalg.inv(root)
    white = inverse @ effect @ inverse.T
    within = bound_eigenvalues(white, 0.0, MOST_SHARED)
    return np.asarray(root @ within @ root.T), together
