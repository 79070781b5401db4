"""Find functional dependencies: pairs of columns in which one column determines the other.

A code determines its name, a place its zone, a clock time its hour. Coarse bins do not show which
name belongs to which code, but counts in bins are far more uneven for functions than for merely
correlated columns. Pairs with such counts are counted again, code by code. The functions form a
forest, so that each column depends on at most one other. The whole module is post-processing.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import HALF
from sdv_threea.joint.column_order import grow_forest
from sdv_threea.joint.joint_constants import (
    LEAST_SHOWN,
    SLACK,
    JointConstants,
)
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.pricing import Function, find_small
from sdv_threea.joint.tables import couple, left_open

#: Larger tables are not counted code by code: a limit of time and memory.
MOST_CELLS = 2**20


class Noise(NamedTuple):
    """The noise of counts whose margins are known well.

    ``doubt`` is how many standard deviations the bound lies above the mean.
    """

    scale: float
    doubt: float

    def bound(self, counts: Floats) -> float:
        """Return an upper bound of the summed squared noise of a table."""
        free = (counts.shape[0] - 1) * (counts.shape[1] - 1)
        return float(self.scale**2 * free + self.slack(counts))

    def slack(self, counts: Floats) -> float:
        """Return by how much the bound exceeds the expected squared noise of a table."""
        free = (counts.shape[0] - 1) * (counts.shape[1] - 1)
        return float(self.scale**2 * self.doubt * math.sqrt(2 * free))


class Side(NamedTuple):
    """A column as the parent or the child of a functional dependency.

    Args:
        counts: Counts of its bins, shape (G,).
        units: Shares of units that have one value of the child each, shape (U,): listed codes or,
            in an ordered column, bins, because neighbouring codes mostly have the same value.
        entropy: Entropy of its codes, in nats.
        size: The logarithm of the number of codes that occur.
        small: The share of a small code, as :func:`~sdv_threea.joint.pricing.find_small` defines
            it.
    """

    counts: Floats
    units: Floats
    entropy: float
    size: float
    ordered: bool
    small: float

    @classmethod
    def look(cls, counts: Floats, shares: Floats, ordered: bool, unlisted: int) -> Side:
        """Summarise a column, given counts of its bins and probabilities of its codes."""
        listed = shares.copy()
        listed[unlisted if unlisted >= 0 else slice(0, 0)] = 0.0
        size = math.log(max(int(np.count_nonzero(shares)), 1))
        units = counts / counts.sum() if ordered else listed
        small = find_small(listed if listed.any() else shares)
        return cls(counts, units, left_open(shares[None]), size, ordered, small)


def find_functions(
    pairs: PairCounts,
    sides: Sequence[Side],
    constants: JointConstants,
    num_given: int = 0,
    known: Sequence[Pair] = (),
) -> dict[Pair, Function]:
    """Return the pairs that look functional, the best first: together with ``known``, a forest."""
    rated = {}
    doubt = constants.clear_of_noise(len(pairs.tables))
    for (i, j), counts in pairs.tables.items():
        if math.exp(sides[i].size + sides[j].size) <= MOST_CELLS:
            noise = Noise(pairs.scales[i, j], doubt)
            turns = (counts, sides[i], sides[j]), (counts.T, sides[j], sides[i])
            first, second = (_rate(*turn, noise, constants) for turn in turns)
            rated[i, j] = max((*first, False), (*second, True))
    telling = [pair for pair, (_, alone, *_) in rated.items() if alone > constants.least_told]
    found = {}
    telling.sort(key=lambda pair: -rated[pair][0])
    for i, j in grow_forest([*known, *telling], num_given)[len(known) :]:
        *_, clear, turned = rated[i, j]
        parent, child = (sides[j], sides[i]) if turned else (sides[i], sides[j])
        found[i, j] = make_function(parent, child, clear)
    return found


def make_function(parent: Side, child: Side, clear: bool = False) -> Function:
    """Return the properties by which a functional pair is priced."""
    small = min(parent.small, child.small) if parent.ordered and child.ordered else parent.small
    return Function(small, math.exp(child.size), parent.ordered and not child.ordered, clear)


def _rate(
    counts: Floats, parent: Side, child: Side, noise: Noise, constants: JointConstants
) -> tuple[float, float, bool]:
    """Return a pair's rank, its worth, and whether values clearly follow the parent's order."""
    shares = child.counts / child.counts.sum()
    full, runs, clear = _full_energy(parent.units, shares), False, False
    if parent.ordered:
        runs, running = _run_along(counts, parent.units, shares, noise, constants)
        # Mere correlation of two ordered columns follows from coarse bins, and few bins cannot
        # distinguish a function from a correlation.
        if child.ordered and not (runs and min(counts.shape) >= 2 * constants.least_bins):
            return -math.inf, 0.0, False
        full = min(full, running)
        hidden = noise.bound(counts)
        clear = runs and hidden < SLACK * running * counts.sum() ** 2
    energy = _find_energy(counts, parent.counts, child.counts, noise)
    likeness = energy / max(child.counts.sum() ** 2 * full, 1e-9)
    if likeness <= HALF:
        return -math.inf, 0.0, False
    # Among equally informative parents, the direct one has the fewest codes.
    far = constants.indirect * (parent.ordered + max(parent.size - child.size, 0.0))
    following = left_open(shares[None]) if child.ordered else child.entropy
    entropy = min(following, parent.entropy)  # a column predicts at most its own entropy
    sure = 1.0 if runs else min(likeness / constants.sure, 1.0)
    found = sure**2 * entropy
    # A certain function is worth counting, even if the parent has many more codes than the child.
    alone = found - (min(far, found / 2) if sure == 1 else far)
    if not runs:
        beside = _look_beside(counts, parent.units, shares, noise, constants)
        if beside is None:
            return _rate(*_merge_rest(counts, parent, child, noise), constants)
        found *= min(max(beside, 0.0) / constants.sure, 1.0) ** 2
    return found - far, alone, clear


def _merge_rest(
    counts: Floats, parent: Side, child: Side, noise: Noise
) -> tuple[Floats, Side, Side, Noise]:
    """Merge the child's values except the most frequent one; return the arguments of `_rate`."""
    often = int(child.counts.argmax())
    merged = np.stack([counts[:, often], np.delete(counts, often, axis=1).sum(axis=1)], axis=1)
    own = np.array([child.counts[often], np.delete(child.counts, often).sum()])
    shares = own / own.sum()
    size = 2 * math.log(2) - child.size  # the merged values add to the penalty for many codes
    two = Side(own, shares, left_open(shares[None]), size, ordered=False, small=child.small)
    scale = noise.scale * math.sqrt(2 - 2 / counts.shape[1])
    return merged, parent, two, noise._replace(scale=scale)


