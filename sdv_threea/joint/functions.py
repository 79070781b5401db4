"""Find functional dependencies: pairs of columns of which one determines the other.

A code determines its name, a place its zone, a clock time its hour. Coarse bins do not show which
name belongs to which code, but their counts are then far more uneven than those of columns that are
merely correlated. Such pairs are counted again, code by code. They form a forest, so that each
column depends on at most one other, whichever the root. All of it is post-processing.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.order import grow_forest
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import couple, left_open

#: The squared noise of a table is bounded by its mean plus this many standard deviations.
SURE = 4.0

#: A pair is no function if its margins allow less than this share of the rarer values to be
#: assigned to whole codes.
LEAST_GIVEN = 0.25

#: Values do not follow the order of bins if the bins leave more than this share of their entropy.
MOST_OPEN = 0.5

#: Counts of values in order may differ from the expected table by this part of its energy.
SLACK = 0.05

#: Values are clearly in order if noise masks at most this part of their energy.
MOST_HIDDEN = 0.08

#: A pair is also examined without the child's most frequent value if it has this share of records.
OFTEN = 0.2

#: Noise masks the rest of a table unless a function's energy exceeds it by this factor.
DROWNED = 4.0

#: A column determines another if its codes leave at most this share of the records open; it
#: determines it exactly up to the smaller share.
DETERMINED, EXACT = 0.05, 0.01

#: The share of records of a functional pair that may get a wrong value because of noise.
MISSED = 0.02

#: Weights of pairs that are counted code by code are multiples of one over this.
WEIGHT_UNIT = 8


class Function(NamedTuple):
    """A pair that looks functional.

    Args:
        small: Share of the records in a small code of the parent.
        in_order: True if the parent is ordered, so that runs of its codes have the same value.
        clear: True if the values clearly follow that order.
    """

    small: float
    values: float
    in_order: bool = False
    clear: bool = False

    def bear(self, num_records: float) -> float:
        """Return the largest noise of a count at which nearly all records still get their value.

        A code of r records with noise s gets a wrong one of V values with probability V Q(r / s
        sqrt(2)). Runs of codes have V borders, each of which is off by about half of s.
        """
        if self.in_order:
            return 2 * MISSED * num_records / self.values
        return num_records * self.small / math.sqrt(2) / -float(ndtri(MISSED / self.values))


class Side(NamedTuple):
    """A column as the parent or the child of a functional dependency.

    Args:
        counts: Counts of its bins, shape (G,).
        units: Shares of the units with a value each, shape (U,): listed codes or, in an ordered
            column, bins, as neighbouring codes mostly have the same value.
        entropy: Entropy of its codes, in nats.
        size: The logarithm of the number of codes that occur.
        ordered: Whether the order of its codes means something.
        small: Share of a small code.
    """

    counts: NDArray[np.float64]
    units: NDArray[np.float64]
    entropy: float
    size: float
    ordered: bool
    small: float

    @classmethod
    def look(
        cls,
        counts: NDArray[np.float64],
        shares: NDArray[np.float64],
        ordered: bool,
        unlisted: int,
        left_out: float,
    ) -> Side:
        """Summarise a column, given counts of its bins and probabilities of its codes.

        ``unlisted`` is the code that stands for all values that are not known, -1 for none.
        """
        listed = shares.copy()
        listed[unlisted if unlisted >= 0 else slice(0, 0)] = 0.0
        size = math.log(max(int(np.count_nonzero(shares)), 1))
        units = counts / counts.sum() if ordered else listed
        small = find_small(listed if listed.any() else shares, left_out)
        return cls(counts, units, left_open(shares[None]), size, ordered, small)


def find_functions(
    pairs: PairCounts,
    sides: Sequence[Side],
    constants: JointConstants,
    num_given: int = 0,
    known: Sequence[Pair] = (),
) -> dict[Pair, Function]:
    """Return the pairs that look functional, the most informative first: a forest with ``known``.

    No path of the forest leads from one of the first ``num_given`` columns to another.
    """
    rated = {}
    for (i, j), counts in pairs.tables.items():
        if math.exp(sides[i].size + sides[j].size) <= constants.most_cells:
            scale = pairs.scales[i, j]
            ways = (counts, sides[i], sides[j]), (counts.T, sides[j], sides[i])
            first, second = (_rate(*way, scale, constants) for way in ways)
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
    """Return how a pair is counted, given which column is the parent."""
    small = min(parent.small, child.small) if parent.ordered and child.ordered else parent.small
    return Function(small, math.exp(child.size), parent.ordered and not child.ordered, clear)


def list_shortcuts(
    functions: Mapping[Pair, NDArray[np.float64]],
    sides: Sequence[Side],
    constants: JointConstants,
) -> tuple[list[Pair], dict[Pair, Function]]:
    """Return pairs to drop, because a third column determines one of both better, and new pairs.

    If a third column determines one column of a pair, it predicts the other column at least as
    well. ``functions`` holds, for each functional pair, the joint probabilities of its codes, shape
    (S_i, S_j).
    """
    ways = {**functions, **{(j, i): table.T for (i, j), table in functions.items()}}
    misses = {(i, j): _miss(table, sides[i]) for (i, j), table in ways.items()}

    def climb(column: int) -> int:
        """Return a column that determines this one and does not follow from it, if any."""
        determining, top = [column], column
        for at in determining:  # the list grows in this loop
            for i, j in misses:
                suited = not sides[i].ordered and i not in determining
                if j == at and misses[i, j] <= DETERMINED and suited:
                    determining.append(i)
                    top = i if misses[j, i] > DETERMINED else top
        return top

    dropped, instead = [], {}
    for i, j in functions:
        parent, child = (i, j) if misses[i, j] <= misses[j, i] else (j, i)
        inexact, top, other = min(misses[i, j], misses[j, i]) > EXACT, climb(parent), child
        if top == parent and sides[parent].ordered:
            top, other = climb(child), parent
        cells = math.exp(sides[top].size + sides[other].size)
        if inexact and top not in (parent, child) and cells <= constants.most_cells:
            dropped.append((i, j))
            one, two = (other, top) if other == parent else (top, other)
            instead[min(one, two), max(one, two)] = make_function(sides[one], sides[two])
    return dropped, instead


def _miss(table: NDArray[np.float64], parent: Side) -> float:
    """Return the share of records without the likeliest value of their code of the parent."""
    listed = table[parent.units > 0] if not parent.ordered else table
    return float(1 - listed.max(axis=1).sum() / max(listed.sum(), 1e-9))


def _rate(
    counts: NDArray[np.float64], parent: Side, child: Side, scale: float, constants: JointConstants
) -> tuple[float, float, bool]:
    """Return how well the parent determines the child, and whether values follow its order.

    Two values in nats come first: one ranks the pair, one says whether it is worth counting.
    Counts have the parent first, shape (G, V).
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
    # Of equally informative parents, the one with the fewest codes is the direct one.
    far = constants.nearness * max(parent.size - child.size, 0.0) + constants.blur * parent.ordered
    following = left_open(shares[None]) if child.ordered else child.entropy
    entropy = min(following, parent.entropy)  # a column predicts at most its own entropy
    sure = 1.0 if runs else min(likeness / constants.sure, 1.0)
    found = sure**2 * entropy
    # A certain function is worth counting, even if the parent has many more codes than the child.
    alone = found - (min(far, found / 2) if sure == 1 else far)
    if not runs:
        beside = _look_beside(counts, parent.units, shares, scale)
        if beside is None:
            return _rate(*_merge_rest(counts, parent, child, scale), constants)
        found *= min(max(beside, 0.0) / constants.sure, 1.0) ** 2
    return found - far, alone, clear


