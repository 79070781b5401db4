"""What three columns say together beyond what their pairs say.

Which triples are worth counting follows from how far they are from what pairs say, and from the
noise of both: what is not spent on triples makes all pairs less noisy. The table of a triple is
what pairs say, and a departure from it, shrunk as those of pairs are.

All of it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import contrasts, shrink_values
from sdv_threea.joint.triples import Triple, TripleCounts, count_triple

#: The mean of a normal's absolute value, in standard deviations.
MEAN_ABSOLUTE = math.sqrt(2 / math.pi)

#: Parts of the price that triples may have.
PARTS = (0.15, 0.3, 0.5, 0.7)

#: Share of what is expected that every bin keeps where there is noise.
LEAST_LEFT = 0.01

#: Standard deviations by which a departure is longer than noise.
SURE = 3.0

#: Rounds in which tables are made to have their pairs.
RAKING_ROUNDS = 10


@dataclass(frozen=True)
class Interplay:
    """What is known of triples of columns: publishable.

    Args:
        counts: The released counts.
        expected: What pairs say of them: expected counts, shape (A, B, C).
        merged: For each column, the coarser bin of each of its bins, shape (G,).
    """

    counts: TripleCounts
    expected: Mapping[Triple, NDArray[np.float64]]
    merged: tuple[NDArray[np.int64], ...]

    def estimate(
        self, pairs: Mapping[Pair, NDArray[np.float64]]
    ) -> dict[Triple, NDArray[np.float64]]:
        """Estimate the distribution of each triple.

        Args:
            pairs: Probabilities of the bins of all pairs, shape (G_i, G_j).

        Returns:
            Probabilities by triple, shape (A, B, C), with these pairs.
        """
        found = {}
        for triple, counts in self.counts.tables.items():
            expected = self.expected[triple]
            departure = _shrink(counts - expected, self.counts.scale)
            # A bin that counts would make empty, and pairs would not, could not grow again.
            least = LEAST_LEFT * (expected + expected.mean()) * bool(self.counts.scale)
            found[triple] = self._rake(np.maximum(expected + departure, least), triple, pairs)
        return found

    def _rake(
        self,
        table: NDArray[np.float64],
        triple: Triple,
        pairs: Mapping[Pair, NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Give a table of three columns its pairs (Deming and Stephan 1940), shape (A, B, C)."""
        table = table / table.sum()
        known = []
        for axis, (i, j) in ((2, triple[:2]), (1, triple[::2]), (0, triple[1:])):
            if (i, j) in pairs:
                wanted = merge_table(pairs[i, j], self.merged[i], self.merged[j])
                known.append((axis, wanted / wanted.sum()))
        for _ in range(RAKING_ROUNDS):
            for axis, wanted in known:
                sums = table.sum(axis=axis)
                table = table * np.expand_dims(wanted / np.maximum(sums, 1e-300), axis)
        return np.asarray(table / table.sum())


def expect_triples(
    bins: Sequence[NDArray[np.int64]],
    merged: Sequence[NDArray[np.int64]],
    triples: Sequence[Triple],
    num_records: float,
) -> dict[Triple, NDArray[np.float64]]:
    """Say how many records to expect in each bin of three columns, by drawn ones.

    Args:
        bins: For each column, the bins of drawn records, shape (n,).
        merged: For each column, the coarser bin of each of its bins, shape (G,).
        triples: The triples.
        num_records: Number of private records.

    Returns:
        Expected counts by triple, shape (A, B, C).
    """
    places = [own[column] + 1 for own, column in zip(merged, bins, strict=True)]
    sizes = [int(own.max()) + 1 for own in merged]
    times = num_records / len(bins[0])
    return {
        triple: count_triple(places, triple, sizes).astype(np.float64) * times for triple in triples
    }


