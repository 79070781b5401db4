"""The release of moments of normal scores: counts, sums and products of the records of each group.

It is made twice. First the groups are the classes, for the correlations of the density; at the end
they are the components, which the mixture is made of.

A record with scores ``s`` is the vector ``t = (w, s)``, with a constant ``w`` before the scores.
Its second moments ``t t^T`` hold all three at once: ``w^2`` counts the record, ``w s`` adds its
scores, ``s s^T`` their products. One proof bounds what a record adds to them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.maths.triangles import diagonal, unpack, width_of
from sdv_threea.privacy.clipping import clip_norm
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import (
    OFF_DIAGONAL_WEIGHT,
    moment_sensitivity,
    second_moments,
    unweighted_moments,
)
from sdv_threea.privacy.sums import Statistic, release, take

#: Score units per one. Scores are whole numbers of such units, so that all sums of them are exact.
SCORE_UNITS = 256


class Grouped(NamedTuple):
    """Private records as scores in score units, (n, m), and groups, (n,): all whole."""

    scores: NDArray[np.integer]
    groups: NDArray[np.integer]


@dataclass(frozen=True)
class ScoreMoments:
    """Noisy moments of the scores in each of ``G`` groups: publishable.

    Args:
        counts: Number of records, at least one, shape (G,).
        sums: Sum of the scores, shape (G, m).
        triangles: Sum of the products of scores: the upper triangle of a symmetric matrix, shape
            (G, m (m + 1) / 2).
        sum_scale: Standard deviation of the noise of a sum.
        product_scale: Standard deviation of the noise of a product of different columns.
    """

    counts: NDArray[np.float64]
    sums: NDArray[np.float64]
    triangles: NDArray[np.float64]
    sum_scale: float
    product_scale: float

    @property
    def products(self) -> NDArray[np.float64]:
        """Sum of the products of scores, symmetric, shape (G, m, m): a new array each time."""
        return unpack(self.triangles)

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean scores, shape (G, m)."""
        return self.sums / self.counts[:, None]

    def average(self, other: ScoreMoments) -> ScoreMoments:
        """Return the average with another release of the same moments, by precision."""
        # Without noise in one of them, it alone counts.
        if not self.product_scale or not other.product_scale:
            return self if self.product_scale <= other.product_scale else other
        # The weight of each is proportional to one over its variance.
        weight = other.product_scale**2 / (self.product_scale**2 + other.product_scale**2)
        scale = math.sqrt(weight)
        return ScoreMoments(
            weight * self.counts + (1 - weight) * other.counts,
            weight * self.sums + (1 - weight) * other.sums,
            weight * self.triangles + (1 - weight) * other.triangles,
            self.sum_scale * scale,
            self.product_scale * scale,
        )

    def add(self, blocks: int) -> ScoreMoments:
        """Return the moments of neighbouring groups together, ``blocks`` at a time."""
        if blocks == 1:
            return self
        starts = np.arange(0, len(self.counts), blocks)
        return ScoreMoments(
            np.add.reduceat(self.counts, starts),
            np.add.reduceat(self.sums, starts),
            np.add.reduceat(self.triangles, starts),
            self.sum_scale * math.sqrt(blocks),
            self.product_scale * math.sqrt(blocks),
        )

    def unclipped(self, energy: float, most: float) -> ScoreMoments:
        """Return the moments with what clipping took from the scores, in the mean over records.

        Clipping shortens records that score high together, and so hides correlation.

        Args:
            energy: What the squares of all scores should sum to.
            most: Squares are scaled up by at most this factor, as noise rather than clipping may
                have shortened them.
        """
        squares = self.triangles.take(diagonal(self.sums.shape[1]), axis=1)
        kept = float(squares.sum(axis=1).sum())
        # Clipping never lengthens, so the factor is at least one.
        factor = energy / min(max(kept, energy / most), energy) if energy else 1.0
        return ScoreMoments(
            self.counts,
            self.sums * math.sqrt(factor),
            self.triangles * factor,
            self.sum_scale * math.sqrt(factor),
            self.product_scale * factor,
        )

    def select(self, groups: slice) -> ScoreMoments:
        """Return the moments of some of the groups."""
        return replace(
            self,
            counts=self.counts[groups],
            sums=self.sums[groups],
            triangles=self.triangles[groups],
        )


def release_score_moments(  # noqa: PLR0913 (what, how clipped, and the price)
    rows: Rows[Grouped],
    num_groups: int,
    radius: int,
    count_weight: float,
    *,
    stage: str,
    of: str = 'normal scores',
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[ScoreMoments, Receipt]:
    """Release the moments of the scores in every group.

    The weight ``w`` of the constant trades counts for products: a count is known with noise
    ``1 / w^2``, a sum with ``1 / w``, and the norm of a record, which all noise grows with, has
    ``w^2`` in it.

    Formal guarantees:
        * a record counts in one group, with a vector of norm at most ``sqrt(w^2 + radius^2)``,
          which is a function of that record
        * so the moments of all groups move by at most :func:`statistics.moment_sensitivity` of
          that norm

    Args:
        rows: Private records.
        num_groups: Number of groups.
        radius: Norm to which the scores of a record are clipped, in score units; public.
        count_weight: The constant ``w`` in the vector of a record, as a share of the radius.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        stage: The stage, for the receipt.
        of: What the vectors are, for the receipt.
        noise: The source of noise.

    Returns:
        The moments and their receipt.
    """
    weight = constant_weight(radius, count_weight)
    # All groups are released together, as a record counts in one of them.
    statistic = Statistic(
        stage,
        f'counts, sums and second moments of {of} in {num_groups} groups',
        partial(_sum_moments, num_groups, radius, weight),
        moment_sensitivity(math.hypot(weight, radius), neighbors),
        resolution=SCORE_UNITS**-2,
    )
    noisy, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    released = unweighted_moments(noisy)
    width = width_of(released)
    weight_in_units = weight / SCORE_UNITS
    off_diagonal = receipt.noise_scale / OFF_DIAGONAL_WEIGHT
    # The first row of t t^T holds w^2 and w s; the rest holds s s^T.
    moments = ScoreMoments(
        counts=np.maximum(released[:, 0] / weight_in_units**2, 1.0),
        sums=released[:, 1:width] / weight_in_units,
        triangles=released[:, width:],
        sum_scale=off_diagonal / weight_in_units,
        product_scale=off_diagonal,
    )
    return moments, receipt


def constant_weight(radius: int, count_weight: float) -> int:
    """Return the constant ``w`` before the scores of a record, in score units."""
    return max(1, int(count_weight * radius))


def lead(scores: NDArray[np.integer], weight: int) -> NDArray[np.int32]:
    """Put a constant before the scores of every record, shape (n, m) to (n, m + 1)."""
    vectors = np.empty((len(scores), scores.shape[1] + 1), dtype=np.int32)
    vectors[:, 0], vectors[:, 1:] = weight, scores
    return vectors


def _sum_moments(num_groups: int, radius: int, weight: int, chunk: Grouped) -> NDArray[np.int64]:
    vectors = lead(clip_norm(chunk.scores, radius), weight)
    return second_moments(vectors, chunk.groups, num_groups)
