"""The covariance between the scores of siblings: rows of one parent.

In go the private scores of one pair of siblings per unit of privacy. Out come noisy products of the
scores, and an effect that siblings share when they are drawn. For a pair with centred scores ``x``
and ``y``, the mean of ``x y^T + y x^T`` is twice the covariance between siblings. The effect adds
the part of the covariance that the parent's columns do not explain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.approximate.moments import SCORE_UNITS, constant_weight, lead
from sdv_threea.maths.positive import bound_eigenvalues
from sdv_threea.maths.shrinkage import shrunk_effects
from sdv_threea.privacy.clipping import clip_norm
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import chunk_arrays
from sdv_threea.privacy.statistics import (
    OFF_DIAGONAL_WEIGHT,
    second_moments,
    unpack_second_moments,
)
from sdv_threea.privacy.sums import release, take
from sdv_threea.statistics import registry
from sdv_threea.units.membership import LEFT_OUT, rank_within


class Siblings(NamedTuple):
    """Private scores of a pair of siblings per unit, in score units, shape (P, m) each."""

    first: NDArray[np.integer]
    second: NDArray[np.integer]


@dataclass(frozen=True)
class SiblingMoments:
    """Noisy covariance between the scores of siblings: publishable.

    Args:
        count: Number of pairs, at least one.
        covariance: Covariance between the scores of two siblings, symmetric, shape (m, m).
        scale: Standard deviation of the noise of an entry of ``covariance``.
    """

    count: float
    covariance: NDArray[np.float64]
    scale: float


def choose_pairs(
    units: NDArray[np.int64], owners: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose one pair of siblings in each unit that has any, as positions of first and second rows.

    Formal guarantees:
        * a unit has at most one pair, which depends on the rows of that unit alone

    Args:
        units: The unit of every row, shape (n,).
        owners: The row of the parent that each row refers to, -1 for none, shape (n,).
        rng: Source of the choice: independent of the rows, and nothing released is drawn from it.
    """
    # One pair per parent with at least two rows, then one pair per unit.
    rows = np.flatnonzero((owners >= 0) & (units != LEFT_OUT))
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
    """
    weight = constant_weight(radius, count_weight)
    statistic = registry.SIBLINGS.state(
        partial(_sum_products, radius, weight),
        neighbors=neighbors,
        resolution=SCORE_UNITS**-2,
        norm=math.hypot(weight, radius),
    )
    noisy, receipt = release(*take(chunk_arrays(Siblings(*scores)), statistic), mu=mu, noise=noise)
    # The first entry of each vector is the constant ``weight``, so the first row of the matrix
    # holds the number of pairs times weight^2, and the sums of the scores times weight.
    matrix = unpack_second_moments(noisy)[0] / 2
    count = max(float(matrix[0, 0]) / (weight / SCORE_UNITS) ** 2, 1.0)
    means = matrix[0, 1:] / (weight / SCORE_UNITS) / count
    covariance = matrix[1:, 1:] / count - np.outer(means, means)
    scale = receipt.noise_scale / OFF_DIAGONAL_WEIGHT / 2 / count
    return SiblingMoments(count, covariance, scale), receipt


def _sum_products(radius: int, weight: int, chunk: Siblings) -> NDArray[np.int64]:
    """Sum the weighted upper triangles of ``x y^T + y x^T`` over pairs."""
    one, other = (lead(clip_norm(rows, radius), weight) for rows in chunk)
    everyone = np.zeros(len(one), dtype=np.int64)
    # :func:`second_moments` sums ``v v^T`` of whole vectors, and the products follow from that:
    # (x + y)(x + y)^T - (x - y)(x - y)^T = 2 (x y^T + y x^T), without rounding.
    products = second_moments(one + other, everyone, 1) - second_moments(one - other, everyone, 1)
    return products // 2


def shared_effect(
    siblings: SiblingMoments,
    variances: NDArray[np.float64],
    explained: NDArray[np.float64],
    rest: NDArray[np.float64],
    *,
    most_shared: float,
) -> NDArray[np.float64]:
    """Estimate the covariance that siblings share beyond the part that their parent explains.

    It is the covariance of siblings less the ``explained`` one, positive semidefinite and at most
    ``most_shared`` times ``rest``, the positive definite covariance that the parent leaves open.
    All matrices are of normals, shape (m, m). To first order, the covariance of two scores is the
    product of their ``variances`` times the covariance of their normals (see
    :func:`~sdv_threea.approximate.gaussian.class_correlations`).
    """
    gains = np.outer(variances, variances)
    surprise = siblings.covariance - gains * explained
    # The variance of the noise, and that of a sample of ``count`` pairs.
    noises = siblings.scale**2 + gains / siblings.count
    effect = shrunk_effects(surprise.ravel(), gains.ravel(), noises.ravel()).reshape(gains.shape)
    # In coordinates in which ``rest`` is the identity, bound the eigenvalues of the effect: from
    # below, so that the effect is a covariance; from above, so that it leaves some of ``rest``.
    root = np.linalg.cholesky(rest)
    inverse = np.linalg.inv(root)
    white = inverse @ effect @ inverse.T
    within = bound_eigenvalues(white, 0.0, most_shared)
    return np.asarray(root @ within @ root.T)