def _merge_rest(
    counts: NDArray[np.float64], parent: Side, child: Side, scale: float
) -> tuple[NDArray[np.float64], Side, Side, float]:
    """Merge all values of the child except the most frequent one; return arguments of `_rate`.

    The merged values add to the penalty for many codes, as codes of the parent do.
    """
    often = int(child.counts.argmax())
    merged = np.stack([counts[:, often], np.delete(counts, often, axis=1).sum(axis=1)], axis=1)
    own = np.array([child.counts[often], np.delete(child.counts, often).sum()])
    shares = own / own.sum()
    size = 2 * math.log(2) - child.size
    two = Side(own, shares, left_open(shares[None]), size, ordered=False, small=child.small)
    return merged, parent, two, scale * math.sqrt(2 - 2 / counts.shape[1])


def carry_functions(
    found: Mapping[Pair, Function], num_records: float, left: float, constants: JointConstants
) -> tuple[dict[Pair, int], float]:
    """Return weights and the price of pairs that are counted code by code.

    Pairs with much more noise than they bear are dropped, and others get their budget: structure
    read from such counts is random and creates impossible rows. Pairs whose values clearly follow
    an order stay, because neighbouring codes support each other. ``left`` is the price, in GDP,
    that may be paid.
    """
    kept = dict(found)
    while kept:
        weights, price = price_functions(kept, num_records, left, constants)
        # The noise scale of a count is the length of a record's contribution, divided by the price.
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        borne = {
            pair: own.bear(num_records) * weights[pair] * price
            for pair, own in kept.items()
            if not own.clear
        }
        worst = min(borne, key=lambda pair: borne[pair], default=None)
        if worst is None or borne[worst] * constants.most_noise >= length:
            return weights, price
        del kept[worst]
    return {}, 0.0


