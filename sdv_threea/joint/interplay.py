"""Choose triples of columns to release, and estimate their distributions.

A triple is released if its release removes more error than its noise adds. Triples and pairs share
a budget, so fewer triples make all pairs less noisy. The table of a triple is the table that its
pairs imply, plus a shrunk departure. The whole module is post-processing.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import pdtr

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import HALF
from sdv_threea.joint.departures import Axis, shrink_departures
from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.joint_constants import EMPTY, TRIPLE_PARTS, JointConstants
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.triples import Triple

#: The mean of a normal's absolute value, in standard deviations.
MEAN_ABSOLUTE = math.sqrt(2 / math.pi)

#: For each pair of a triple's axes, the third axis and the pair.
AXES = ((2, (0, 1)), (1, (0, 2)), (0, (1, 2)))

#: Rounds of iterative proportional fitting to the pairs.
RAKING_ROUNDS = 10


@dataclass(frozen=True)
class Interplay:
    """Released interactions of triples, and their expectation: publishable.

    ``expected`` are counts that pairs imply, shape (A, B, C); ``merged`` has the coarser bins of
    each column's bins, shape (G,).
    """

    released: Interactions
    expected: Mapping[Triple, Floats]
    merged: tuple[Wholes, ...]
    ordered: tuple[bool, ...]

    def estimate(self, pairs: Mapping[Pair, Floats]) -> dict[Triple, Floats]:
        """Return probabilities of each triple, shape (A, B, C), that agree with the given pairs."""
        tables, scales, found = self.released.tables, self.released.scales, {}
        expected_of = {triple: own for triple, own in self.expected.items() if triple in tables}
        departures = {triple: tables[triple] - own for triple, own in expected_of.items()}
        noise = {triple: scales[triple] for triple in departures}
        num_records = max((float(own.sum()) for own in expected_of.values()), default=0.0)
        shrunk = shrink_departures(departures, noise, self._list_axes(), num_records)
        for triple, expected in expected_of.items():
            scale, departure = scales[triple], shrunk[triple]
            pairs_of = self._list_pairs(triple, pairs)
            total = expected.sum()
            table = _add_pairs((expected + departure) / total, pairs_of)
            # Raking cannot refill an empty bin, so bins that pairs allow must not become empty.
            least = EMPTY * (expected + expected.mean()) / total * bool(scale)
            table = np.maximum(table, least)
            raked = _rake(table[None] / table.sum(), [(at, own[None]) for at, own in pairs_of])
            found[triple] = raked[0]
        return found

    def _list_axes(self) -> list[Axis]:
        """Return the shares of the coarser bins of all columns; equal ones outside of triples."""
        shares = [np.ones(int(own.max()) + 1) for own in self.merged]
        for triple, table in self.expected.items():
            for axis, column in enumerate(triple):
                others = tuple(other for other in range(len(triple)) if other != axis)
                shares[column] = table.sum(axis=others)
        columns = zip(shares, self.ordered, strict=True)
        return [Axis(own / own.sum(), in_order) for own, in_order in columns]

    def _list_pairs(self, triple: Triple, pairs: Mapping[Pair, Floats]) -> list[tuple[int, Floats]]:
        known = []
        for axis, both in AXES:
            i, j = (triple[at] for at in both)
            if (i, j) in pairs:
                wanted = merge_table(pairs[i, j], self.merged[i], self.merged[j])
                known.append((axis, wanted / wanted.sum()))
        return known


def expect_triples(
    pairs: Mapping[Pair, Floats],
    merged: Sequence[Wholes],
    triples: Sequence[Triple],
    num_records: float,
) -> dict[Triple, Floats]:
    """Return the counts of triples that their pairs imply, by maximum entropy, (A, B, C)."""
    wanted = {pair for triple in triples for pair in combinations(triple, 2)}
    coarse = {(i, j): merge_table(pairs[i, j], merged[i], merged[j]) for i, j in wanted}
    sizes = [int(own.max(initial=-1)) + 1 for own in merged]
    alike: dict[tuple[int, ...], list[Triple]] = {}
    for triple in triples:
        alike.setdefault(tuple(sizes[at] for at in triple), []).append(triple)
    found: dict[Triple, Floats] = {}
    for shape, several in alike.items():
        known = [
            (axis, np.stack([coarse[triple[i], triple[j]] for triple in several]))
            for axis, (i, j) in AXES
        ]
        tables = _rake(np.ones((len(several), *shape)), known)
        found |= zip(several, num_records * tables, strict=True)
    return {triple: found[triple] for triple in triples}


def exceed_chance(distances: Floats, expected: Mapping[Triple, Floats]) -> Floats:
    """Return L1 distances from rounded expected counts minus their Poisson means, shape (T,)."""
    by_chance = []
    for table in expected.values():
        whole = np.rint(table)
        # E|X - k| = E X - k + 2 E(k - X)^+ of a Poisson number X.
        below = np.where(whole > 0, pdtr(np.maximum(whole - 1, 0), table), 0.0)
        short = whole * pdtr(whole, table) - table * below
        by_chance.append(float((table - whole + 2 * short).sum()))
    return np.asarray(distances - np.array(by_chance))


def needs_no_look(
    expected: Mapping[Triple, Floats], num_records: float, mu: float, constants: JointConstants
) -> bool:
    """Return whether all triples are counted at once, without releasing their distances first.

    The interaction of three flags is a single number, like their distance. So the distances are
    skipped if triples have hardly more directions on average, and if the noise of counting all
    triples is small compared with the departures that matter.
    """
    directions, sizes = _count_directions(expected.values())
    noise = math.sqrt((directions / sizes).sum() / HALF) / mu
    error = constants.noise_left * MEAN_ABSOLUTE * directions.mean() * noise
    few = directions.mean() <= constants.few_directions
    return bool(few and error < constants.look_slack * num_records)


def choose_triples(
    excess: Floats,
    expected: Mapping[Triple, Floats],
    pairs: Interactions,
    mu: float,
    constants: JointConstants,
) -> tuple[list[Triple], float]:
    """Return the triples to count, the best first, and the part of ``mu^2`` that they cost.

    Counting a triple removes its excess error, and adds noise that grows with the number of
    triples. The rest of the budget goes to pairs, which support all triples. ``excess`` is the
    distance of each triple beyond chance, in records, shape (T,).
    """
    triples = list(expected)
    # Pairs also support triples that are not examined.
    all_triples = math.comb(len({at for pair in pairs.pairs for at in pair}), 3)
    directions, sizes = _count_directions(expected.values())
    # The squared effect of a record on an interaction, relative to that on counts.
    moved = directions / sizes
    best: tuple[float, list[Triple], float] = (0.0, [], 0.0)
    for part in TRIPLE_PARTS:
        # The L1 error from noise, if a record moved all tables together by one.
        error = constants.noise_left * MEAN_ABSOLUTE * np.sqrt(directions * sizes)
        error /= mu * math.sqrt(part)
        alone = error * np.sqrt(moved) - excess
        order = np.argsort(alone, kind='stable')[: constants.most_triples]
        several = np.sqrt(np.cumsum(moved[order]))
        gains = np.cumsum(excess[order]) - np.cumsum(error[order]) * several
        last = int(gains.argmax())
        lost = constants.pair_worth * all_triples * _add_noise_of_pairs(pairs, mu, part)
        if gains[last] - lost > best[0]:
            chosen = [triples[at] for at in order[: last + 1]]
            best = float(gains[last] - lost), chosen, part
    return best[1:]


def merge_table(table: Floats, rows: Wholes, columns: Wholes) -> Floats:
    """Add up the bins of a table, shape (G_i, G_j), to coarser ones, shape (A, B)."""
    merged = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    np.add.at(merged, (rows[:, None], columns), table)
    return merged


def _count_directions(tables: Iterable[Floats]) -> tuple[Floats, Floats]:
    """Return the dimension of each table's interaction, and its number of bins, shape (T,) each."""
    shapes = [table.shape for table in tables]
    directions = [math.prod(max(size - 1, 0) for size in shape) for shape in shapes]
    sizes = [max(math.prod(shape), 1) for shape in shapes]
    return np.array(directions, dtype=np.float64), np.array(sizes, dtype=np.float64)


