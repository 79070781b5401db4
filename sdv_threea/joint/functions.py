"""Columns that follow from others: which pairs look like functions.

A code says its name, a place its zone, a clock time its hour. Coarse bins do not show which name
belongs to which code, but they show that there is one: their counts are far more uneven than those
of columns that only lean on each other. Such pairs are counted again, code by code. They make a
forest, so that each column follows from one other at most, in any order of a tree from its root.

All of it follows from released counts: post-processing.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import couple, left_open

#: What counts depart by is more than noise if it exceeds it by this many standard deviations.
SURE = 4.0

#: No function has margins that leave more of what is not the most frequent value to nobody.
LEAST_GIVEN = 0.25

#: Values do not run along bins that leave more than this share of them open.
MOST_OPEN = 0.5

#: Counts of values that follow one another along an order may be off by this part of what such
#: values say, beyond what noise hides.
SLACK = 0.05

#: That values follow one another is clear if noise hides no more than this part of what they say.
MOST_HIDDEN = 0.08

#: A pair is looked at without the most frequent value of the column that follows, if it is one of
#: this share of the records.
OFTEN = 0.2

#: Noise drowns what is left if a function would not exceed it by this factor.
DROWNED = 4.0

#: Weights of pairs that are counted code by code are multiples of one over this.
WEIGHT_UNIT = 8


def find_functions(
    pairs: PairCounts,
    margins: Sequence[NDArray[np.float64]],
    columns: Sequence[NDArray[np.float64]],
    ordered: Sequence[bool],
    constants: JointConstants,
) -> dict[Pair, bool]:
    """Find the pairs that look like functions: a forest of those that tell most.

    Args:
        pairs: The released counts of pairs.
        margins: Counts of the bins of each column, shape (G,).
        columns: For each column, probabilities of the codes, shape (S,).
        ordered: For each column, whether the order of its codes means something.
        constants: The constants of the room.

    Returns:
        The pairs, the most telling first, and of each whether values of the one column clearly
        follow one another along the other.
    """
    sides = [_Side.look(*each) for each in zip(margins, columns, ordered, strict=True)]
    told: dict[Pair, tuple[float, float, bool]] = {}
    for (i, j), counts in pairs.tables.items():
        if columns[i].size * columns[j].size <= constants.most_cells:
            scale = pairs.scales[i, j]
            ways = (counts, sides[i], sides[j]), (counts.T, sides[j], sides[i])
            told[i, j] = max(_rate(*way, scale, constants) for way in ways)
    telling = [pair for pair, (_, alone, _) in told.items() if alone > constants.least_told]
    forest = grow_forest(sorted(telling, key=lambda pair: -told[pair][0]))
    return {pair: told[pair][2] for pair in forest}


class _Side(NamedTuple):
    """A column, as one that another follows from, or as one that follows from another.

    Args:
        counts: Counts of its bins, shape (G,).
        units: Shares of what has a value each, shape (U,): of codes, or of bins of an ordered
            column, as codes that share one are neighbours, and mostly have values in common.
        entropy: Of its codes, in nats.
        size: The logarithm of the number of codes that occur.
        ordered: Whether the order of its codes means something.
    """

    counts: NDArray[np.float64]
    units: NDArray[np.float64]
    entropy: float
    size: float
    ordered: bool

    @classmethod
    def look(cls, counts: NDArray[np.float64], shares: NDArray[np.float64], ordered: bool) -> _Side:
        """Look at a column: counts of its bins, and probabilities of its codes."""
        size = math.log(max(int(np.count_nonzero(shares)), 1))
        units = counts / counts.sum() if ordered else shares
        return cls(counts, units, _entropy(shares), size, ordered)


def _rate(
    counts: NDArray[np.float64],
    parent: _Side,
    child: _Side,
    scale: float,
    constants: JointConstants,
) -> tuple[float, float, bool]:
    """Say what one column tells of another as a function.

    Args:
        counts: Counts of the pair, the column that the other follows from first, shape (G, V).
        parent: That column.
        child: The other.
        scale: Standard deviation of the noise of the counts.
        constants: The constants of the room.

    Returns:
        How much, beside other pairs and for itself; and whether values clearly follow one another.
    """
    shares = child.counts / child.counts.sum()
    full, runs, clear = _full_energy(parent.units, shares), False, False
    if parent.ordered and not child.ordered:
        runs, running = _run_along(counts, parent.units, shares, scale)
        full = min(full, running)
        hidden = _bound_noise(counts, scale)
        clear = runs and hidden < MOST_HIDDEN * running * counts.sum() ** 2
    energy = _find_energy(counts, parent.counts, child.counts, scale)
    likeness = energy / max(child.counts.sum() ** 2 * full, 1e-9)
    if likeness <= constants.least_likeness:
        return -math.inf, 0.0, False
    # Of several that tell as much, the one with the fewest codes is nearest.
    far = constants.nearness * max(parent.size - child.size, 0.0) + constants.blur * parent.ordered
    following = _entropy(shares) if child.ordered else child.entropy
    entropy = min(following, parent.entropy)  # none tells more than it says itself
    sure = 1.0 if runs else min(likeness / constants.sure, 1.0)
    found = sure**2 * entropy
    # What is sure is worth counting however far it is.
    alone = found - (min(far, found / 2) if sure == 1 else far)
    if not runs:
        beside = _look_beside(counts, parent.units, shares, scale)
        found *= min(max(beside, 0.0) / constants.sure, 1.0) ** 2
    return found - far, alone, clear


def grow_forest(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Keep the pairs that close no circle with those before them (Kruskal 1956)."""
    trees: dict[int, frozenset[int]] = {}
    kept = []
    for i, j in pairs:
        one, other = (trees.get(at, frozenset([at])) for at in (i, j))
        if one is not other and one != other:
            kept.append((i, j))
            trees |= dict.fromkeys(one | other, one | other)
    return tuple(kept)


