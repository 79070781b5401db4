"""How far a record moves each statistic, as functions of public or released facts.

Each function takes the facts of one kind of statistic by name, and ``neighbors``; it ignores those
that only the title of the statistic needs.
"""

from __future__ import annotations

import math
from typing import Any

from sdv_threea.accounting import SQUARED_DISTANCE
from sdv_threea.accounting.sensitivities import (
    distance_sensitivity,
    histogram_sensitivity,
    interaction_sensitivity,
    moment_sensitivity,
    sum_sensitivity,
)

#: Fixed-point scale of the one count that a record shares out among several.
RECORD_UNITS = 2**12


def one_count(*, neighbors: str, **_: Any) -> float:
    """A record adds one to one count."""
    return histogram_sensitivity(1, neighbors)


def shared_count(*, neighbors: str, **_: Any) -> float:
    """A record shares out one count, of ``RECORD_UNITS``, among several."""
    return RECORD_UNITS * histogram_sensitivity(1, neighbors)


def histograms(*, columns: int, neighbors: str, **_: Any) -> float:
    """A record adds one to at most one count of each column."""
    return histogram_sensitivity(columns, neighbors)


def sizes_and_histograms(*, columns: int, neighbors: str, **_: Any) -> float:
    """A record adds one to at most one count of each column, and one to the size of its class."""
    return histogram_sensitivity(columns + 1, neighbors)


def weighted_tables(*, squared_weights: int, neighbors: str, **_: Any) -> float:
    """A record adds the weight ``v`` of a table to at most one of its counts: ``sum v^2``."""
    return histogram_sensitivity(squared_weights, neighbors)


def clipped(*, radius: int, neighbors: str, **_: Any) -> float:
    """A record adds a vector of non-negative numbers that is clipped to the norm ``radius``."""
    return sum_sensitivity(radius, neighbors)


def contrasts(
    *, shapes: list[tuple[int, ...]], weights: list[int], neighbors: str, **_: Any
) -> float:
    """A record adds the contrasts of its bins, times the weight of each table."""
    return interaction_sensitivity(shapes, weights, neighbors)


def distances(*, triples: int, neighbors: str, **_: Any) -> float:
    """A record moves one count of each triple by one, and so its distance."""
    return distance_sensitivity(triples, neighbors)


def moments(*, norm: float, neighbors: str, **_: Any) -> float:
    """A record adds the products of a vector of at most this norm."""
    return moment_sensitivity(norm, neighbors)


def components(*, radius: int, neighbors: str, **_: Any) -> float:
    """A record adds the vector ``(radius, s)`` to one component, with ``||s|| <= radius``."""
    return sum_sensitivity(math.sqrt(2) * radius, neighbors)


def slopes(*, radius: float, neighbors: str, **_: Any) -> float:
    """A record adds a slope of at most this norm.

    Formal guarantees: two records may pull opposite ways, so replacing one by another moves the
    sums by at most ``2 radius``.
    """
    return radius * SQUARED_DISTANCE[neighbors]


def references(*, columns: int, within: bool, neighbors: str, **_: Any) -> float:
    """A unit moves numbers of references and comparisons of ``r`` columns.

    Formal guarantees:
        * :func:`~sdv_threea.rows.units.links.read_references` states what a unit adds
        * the reference of a unit to another row moves numbers of rows by ``sqrt(2)`` and
          comparisons by ``sqrt(r + 1)``; its own row, if others refer to it, moves them by one and
          by ``sqrt(r + 1)``
        * ``within`` units of one kind a unit has both effects: ``sqrt(5)`` and ``2 sqrt(r + 1)``
        * to replace a unit is to remove one and to add one, so twice as much
    """
    squared = 5 + 4 * (columns + 1) if within else 2 + columns + 1
    return slopes(radius=math.sqrt(squared), neighbors=neighbors)
