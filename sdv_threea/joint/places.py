"""Draw the place of a value inside the interval of its code, dependent on categories.

By default the place is uniform. A category that determines the code of a number, or follows from
it, may determine a part of the code's interval, too: the records of a code are divided among the
categories in order. From 7 to 8.30, the hour seven has the first two thirds of the clock times. A
category may also determine the value itself (:mod:`~sdv_threea.joint.values`). The whole module is
post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.tables import left_open
from sdv_threea.joint.values import has_wide_codes

#: The narrowest part of an interval that counts as not empty.
NARROWEST = 1e-9


@dataclass(frozen=True)
class Tie:
    """A number and a category that determines its place inside its code: publishable.

    Args:
        pair: The columns, the number first.
        parts: Beginning and end of a part of the interval, by codes of the pair, shape (S_i, S_j,
            2).
    """

    pair: Pair
    parts: NDArray[np.float64]


def tie_columns(
    functions: Mapping[Pair, NDArray[np.float64]],
    ordered: Sequence[bool],
    most_open: float,
    edges: Sequence[NDArray[np.float64] | None] = (),
    numbers: Mapping[Pair, NDArray[np.float64]] | None = None,
) -> tuple[Tie, ...]:
    """Return ties of pairs of a number and a category of which one determines the other.

    A numerical column whose codes are single values has no places, and is treated as a category.
    ``edges`` are the borders of codes, without the missing value, shape (S,), or ``None``.
    ``numbers`` are the places of numbers that categories determine, by category and number, shape
    (S,); NaN for none.
    """
    ties = []
    for (i, j), table in functions.items():
        inside = [
            ordered[at] and (not edges or has_wide_codes(shares, edges[at]))
            for at, shares in ((i, table.sum(axis=1)), (j, table.sum(axis=0)))
        ]
        if not inside[0]:
            i, j, table = j, i, table.T
        if inside[0] != inside[1] and (_follows(table, most_open) or _follows(table.T, most_open)):
            parts = _cut(table)
            known = (numbers or {}).get((j, i))
            if known is not None:
                # The likeliest code other than that of a missing number.
                has, codes = np.flatnonzero(~np.isnan(known)), 1 + table[1:].argmax(axis=0)
                parts[codes[has], has] = known[has, None] + NARROWEST * np.array([-1, 1])
            ties.append(Tie((i, j), parts))
    return tuple(ties)


def _follows(table: NDArray[np.float64], most_open: float) -> bool:
    """Return whether the first column of a table leaves little entropy of the second."""
    return left_open(table) < min(most_open, left_open(table.sum(axis=0, keepdims=True)) / 2)


def draw_places(
    codes: NDArray[np.int64], ties: Sequence[Tie], rng: np.random.Generator
) -> dict[int, NDArray[np.float64]]:
    """Draw the places, in [0, 1], shape (n,), of numbers with ties."""
    whole = np.tile([0.0, 1.0], (len(codes), 1))
    left: dict[int, NDArray[np.float64]] = {}
    for tie in ties:
        i, j = tie.pair
        left[i] = _meet(left.get(i, whole), tie.parts[codes[:, i], codes[:, j]])
    return {
        column: ends[:, 0] + rng.random(len(codes)) * (ends[:, 1] - ends[:, 0])
        for column, ends in left.items()
    }


def _cut(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide the interval of each code of the number among categories, shape (S_i, S_j, 2).

    Categories are ordered by the mean code of their records, and get lengths in proportion to
    records.
    """
    present = table.copy()
    present[0] = present[:, 0] = 0  # a missing value has no place in the order
    centres = np.arange(len(table)) @ present / np.maximum(present.sum(axis=0), 1e-300)
    order = np.argsort(centres, kind='stable')
    parts = np.empty((*table.shape, 2))
    parts[:, order] = _add_on(present[:, order])
    return parts


def _add_on(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the beginning and end of each count in its row, as shares, shape (R, S, 2)."""
    sums = table.sum(axis=1, keepdims=True)
    ends = np.cumsum(table, axis=1) / np.where(sums > 0, sums, 1)
    starts = np.concatenate([np.zeros((len(table), 1)), ends[:, :-1]], axis=1)
    parts = np.stack([starts, ends], axis=2)
    # Codes that never occur together do not restrict each other.
    parts[table <= 0] = 0.0, 1.0
    return parts


def _meet(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intersect parts of an interval, shape (n, 2); where they do not meet, the first stays."""
    low, high = np.maximum(one[:, 0], other[:, 0]), np.minimum(one[:, 1], other[:, 1])
    met = np.stack([low, high], axis=1)
    return np.where((high - low > NARROWEST)[:, None], met, one)