def carry_functions(
    columns: Sequence[NDArray[np.float64]],
    num_records: float,
    found: Mapping[Pair, bool],
    left: float,
    constants: JointConstants,
) -> list[Pair]:
    """Leave out the pairs that noise would drown code by code; what they cost, others have.

    What is read off drowned codes is chance, and a function that is none makes rows that cannot be.
    Where values clearly follow one another along a column, codes around a code tell too: it stays.

    Args:
        columns: For each column, probabilities of the codes, shape (S,).
        num_records: Number of records.
        found: The pairs, and whether values clearly follow one another along a column.
        left: The price, in GDP, that may be paid.
        constants: The constants of the room.
    """
    kept = list(found)
    while kept:
        weights, price = price_functions(columns, num_records, kept, left, constants)
        # A record's length is the noise of a count, times the price.
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        held = {
            pair: num_records * _find_small_of(columns, pair, constants) * weights[pair] * price
            for pair in kept
            if not found[pair]
        }
        worst = min(held, key=lambda pair: held[pair], default=None)
        if worst is None or held[worst] >= constants.least_held * length:
            break
        kept.remove(worst)
    return kept


def price_functions(
    columns: Sequence[NDArray[np.float64]],
    num_records: float,
    wanted: Sequence[Pair],
    left: float,
    constants: JointConstants,
) -> tuple[dict[Pair, int], float]:
    """Choose what pairs that are counted code by code weigh, and at which price.

    The noise is what the codes of nearly all records bear. The more codes a column has, the fewer
    records has each, and the less noise is borne.

    Args:
        columns: For each column, probabilities of the codes, shape (S,).
        num_records: Number of records.
        wanted: The pairs, at least one.
        left: The price, in GDP, that may still be paid.
        constants: The constants of the room.

    Returns:
        What a record adds to a count, a whole number, at least one, by pair; and the price, at
        most what is left.
    """
    borne = {}
    for pair in wanted:
        small = _find_small_of(columns, pair, constants)
        borne[pair] = max(num_records * small / constants.records_per_error, 1.0)
    most = max(borne.values())
    weights = {
        pair: min(round(WEIGHT_UNIT * most / noise), WEIGHT_UNIT * constants.most_weighed)
        for pair, noise in borne.items()
    }
    needed = math.sqrt(sum(weight**2 for weight in weights.values())) / WEIGHT_UNIT / most
    price = max(needed, math.sqrt(constants.least_spent) * left)
    return weights, price if price < constants.most_needed * left else left


def _find_small_of(
    columns: Sequence[NDArray[np.float64]], pair: Pair, constants: JointConstants
) -> float:
    return min(find_small(columns[at], constants.left_out) for at in pair)


def find_small(shares: NDArray[np.float64], left_out: float) -> float:
    """Find the share of a code that is one of the smaller ones: few records have a smaller one."""
    present = np.sort(shares[shares > 0])
    return float(present[np.searchsorted(np.cumsum(present), left_out)])


def list_neighbours(functions: Mapping[Pair, object] | Sequence[Pair]) -> dict[int, list[int]]:
    """List which columns each column makes a pair with."""
    found: dict[int, list[int]] = {}
    for i, j in functions:
        found.setdefault(i, []).append(j)
        found.setdefault(j, []).append(i)
    return found