def exceed_chance(
    distances: NDArray[np.float64],
    expected: Mapping[Triple, NDArray[np.float64]],
    num_drawn: int,
) -> NDArray[np.float64]:
    """Say how much further counts are from what is expected than by chance, shape (T,).

    Args:
        distances: Released distances, in the order of the expected counts.
        expected: Expected counts by triple, shape (A, B, C).
        num_drawn: Number of drawn records that they are made of.
    """
    found = []
    for table in expected.values():
        times = table.sum() / num_drawn
        drawn = table / times
        # Bins that no drawn record is in have as many records as those that one is in would say
        # (Good 1953).
        unseen = min((drawn == 1).sum() / max((drawn == 0).sum(), 1), 1.0)
        likely = times * (drawn + unseen)
        # Both counts are left to chance: that of the records, and that of the drawn ones.
        by_chance = MEAN_ABSOLUTE * np.sqrt(likely * (1 + times))
        found.append(float(np.where(drawn > 0, by_chance, likely).sum()))
    return np.asarray(distances - np.array(found))


def choose_triples(
    excess: NDArray[np.float64],
    expected: Mapping[Triple, NDArray[np.float64]],
    pairs: PairCounts,
    mu: float,
    constants: JointConstants,
) -> tuple[list[Triple], float]:
    """Choose the triples that are counted, and the part of what is left that they cost.

    To count a triple mends what it is off by, but for the noise, which grows with the number of
    triples that are counted. The rest of what is left is for pairs, which all triples are made of.

    Args:
        excess: How much further off triples are than by chance, in records, shape (T,).
        expected: Expected counts by triple, shape (A, B, C).
        pairs: The counts of pairs that are released so far.
        mu: The price, in GDP, that is left.
        constants: The constants of the room.

    Returns:
        The triples, those that gain most first; and the part of ``mu^2``.
    """
    triples, tables = list(expected), list(expected.values())
    # Pairs serve those that are not looked at, too.
    all_triples = math.comb(len({at for pair in pairs.scales for at in pair}), 3)
    free = np.array([math.prod(size - 1 for size in table.shape) for table in tables])
    noisy = MEAN_ABSOLUTE * np.sqrt(free * [table.size for table in tables])
    best: tuple[float, list[Triple], float] = (0.0, [], 0.0)
    for part in PARTS:
        error = constants.noise_left * noisy / (mu * math.sqrt(part))
        order = np.argsort(error - excess, kind='stable')[: constants.most_triples]
        several = np.sqrt(np.arange(1, len(order) + 1))
        gains = np.cumsum(excess[order]) - np.cumsum(error[order]) * several
        last = int(gains.argmax())
        lost = constants.pair_worth * all_triples * _add_noise_of_pairs(pairs, mu, part)
        if gains[last] - lost > best[0]:
            chosen = [triples[at] for at in order[: last + 1]]
            best = float(gains[last] - lost), chosen, part
    return best[1:]


def merge_table(
    table: NDArray[np.float64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Add the bins of a table, shape (G_i, G_j), up to coarser ones, shape (A, B)."""
    merged = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    np.add.at(merged, (rows[:, None], columns), table)
    return merged


def _add_noise_of_pairs(pairs: PairCounts, mu: float, part: float) -> float:
    """Say by how many records a table of pairs is off more if a part of the price is not theirs."""
    scale = float(np.mean(list(pairs.scales.values())))
    if not scale:
        return 0.0
    size = float(np.mean([table.size for table in pairs.tables.values()]))
    unit = math.sqrt(len(pairs.scales))
    whole, less = (math.hypot(unit / scale, mu * math.sqrt(own)) for own in (1.0, 1.0 - part))
    return size * (unit / less - unit / whole)


def _shrink(departure: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Shrink a departure from what pairs say, shape (A, B, C), as far as it may be noise.

    What pairs say of it is left to pairs. The rest is none, if it is not clearly longer than noise.
    Else it is shrunk as the departure of a table of two columns is, of which one is the column with
    most bins, and the other one the two others together.
    """
    if not scale:
        return departure
    bases = [contrasts(size) for size in departure.shape]
    free = np.einsum('abc,ai,bj,ck->ijk', departure, *bases, optimize=True)
    noise = free.size + SURE * math.sqrt(2 * free.size)
    if np.square(free / scale).sum() < noise:
        return np.zeros_like(departure)
    longest = int(np.argmax(free.shape))
    first = np.moveaxis(free, longest, 0)
    kept = shrink_values(first.reshape(len(first), -1), scale).reshape(first.shape)
    kept = np.moveaxis(kept, 0, longest)
    return np.asarray(np.einsum('ijk,ai,bj,ck->abc', kept, *bases, optimize=True))