def price_functions(
    found: Mapping[Pair, Function], num_records: float, left: float, constants: JointConstants
) -> tuple[dict[Pair, int], float]:
    """Return the weights and the price of at least one pair that is counted code by code.

    Nearly all codes should have enough records for their noise. The more codes a column has, the
    fewer records each has, and the less noise they allow. A record adds a weight, a whole number of
    at least one, to a count. The price, in GDP, is at most ``left``.
    """
    borne = {pair: max(own.bear(num_records), 1.0) for pair, own in found.items()}
    most = min(max(borne.values()), constants.most_weighed * min(borne.values()))
    weights = {
        pair: max(round(WEIGHT_UNIT * most / noise), WEIGHT_UNIT) for pair, noise in borne.items()
    }
    needed = math.sqrt(sum(weight**2 for weight in weights.values())) / WEIGHT_UNIT / most
    price = max(needed, math.sqrt(constants.least_spent) * left)
    return weights, price if price < constants.most_needed * left else left


def find_small(shares: NDArray[np.float64], left_out: float) -> float:
    """Return the share of a small code; all smaller codes have ``left_out`` of the records."""
    present = np.sort(shares[shares > 0])
    held = np.cumsum(present)
    return float(present[np.searchsorted(held, left_out * held[-1])])


def _look_beside(
    counts: NDArray[np.float64],
    parent: NDArray[np.float64],
    child: NDArray[np.float64],
    scale: float,
) -> float | None:
    """Return a pair's likeness to a function without the most frequent value of the child.

    Columns that share a value, as that a question was not asked, look functional for that alone.
    The likeness is infinite if the value is rare, ``None`` if noise masks the rest.
    """
    frequent = int(child.argmax())
    if not OFTEN <= child[frequent] < 1 or len(child) < 3:
        return math.inf
    kept = np.arange(len(child)) != frequent
    shares, rest = child[kept] / child[kept].sum(), counts[:, kept]
    noise = _bound_noise(rest, scale)
    departure = rest - np.outer(rest.sum(axis=1), shares)
    others = parent[_give_values(parent, child) != frequent]
    full = _full_energy(others / max(others.sum(), 1e-9), shares)
    full *= np.square(counts.sum() * child[kept].sum())
    if full <= DROWNED * noise:
        return None
    return math.inf if math.isinf(full) else float((np.square(departure).sum() - noise) / full)


def _full_energy(parent: NDArray[np.float64], child: NDArray[np.float64]) -> float:
    """Return the energy, in squared shares of records, if the child were a function of the parent.

    Large codes first, each gets the value with the most records left. The energy is infinite if
    hardly any code gets a value other than the most frequent one.
    """
    values = _give_values(parent, child)
    given = np.bincount(values, parent, len(child))
    rare = 1 - child.max()
    if np.minimum(given, child).sum() - child.max() < LEAST_GIVEN * rare:
        return math.inf
    return float(np.square(parent) @ (1 - 2 * child[values] + np.square(child).sum()))


def _give_values(parent: NDArray[np.float64], child: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give each code of the parent the value with the most records left, large codes first."""
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
    """Return whether values follow the order of the parent, and the energy of such a table.

    The margins then determine the whole table.
    """
    centres = np.arange(len(parent)) @ counts / np.maximum(child, 1e-9)
    order = np.argsort(centres, kind='stable')
    running = couple(parent, child[order])
    energy = float(np.square(running - np.outer(parent, child[order])).sum())
    total = float(counts.sum())
    if total <= 0:
        return False, energy
    if left_open(running) > MOST_OPEN * left_open(child[None]):
        return False, math.inf
    departs = float(np.square(counts[:, order] / total - running).sum())
    return departs <= _bound_noise(counts, scale) / total**2 + SLACK * energy, energy


def _find_energy(
    counts: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    scale: float,
) -> float:
    """Return the squared distance of counts from independent columns, beyond the noise."""
    departure = counts - np.outer(rows, columns) / rows.sum()
    return float(np.square(departure).sum() - _bound_noise(counts, scale))


def _bound_noise(counts: NDArray[np.float64], scale: float) -> float:
    """Return an upper bound of the squared noise of a table whose margins are known well."""
    free = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return float(scale**2 * (free + SURE * math.sqrt(2 * free)))