def _add_noise_of_pairs(pairs: Interactions, mu: float, part: float) -> float:
    """Return the extra error of a pair table if ``part`` of the budget goes to triples."""
    scales = np.array(list(pairs.scales.values()))
    if not scales.any():
        return 0.0
    directions, sizes = _count_directions(pairs.tables.values())
    # The price already paid, computed from the noise.
    paid = math.sqrt((directions / sizes / scales**2).sum())
    several = np.array([len(columns) > 1 for columns in pairs.tables])
    off = float((np.sqrt(directions * sizes) * scales)[several].mean())
    whole, less = (math.hypot(paid, mu * math.sqrt(own)) for own in (1.0, 1.0 - part))
    return off * (paid / less - paid / whole)


def _add_pairs(table: Floats, pairs: Sequence[tuple[int, Floats]]) -> Floats:
    for axis, wanted in pairs:
        missing = (wanted - table.sum(axis=axis)) / table.shape[axis]
        table = table + np.expand_dims(missing, axis)
    return table


def _rake(tables: Floats, pairs: Sequence[tuple[int, Floats]]) -> Floats:
    """Scale tables, (T, A, B, C), to the given pairs (Deming and Stephan 1940)."""
    for _ in range(RAKING_ROUNDS):
        for axis, wanted in pairs:
            sums = tables.sum(axis=axis + 1)
            tables = tables * np.expand_dims(wanted / np.maximum(sums, 1e-300), axis + 1)
    return np.asarray(tables / tables.sum(axis=(1, 2, 3), keepdims=True))
