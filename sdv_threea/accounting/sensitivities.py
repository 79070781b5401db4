"""The sensitivity of each released statistic to one record, with proofs.

``neighbors`` is ``'add_remove'`` or ``'replace_one'``. Facts that only the title of a statistic
needs are ignored.
"""

import math
from collections.abc import Sequence
from typing import Any

from sdv_threea.accounting.budget import SQUARED_DISTANCE

#: Second moments are released as ``12 t_i^2`` and ``17 t_i t_j``, ``i < j``. With weights 1 and
#: ``sqrt(2)`` the norm of one record's moments would be exactly ``||t||^2``. The ratio 17 / 12 in
#: whole numbers is just above ``sqrt(2)``, as the proof in :func:`moment_sensitivity` needs.
DIAGONAL_WEIGHT = 12
OFF_DIAGONAL_WEIGHT = 17

#: Fixed-point scale of one contribution that a record shares out among several counts.
RECORD_UNITS = 2**12


def histogram_sensitivity(squared_norm: int, neighbors: str, **_: Any) -> float:
    """Return the L2 sensitivity of the histograms of all columns together, in records.

    ``squared_norm`` is ``sum w^2`` over columns of weight ``w``: without weights, their number.

    Formal guarantees:
        * a record adds the weight ``w`` of a column to at most one of its counts, whatever groups
          and codes are: ``sqrt(sum w^2)``, which is ``sqrt(m)`` for ``m`` columns of weight one
        * contributions of two records are non-negative, so replacing one record by another moves
          the counts by at most ``sqrt(2 sum w^2)``
    """
    return math.sqrt(squared_norm * SQUARED_DISTANCE[neighbors])


def interaction_sensitivity(
    shapes: Sequence[Sequence[int]], weights: Sequence[int], neighbors: str, **_: Any
) -> float:
    r"""Return the L2 sensitivity of the sums of contrasts of several tables together.

    A record adds ``w (G_1 e_1 - 1) \otimes (G_2 e_2 - 1) \otimes ...`` to the sums of a table of
    ``shape = (G_1, G_2, ...)``, with ``e`` the indicator of its bin, or nothing.

    Formal guarantees:
        * ``||G e - 1||^2 = G (G - 1)``, and norms of products multiply: a record adds a vector of
          the squared norm ``w^2 prod G (G - 1)``, or zero
        * two such contrasts have the inner product ``G (G - 1)`` if their bins agree, else ``-G``.
          So products of two records have at least ``-prod G (G - 1) / (G' - 1)``, ``G'`` the least
          number of bins, and replacing one record by another moves the sums of a table by at most
          ``2 w^2 prod G (G - 1) (1 + 1 / (G' - 1))``, squared
        * contrasts of a column of one bin are zero, and so is what records add; if no record adds
          anything, the sensitivity returned is one, so that there is some noise
    """
    squared = 0
    for shape, weight in zip(shapes, weights, strict=True):
        norm = weight**2 * math.prod(size * (size - 1) for size in shape)
        if norm and neighbors == 'replace_one':
            # The norm is a multiple of the least number of bins minus one.
            norm = 2 * norm // (min(shape) - 1) * min(shape)
        squared += norm
    return math.sqrt(squared) or 1.0


def distance_sensitivity(triples: int, neighbors: str, **_: Any) -> float:
    """Return the L2 sensitivity of :func:`~sdv_threea.rows.statistics.sum_distances`, in records.

    Formal guarantees:
        * a record changes one count of each histogram by one, so it changes each distance by at
          most one, and the distances of ``t`` triples together by at most ``sqrt(t)``
        * replacing one record by another moves two counts, so twice as far
    """
    return math.sqrt(triples) * SQUARED_DISTANCE[neighbors]


def sum_sensitivity(radius: float, neighbors: str, **_: Any) -> float:
    """Return the L2 sensitivity of :func:`~sdv_threea.rows.statistics.first_moments`.

    Formal guarantees:
        * one record of norm at most ``radius`` moves the sum of its group by at most ``radius``
        * ``||t - s||^2 <= ||t||^2 + ||s||^2`` where ``t . s >= 0``, so replacing one record by
          another moves the sums by at most ``sqrt(2) radius``
    """
    return radius * math.sqrt(SQUARED_DISTANCE[neighbors])


def moment_sensitivity(norm: float, neighbors: str, **_: Any) -> float:
    """Return the L2 sensitivity of :func:`~sdv_threea.rows.statistics.second_moments`.

    Formal guarantees:
        * the weighted moments of one record have norm at most ``17 / sqrt(2) norm^2``
        * those of two records are at most ``17 norm^2`` apart

    Proof. Let ``u(t)`` be the weighted moments of one vector. As ``(t . s)^2 = sum_i t_i^2 s_i^2 +
    2 sum_{i<j} t_i t_j s_i s_j``, ``u(t) . u(s) = 17^2 / 2 (t . s)^2 - 1/2 sum_i t_i^2 s_i^2``.
    Hence ``||u(t)||^2 <= 17^2 / 2 ||t||^4``, and ``||u(t) - u(s)||^2 = 17^2 / 2 (||t||^4 + ||s||^4
    - 2 (t . s)^2) - 1/2 sum_i (t_i^2 - s_i^2)^2 <= 17^2 norm^4``. The bound is 0.2 % above the
    best possible.
    """
    return OFF_DIAGONAL_WEIGHT * norm**2 * math.sqrt(SQUARED_DISTANCE[neighbors] / 2)


def slope_sensitivity(radius: float, neighbors: str, **_: Any) -> float:
    """Return the L2 sensitivity of :func:`~sdv_threea.adapt.slopes.sum_slopes`.

    Formal guarantees: a record adds a slope of at most this norm, and two records may pull opposite
    ways, so replacing one by another moves the sums by at most ``2 radius``.
    """
    return radius * SQUARED_DISTANCE[neighbors]


def reference_sensitivity(squares: int, within: bool, neighbors: str, **_: Any) -> float:
    """Return the L2 sensitivity, to a unit, of reference counts and tables of both ends.

    ``squares`` is the sum of the squared weights ``v`` of the tables.

    Formal guarantees:
        * :class:`~sdv_threea.rows.units.links.Reading` states what a unit adds
        * the reference of a unit to another row moves numbers of rows by ``sqrt(2)`` and two cells
          of each table by ``v``; its own row, if others refer to it, moves them by one and one cell
          by ``v``
        * ``within`` units of one kind a unit has both effects: numbers move by ``sqrt(5)``, and
          each table by ``sqrt(5) v``
        * to replace a unit is to remove one and to add one, so twice as much
    """
    squared = (5 if within else 2) * (1 + squares)
    return slope_sensitivity(math.sqrt(squared), neighbors)