def _look_beside(
    counts: NDArray[np.float64],
    parent: NDArray[np.float64],
    child: NDArray[np.float64],
    scale: float,
) -> float:
    """Return the likeness of what is left of a pair without the most frequent value of the child.

    Columns that share such a value, as that a question was not asked, look like functions for its
    sake alone. Where the value is not frequent, or noise would drown what is left, nothing speaks
    against a function.

    Args:
        counts: Counts of the pair, the column that the other follows from first, shape (G, V).
        parent: Shares of the codes or bins that may have a value each, shape (U,).
        child: Shares of the values, shape (V,).
        scale: Standard deviation of the noise of the counts.
    """
    frequent = int(child.argmax())
    if child[frequent] < OFTEN or len(child) < 3:
        return math.inf
    kept = np.arange(len(child)) != frequent
    shares, rest = child[kept] / child[kept].sum(), counts[:, kept]
    noise = _bound_noise(rest, scale)
    departure = rest - np.outer(rest.sum(axis=1), shares)
    others = parent[_give_values(parent, child) != frequent]
    full = _full_energy(others / max(others.sum(), 1e-9), shares)
    full *= np.square(counts.sum() * child[kept].sum())
    if full <= DROWNED * noise or math.isinf(full):
        return math.inf
    return float((np.square(departure).sum() - noise) / full)


def _full_energy(parent: NDArray[np.float64], child: NDArray[np.float64]) -> float:
    """Return what the energy would be, in squared shares of records, if the child were a function.

    The function is one that the margins allow: large codes first, each gets the value of which
    most is left. Codes of the parent that share a bin are taken to have unrelated values. Where
    hardly any code would have another value than the most frequent one, there is no function, and
    the energy is infinite.
    """
    values = _give_values(parent, child)
    given = np.bincount(values, parent, len(child))
    rare = 1 - child.max()
    if np.minimum(given, child).sum() - child.max() < LEAST_GIVEN * rare:
        return math.inf
    return float(np.square(parent) @ (1 - 2 * child[values] + np.square(child).sum()))


def _give_values(parent: NDArray[np.float64], child: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give each code of the parent a value, large codes first, that of which most is left."""
    left = [(-share, value) for value, share in enumerate(child)]
    heapq.heapify(left)
    values = np.empty(len(parent), dtype=np.int64)
    for at in np.argsort(-parent, kind='stable'):
        rest, values[at] = left[0]
        heapq.heapreplace(left, (rest + parent[at], values[at]))
    return values


def _run_along(
    counts: NDArray[np.float64],
    parent: NDArray[np.float64],
    child: NDArray[np.float64],
    scale: float,
) -> tuple[bool, float]:
    """Say whether values follow one another along an ordered column, and what energy that has.

    A bin then has the values that begin, run and end in it, as that of six weeks has two months.
    They come in the order in which they are found, and margins say where each begins. So the whole
    table is known, and noise hides far less of what counts depart from it by than of their energy.

    Args:
        counts: Counts of the pair, the ordered column first, shape (G, V).
        parent: Shares of the bins, shape (G,).
        child: Shares of the values, shape (V,).
        scale: Standard deviation of the noise of the counts.
    """
    centres = np.arange(len(parent)) @ counts / np.maximum(child, 1e-9)
    order = np.argsort(centres, kind='stable')
    running = couple(parent, child[order])
    energy = float(np.square(running - np.outer(parent, child[order])).sum())
    total = float(counts.sum())
    if total <= 0:
        return False, energy
    if left_open(running) > MOST_OPEN * _entropy(child):
        return False, math.inf
    departs = float(np.square(counts[:, order] / total - running).sum())
    return departs <= _bound_noise(counts, scale) / total**2 + SLACK * energy, energy


def _find_energy(
    counts: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    scale: float,
) -> float:
    """Return how far counts are from those of independent columns, squared, beyond the noise."""
    departure = counts - np.outer(rows, columns) / rows.sum()
    return float(np.square(departure).sum() - _bound_noise(counts, scale))


def _bound_noise(counts: NDArray[np.float64], scale: float) -> float:
    """Bound the sum of the squares of the noise of a table.

    Margins are known well: what is noisy is the interaction.
    """
    free = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return float(scale**2 * (free + SURE * math.sqrt(2 * free)))


def _entropy(shares: NDArray[np.float64]) -> float:
    present = shares[shares > 0]
    return float(-(present * np.log(present)).sum())
