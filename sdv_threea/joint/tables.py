r"""Noisy counts of pairs to probabilities: what stands out of the noise, and no more.

A table of two columns is its margins' product and a departure from it. The margins are known well,
from histograms of single columns. The departure is shrunk twice:

* as far as noise may explain it: how far tables depart, and how alike neighbouring bins are, is
  read off all tables together (:mod:`~sdv_threea.joint.departures`);
* bins that are empty, as far as their counts say so. How many there are is read off the counts of
  all tables (nonparametric empirical Bayes: Kiefer and Wolfowitz 1956; Jiang and Zhang 2009). Pairs
  of values that cannot occur together are worth this: shrinkage alone would leave them some mass.

All of it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.departures import Axis, shrink_departures
from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.maths.simplex import project_to_simplex

#: Candidates for the count of a bin in units of what independent columns would have.
RATIOS = np.append(0.0, np.geomspace(1 / 64, 64, 25))

#: A bin with less than this ratio counts as empty.
EMPTY = 1 / 40

#: Bins that the frequencies of the ratios are fitted to: more would take memory and gain nothing.
MOST_BINS = 2**18

#: Rounds of expectation maximisation for the frequencies of the ratios.
RATIO_ROUNDS = 25

#: Rounds in which tables are made to have their margins.
RAKING_ROUNDS = 10

#: Share of what is expected that every bin keeps: what was not seen is not impossible.
LEAST_LEFT = 1e-6


def pool_margins(
    histograms: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    interactions: Interactions,
    num_records: float,
) -> list[NDArray[np.float64]]:
    """Count the bins of each column, from its histogram and from its own interaction, if released.

    Args:
        histograms: For each column, counts of its bins and their variances, shape (G,) each.
        interactions: The released interactions.
        num_records: Number of records.

    Returns:
        Counts, for each column of shape (G,): at least zero, and all records together.
    """
    margins = []
    for at, (counts, variances) in enumerate(histograms):
        weights = 1 / np.maximum(variances, 1e-12)
        variance = interactions.scales.get((at,), 0.0) ** 2
        if variance:
            again = interactions.tables[at,] + num_records / len(counts)
            counts = (counts * weights + again / variance) / (weights + 1 / variance)
        every = np.ones(len(counts), dtype=np.bool_)
        margins.append(project_to_simplex(counts, every, num_records))
    return margins


def complete(
    interactions: Interactions, margins: Sequence[NDArray[np.float64]], num_records: float
) -> PairCounts:
    """Give the interactions of pairs their margins, so that they are counts.

    Args:
        interactions: The released interactions.
        margins: Counts of the bins of each column, shape (G,).
        num_records: Number of records.

    Returns:
        Noisy counts of all pairs, whole numbers where there is no noise.
    """
    tables = {}
    for i, j in interactions.pairs:
        found = interactions.tables[i, j]
        rows, columns = found.shape
        means = margins[i][:, None] / max(columns, 1) + margins[j] / max(rows, 1)
        counts = found + means - num_records / max(found.size, 1)
        tables[i, j] = counts if interactions.scales[i, j] else np.rint(counts)
    return PairCounts(tables, {pair: interactions.scales[pair] for pair in tables})


def estimate_tables(
    pairs: PairCounts,
    margins: Sequence[NDArray[np.float64]],
    expected: Mapping[Pair, NDArray[np.float64]],
    ordered: Sequence[bool],
    constants: JointConstants,
) -> dict[Pair, NDArray[np.float64]]:
    """Estimate the distribution of each pair of columns.

    Args:
        pairs: The released tables.
        margins: Counts of the bins of each column, shape (G,).
        expected: Counts of all pairs as far as they are known from elsewhere. Tables are shrunk
            toward them, and they stand for those that are not released.
        ordered: For each column, whether the order of its bins means something.
        constants: The constants of the room.

    Returns:
        Probabilities by pair, shape (G_i, G_j) each, with these margins.
    """
    independent = {(i, j): np.outer(margins[i], margins[j]) / margins[i].sum() for i, j in expected}
    expected = {
        (i, j): rake(table + LEAST_LEFT * independent[i, j], margins[i], margins[j])
        for (i, j), table in expected.items()
    }
    if not any(pairs.scales.values()):
        counted = {pair: np.maximum(table, 0.0) for pair, table in pairs.tables.items()}
    else:
        filled = find_filled(PairCounts(pairs.tables, _find_noise_of_bins(pairs)), independent)
        columns = zip(margins, ordered, strict=True)
        axes = [Axis(own / own.sum(), in_order) for own, in_order in columns]
        departures = {pair: table - expected[pair] for pair, table in pairs.tables.items()}
        shrunk = shrink_departures(departures, pairs.scales, axes, float(margins[0].sum()))
        counted = {
            pair: np.maximum(expected[pair] + departure, 0.0) * filled[pair] ** constants.emptiness
            for pair, departure in shrunk.items()
        }
    return {
        (i, j): rake(table + LEAST_LEFT * independent[i, j], margins[i], margins[j])
        / margins[i].sum()
        for (i, j), table in {**expected, **counted}.items()
    }


def find_filled(
    pairs: PairCounts, expected: Mapping[Pair, NDArray[np.float64]]
) -> dict[Pair, NDArray[np.float64]]:
    """Find the chance that each bin is not empty.

    The frequencies of :data:`RATIOS` are fitted to the counts of all tables, and then to those of
    each table, where the frequencies of all count as one more bin. Of many bins some will do.

    Args:
        pairs: The released tables, with noise.
        expected: Counts of independent columns, by pair.

    Returns:
        Chances by pair, each of the shape of its table.
    """

    def weigh(pair: Pair) -> NDArray[np.float64]:
        return _likelihoods(pairs.tables[pair], expected[pair], pairs.scales[pair])

    step = 1 + sum(table.size for table in pairs.tables.values()) // MOST_BINS
    some = np.concatenate([weigh(pair)[::step] for pair in pairs.tables])
    common = _frequencies(some, np.full(len(RATIOS), 1 / len(RATIOS)), 0.0)
    chances = {}
    for pair in pairs.tables:
        own = weigh(pair)
        found = _frequencies(own, common, 1.0)
        empty = (own @ np.where(RATIOS <= EMPTY, found, 0.0)) / (own @ found)
        chances[pair] = 1 - empty.reshape(expected[pair].shape)
    return chances


def rake(
    table: NDArray[np.float64],
    rows: NDArray[np.float64],
    columns: NDArray[np.float64],
    rounds: int = RAKING_ROUNDS,
) -> NDArray[np.float64]:
    """Give a table its margins (Deming and Stephan 1940), shape (G_i, G_j)."""
    left, right = np.ones(len(rows)), np.ones(len(columns))
    for _ in range(rounds):
        left = _divide(rows, table @ right)
        right = _divide(columns, left @ table)
    return np.asarray(left[:, None] * table * right)


def couple(rows: NDArray[np.float64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let quantiles of two margins meet, shape (G_i, G_j)."""
    ends = [np.append(0.0, np.cumsum(each)) for each in (rows, columns)]
    high = np.minimum(ends[0][1:, None], ends[1][1:])
    low = np.maximum(ends[0][:-1, None], ends[1][:-1])
    return np.asarray(np.maximum(high - low, 0.0))


