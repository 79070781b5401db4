"""Draw the place of a value inside the interval of its code, given other columns.

By default the place is uniform. If one of two ordered columns determines the other, the records of
a code are divided among codes of the other in order: from seven to eight o'clock, the first quarter
of the hour holds the first quarter of the clock times. The pair of codes then determines a part of
both intervals, in which the two places are linear functions of each other, like pay by year and pay
by month. A category has no place, but it may determine a part of a numerical column's interval, or
the value itself (:mod:`~sdv_threea.joint.determined_values`). The whole module is post-processing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.determined_values import has_wide_codes
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.tables import left_open

#: The narrowest part of an interval that counts as not empty.
NARROWEST = 1e-9


@dataclass(frozen=True)
class Tie:
    """Two columns whose places depend on each other: publishable.

    Args:
        pair: The columns; the first one is ordered.
        parts: For both columns, the part of its interval by codes of the pair: beginning and end,
            shape (S_i, S_j, 2). While the first place runs from beginning to end, so does the
            second, whose end may be the smaller number. ``None`` for a category.
    """

    pair: Pair
    parts: tuple[Floats, Floats | None]


def tie_columns(
    functions: Mapping[Pair, Floats],
    ordered: Sequence[bool],
    edges: Sequence[Floats | None] = (),
    numbers: Mapping[Pair, Floats] | None = None,
) -> tuple[Tie, ...]:
    """Return ties of pairs in which one column determines the other, and at least one is numerical.

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
            i, j, table, inside = j, i, table.T, inside[::-1]
        if inside[0] and (_follows(table) or _follows(table.T)):
            borders = edges[i] if edges else None
            parts = _cut(table, inside[1], borders)
            known = (numbers or {}).get((j, i))
            if known is not None:
                # The likeliest code that is not the missing number.
                has, codes = np.flatnonzero(~np.isnan(known)), 1 + table[1:].argmax(axis=0)
                around = known[has, None] + NARROWEST * np.array([-1, 1])
                parts[0][codes[has], has] = around
            ties.append(Tie((i, j), parts))
    return tuple(ties)


def _follows(table: Floats) -> bool:
    """True if the first column leaves under a nat, and under half, of the second's entropy."""
    return left_open(table) < min(1.0, left_open(table.sum(axis=0, keepdims=True)) / 2)


def draw_places(codes: Wholes, ties: Sequence[Tie], rng: np.random.Generator) -> dict[int, Floats]:
    """Draw places in [0, 1], shape (n,), of the ordered columns in ties, which form a forest."""
    left = {column: np.tile([0.0, 1.0], (len(codes), 1)) for column in _find_numbers(ties)}
    for tie in ties:
        if tie.parts[1] is None:
            i, j = tie.pair
            left[i] = _meet(left[i], tie.parts[0][codes[:, i], codes[:, j]])
    steps = _walk([tie for tie in ties if tie.parts[1] is not None])
    # From the leaves to the roots, restrict the place of each column.
    for tie, parent, child in reversed(steps):
        own, other = _find_parts(tie, parent, codes)
        left[parent] = _meet(left[parent], _carry(left[child], other, own))
    # From the roots to the leaves, draw the places.
    places = {}
    for column, ends in left.items():
        places[column] = ends[:, 0] + rng.random(len(codes)) * (ends[:, 1] - ends[:, 0])
    for tie, parent, child in steps:
        own, other = _find_parts(tie, parent, codes)
        places[child] = _carry(places[parent][:, None], own, other)[:, 0]
    return places


def _find_numbers(ties: Sequence[Tie]) -> set[int]:
    return {tie.pair[0] for tie in ties} | {tie.pair[1] for tie in ties if tie.parts[1] is not None}


def _cut(
    table: Floats, in_order: bool, edges: Floats | None = None
) -> tuple[Floats, Floats | None]:
    """Divide the interval of each code among the codes of the other column, in order."""
    present = table.copy()
    present[0] = present[:, 0] = 0  # a missing value has no place in the order
    steps = np.arange(len(table))
    if not in_order:
        # Categories are ordered by the mean code of their records.
        centres = steps @ present / np.maximum(present.sum(axis=0), 1e-300)
        order = np.argsort(centres, kind='stable')
        parts = np.empty((*table.shape, 2))
        parts[:, order] = _add_on(present[:, order])
        return parts, None
    others = np.arange(table.shape[1])
    total = max(present.sum(), 1e-300)
    means = [steps @ present.sum(axis=1) / total, others @ present.sum(axis=0) / total]
    # Places are linear functions of each other, so intervals of the second column are divided by
    # the length that the first number covers, if known.
    lengths = present
    if edges is not None:
        widths, sums = np.diff(edges, prepend=edges[:1]), present.sum(axis=1)
        lengths = present * (widths / np.where(sums > 0, sums, 1))[:, None]
    if (steps - means[0]) @ present @ (others - means[1]) >= 0:
        return _add_on(present), _add_on(lengths.T).transpose(1, 0, 2)
    falling = _add_on(present[:, ::-1])[:, ::-1], _add_on(lengths[::-1].T).transpose(1, 0, 2)[::-1]
    return falling[0], falling[1][..., ::-1]


def _add_on(table: Floats) -> Floats:
    """Return the beginning and end of each count in its row, as shares, shape (R, S, 2)."""
    sums = table.sum(axis=1, keepdims=True)
    ends = np.cumsum(table, axis=1) / np.where(sums > 0, sums, 1)
    starts = np.concatenate([np.zeros((len(table), 1)), ends[:, :-1]], axis=1)
    parts = np.stack([starts, ends], axis=2)
    # Codes that never occur together do not restrict each other.
    parts[table <= 0] = 0.0, 1.0
    return parts


def _walk(ties: Sequence[Tie]) -> list[tuple[Tie, int, int]]:
    steps: list[tuple[Tie, int, int]] = []
    seen: set[int] = set()
    for first in (tie.pair[0] for tie in ties):
        new = [] if first in seen else [first]
        seen.add(first)
        while new:
            column = new.pop(0)
            for tie in ties:
                if column in tie.pair:
                    other = tie.pair[1 - tie.pair.index(column)]
                    if other not in seen:
                        seen.add(other)
                        new.append(other)
                        steps.append((tie, column, other))
    return steps


def _find_parts(tie: Tie, parent: int, codes: Wholes) -> tuple[Floats, Floats]:
    i, j = tie.pair
    first, second = (part[codes[:, i], codes[:, j]] for part in tie.parts if part is not None)
    return (first, second) if parent == i else (second, first)


def _carry(places: Floats, own: Floats, other: Floats) -> Floats:
    """Map places of a column, shape (n, k), to another column, inside its part of the interval."""
    width = own[:, 1:] - own[:, :1]
    shares = (places - own[:, :1]) / np.where(width == 0, 1, width)
    carried = other[:, :1] + np.clip(shares, 0, 1) * (other[:, 1:] - other[:, :1])
    return np.asarray(np.sort(carried, axis=1))


def _meet(one: Floats, other: Floats) -> Floats:
    """Intersect parts of an interval, shape (n, 2); keep the first if they do not meet."""
    low, high = np.maximum(one[:, 0], other[:, 0]), np.minimum(one[:, 1], other[:, 1])
    met = np.stack([low, high], axis=1)
    return np.where((high - low > NARROWEST)[:, None], met, one)
