"""Release moments of normal scores: counts, sums and products over the records of each group.

A record with scores ``s`` is the vector ``t = (w, s)`` with a constant ``w``. Its second moments
``t t^T`` contain a count ``w^2``, sums ``w s`` and products ``s s^T``, so one proof bounds all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.accounting.sensitivities import OFF_DIAGONAL_WEIGHT
from sdv_threea.arrays import Floats
from sdv_threea.constants import HALF
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Grouped
from sdv_threea.rows.score_moments import sum_moments
from sdv_threea.rows.statistics import diagonal, mask, unweighted_moments, width_of
from sdv_threea.statistics.kind import Kind

#: Score units per one. Scores are whole numbers of units, so that their sums are exact.
SCORE_UNITS = 256


@dataclass(frozen=True)
class ScoreMoments:
    """Released noisy moments of the scores in each of ``G`` groups.

    Args:
        counts: Number of records, at least one, shape (G,).
        sums: Sum of the scores, shape (G, m).
        triangles: Upper triangle of the summed products of scores, shape (G, m (m + 1) / 2).
        sum_scale: Noise scale of a sum.
        product_scale: Noise scale of a product of different columns.
    """

    counts: Floats
    sums: Floats
    triangles: Floats
    sum_scale: float
    product_scale: float

    @property
    def products(self) -> Floats:
        """Sums of the products of scores, shape (G, m, m): a new array each time."""
        width = self.sums.shape[1]
        upper = mask(width)
        matrices = np.empty((len(self.triangles), width, width))
        matrices[..., upper] = self.triangles
        matrices.swapaxes(-1, -2)[..., upper] = self.triangles
        return matrices

    def unclipped(self, energy: float) -> ScoreMoments:
        """Return the moments scaled to undo the average effect of clipping.

        Clipping shortens records with several large scores, and so masks correlation. ``energy`` is
        the expected sum of all squared scores. At least ``HALF`` of it is kept: noise rather than
        clipping may have made squares smaller.
        """
        squares = self.triangles.take(diagonal(self.sums.shape[1]), axis=1)
        kept = float(squares.sum(axis=1).sum())
        # Clipping never lengthens a record, so the factor is at least one.
        factor = energy / min(max(kept, HALF * energy), energy) if energy else 1.0
        return ScoreMoments(
            self.counts,
            self.sums * math.sqrt(factor),
            self.triangles * factor,
            self.sum_scale * math.sqrt(factor),
            self.product_scale * factor,
        )


def release_score_moments(  # noqa: PLR0913 (what, how clipped, and the price)
    rows: Rows[Grouped],
    num_groups: int,
    radius: int,
    count_weight: float,
    *,
    kind: Kind,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[ScoreMoments, Receipt]:
    """Release the moments of the scores in every group; return them and the receipt.

    ``count_weight`` is the constant ``w`` as a share of ``radius``. A count has noise ``1 / w^2``
    and a sum ``1 / w``, but ``w^2`` also adds to a record's squared norm, with which all noise
    grows.

    Formal guarantees:
        * ``radius`` is public; a record counts in one group, with a vector of norm at most
          ``sqrt(w^2 + radius^2)``, which is a function of that record
        * so the moments of all groups move by at most :func:`statistics.moment_sensitivity` of that
          norm
    """
    weight = constant_weight(radius, count_weight)
    # A record counts in one group, so all groups share one release.
    statistic = kind.state(
        partial(sum_moments, num_groups, radius, weight),
        neighbors=neighbors,
        resolution=SCORE_UNITS**-2,
        groups=num_groups,
        norm=math.hypot(weight, radius),
    )
    noisy, receipt = release(rows, statistic, mu=mu, noise=noise)
    released = unweighted_moments(noisy)
    width = width_of(released)
    weight_in_units = weight / SCORE_UNITS
    off_diagonal = receipt.noise_scale / OFF_DIAGONAL_WEIGHT
    moments = ScoreMoments(
        counts=np.maximum(released[:, 0] / weight_in_units**2, 1.0),
        sums=released[:, 1:width] / weight_in_units,
        triangles=released[:, width:],
        sum_scale=off_diagonal / weight_in_units,
        product_scale=off_diagonal,
    )
    return moments, receipt


def constant_weight(radius: int, count_weight: float) -> int:
    """Return the constant ``w`` of a record's vector, in score units."""
    return max(1, int(count_weight * radius))