def mutual_information(table: NDArray[np.float64]) -> float:
    """Compute what two columns say of each other, in nats, of probabilities (G_i, G_j)."""
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    seen = (table > 0) & (independent > 0)
    return float((table[seen] * np.log(table[seen] / independent[seen])).sum())


def inform(size: int, tables: Mapping[Pair, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Compute what pairs of columns say of each other, in nats, shape (size, size)."""
    information = np.zeros((size, size))
    for (i, j), table in tables.items():
        information[i, j] = information[j, i] = mutual_information(table)
    return information


def left_open(table: NDArray[np.float64]) -> float:
    """Compute the entropy of the second column of a table given the first, in nats."""
    sums = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape)
    seen = table > 0
    return -float((table[seen] * np.log(table[seen] / sums[seen])).sum() / table.sum())


def is_settled(table: NDArray[np.float64], settled: float) -> bool:
    """Return whether the second column of a table follows from the first."""
    return left_open(table) < settled * left_open(table.sum(axis=0, keepdims=True))


def _find_noise_of_bins(pairs: PairCounts) -> dict[Pair, float]:
    """Find the noise of a count of each pair, if that of margins is none."""
    found = {}
    for pair, table in pairs.tables.items():
        # Of a single bin there is no interaction, so no noise; but some is asked for.
        part = math.prod(1 - 1 / max(size, 1) for size in table.shape) or 1.0
        found[pair] = pairs.scales[pair] * math.sqrt(part)
    return found


def _divide(wanted: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide what is wanted by sums; what has none gets none."""
    return np.asarray(wanted / np.where(sums > 0, sums, np.inf))


def _likelihoods(
    counts: NDArray[np.float64], expected: NDArray[np.float64], scale: float
) -> NDArray[np.float64]:
    """Likelihood of each ratio by bin, up to a factor, shape (G_i G_j, V)."""
    off = (counts.ravel()[:, None] - expected.ravel()[:, None] * RATIOS) / scale
    logs = -np.square(off) / 2
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def _frequencies(
    likelihoods: NDArray[np.float64], prior: NDArray[np.float64], weight: float
) -> NDArray[np.float64]:
    """Fit the frequencies of the ratios, shape (V,), with a prior that counts as some bins."""
    found = prior
    for _ in range(RATIO_ROUNDS):
        # What each bin adds to a ratio is the chance that it has this one.
        added = found * ((1 / (likelihoods @ found)) @ likelihoods)
        found = (added + weight * prior) / (len(likelihoods) + weight)
    return found