def _look_beside(
    counts: Floats, parent: Floats, child: Floats, noise: Noise, constants: JointConstants
) -> float | None:
    """Return how like a function the pair is without the child's most frequent value, if known."""
    # Columns with a common value, such as "question not asked", look functional because of it.
    frequent = int(child.argmax())
    if not LEAST_SHOWN <= child[frequent] < 1 or len(child) < 3:
        return math.inf
    kept = np.arange(len(child)) != frequent
    shares, rest = child[kept] / child[kept].sum(), counts[:, kept]
    departure = rest - np.outer(rest.sum(axis=1), shares)
    others = parent[_give_values(parent, child) != frequent]
    full = _full_energy(others / max(others.sum(), 1e-9), shares)
    full *= np.square(counts.sum() * child[kept].sum())
    # The expected noise is subtracted, so the slack alone may cost a function its likeness.
    if noise.slack(rest) >= (1 - constants.sure) * full:
        return None
    energy = float(np.square(departure).sum()) - noise.bound(rest)
    return math.inf if math.isinf(full) else energy / full


def _full_energy(parent: Floats, child: Floats) -> float:
    """Return the energy that a function would have; infinite if nearly all codes get one value."""
    values = _give_values(parent, child)
    given = np.bincount(values, parent, len(child))
    rare = 1 - child.max()
    if np.minimum(given, child).sum() - child.max() < LEAST_SHOWN * rare:
        return math.inf
    return float(np.square(parent) @ (1 - 2 * child[values] + np.square(child).sum()))


def _give_values(parent: Floats, child: Floats) -> Wholes:
    """Give each code of the parent, in order of size, the value with the most records left."""
    left = [(-share, value) for value, share in enumerate(child)]
    heapq.heapify(left)
    values = np.empty(len(parent), dtype=np.int64)
    for at in np.argsort(-parent, kind='stable'):
        rest, values[at] = left[0]
        heapq.heapreplace(left, (rest + parent[at], values[at]))
    return values


def _run_along(
    counts: Floats, parent: Floats, child: Floats, noise: Noise, constants: JointConstants
) -> tuple[bool, float]:
    """Return whether values follow the order of the parent, and the energy of a monotone table."""
    centres = np.arange(len(parent)) @ counts / np.maximum(child, 1e-9)
    order = np.argsort(centres, kind='stable')
    running = couple(parent, child[order])
    energy = float(np.square(running - np.outer(parent, child[order])).sum())
    total = float(counts.sum())
    if total <= 0:
        return False, energy
    if left_open(running) > (1 - HALF) * left_open(child[None]):
        return False, math.inf
    departs = float(np.square(counts[:, order] / total - running).sum())
    return departs <= noise.bound(counts) / total**2 + SLACK * energy, energy


def _find_energy(counts: Floats, rows: Floats, columns: Floats, noise: Noise) -> float:
    """Return the squared distance of counts from those of independent columns, beyond the noise."""
    departure = counts - np.outer(rows, columns) / rows.sum()
    return float(np.square(departure).sum() - noise.bound(counts))
