"""Estimate probabilities of pairs from noisy counts.

A table of two columns is the product of its margins and a departure from it. The margins are known
well, from histograms of single columns. The departure is shrunk in two ways:

* by a prior of the size of departures and the similarity of neighbouring bins, fitted to all tables
  (:mod:`~sdv_threea.joint.departures`);
* by the probability that a bin is empty, fitted to all tables (nonparametric empirical Bayes:
  Kiefer and Wolfowitz 1956; Jiang and Zhang 2009). The prior alone would leave some mass to
  impossible pairs of values.

The whole module is post-processing.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.joint.departures import Axis, shrink_departures
from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.joint_constants import EMPTY, RATIOS, JointConstants
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.maths.mixtures import fit_frequencies
from sdv_threea.maths.simplex import project_to_simplex

#: The largest number of bins that the frequencies of ratios are fitted to. More would take memory
#: and gain nothing.
MOST_BINS = 2**18

#: Rounds of iterative proportional fitting to the margins.
RAKING_ROUNDS = 10

#: The least share of its expected count that every bin keeps: an unseen bin is not impossible.
LEAST_LEFT = 1e-6


def pool_margins(
    histograms: Sequence[tuple[Floats, Floats]], interactions: Interactions, num_records: float
) -> list[Floats]:
    """Return counts of the bins of each column, shape (G,), from its histogram and its interaction.

    ``histograms`` hold bin counts and their variances, shape (G,) each. The results are at least
    zero and sum to ``num_records``.
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
    interactions: Interactions, margins: Sequence[Floats], num_records: float
) -> PairCounts:
    """Return counts of all pairs: interactions plus margins; whole numbers if there is no noise."""
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
    margins: Sequence[Floats],
    expected: Mapping[Pair, Floats],
    ordered: Sequence[bool],
    constants: JointConstants,
) -> dict[Pair, Floats]:
    """Return the probabilities of each pair of columns, shape (G_i, G_j), with the given margins.

    ``margins`` are bin counts, shape (G,). ``expected`` are counts of all pairs that follow from
    other releases: released tables are shrunk toward them, and unreleased tables are replaced by
    them.
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


def find_filled(pairs: PairCounts, expected: Mapping[Pair, Floats]) -> dict[Pair, Floats]:
    """Return the probability that each bin is not empty, in the shapes of the tables.

    The frequencies of :data:`RATIOS` are fitted to the counts of all tables, and then to those of
    each table, with the common frequencies as one additional bin. If bins are many, a sample of
    them is used. ``pairs`` must have noise; ``expected`` are counts under independence.
    """

    def weigh(pair: Pair) -> Floats:
        logs = log_likelihoods(pairs.tables[pair], expected[pair], pairs.scales[pair])
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))

    step = 1 + sum(table.size for table in pairs.tables.values()) // MOST_BINS
    some = np.concatenate([weigh(pair)[::step] for pair in pairs.tables])
    common = fit_frequencies(some)
    chances = {}
    for pair in pairs.tables:
        own = weigh(pair)
        found = fit_frequencies(own, common, 1.0)
        empty = (own @ np.where(RATIOS <= EMPTY, found, 0.0)) / (own @ found)
        chances[pair] = 1 - empty.reshape(expected[pair].shape)
    return chances


def log_likelihoods(counts: Floats, expected: Floats, scale: float) -> Floats:
    """Return the log likelihood of each ratio by bin, up to a constant, shape (G_i G_j, V)."""
    off = (counts.ravel()[:, None] - expected.ravel()[:, None] * RATIOS) / scale
    return np.asarray(-np.square(off) / 2)


def rake(table: Floats, rows: Floats, columns: Floats, rounds: int = RAKING_ROUNDS) -> Floats:
    """Scale a table, shape (G_i, G_j), until it has the given margins (Deming and Stephan 1940)."""
    left, right = np.ones(len(rows)), np.ones(len(columns))
    for _ in range(rounds):
        left = _divide(rows, table @ right)
        right = _divide(columns, left @ table)
    return np.asarray(left[:, None] * table * right)


def couple(rows: Floats, columns: Floats) -> Floats:
    """Return the comonotone table of two margins, shape (G_i, G_j): equal quantiles go together."""
    ends = [np.append(0.0, np.cumsum(each)) for each in (rows, columns)]
    high = np.minimum(ends[0][1:, None], ends[1][1:])
    low = np.maximum(ends[0][:-1, None], ends[1][:-1])
    return np.asarray(np.maximum(high - low, 0.0))


def mutual_information(table: Floats) -> float:
    """Return the mutual information of two columns, in nats, from probabilities (G_i, G_j)."""
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    seen = (table > 0) & (independent > 0)
    return float((table[seen] * np.log(table[seen] / independent[seen])).sum())


def inform(size: int, tables: Mapping[Pair, Floats]) -> Floats:
    """Return the mutual information of pairs of columns, in nats, shape (size, size)."""
    information = np.zeros((size, size))
    for (i, j), table in tables.items():
        information[i, j] = information[j, i] = mutual_information(table)
    return information


def left_open(table: Floats) -> float:
    """Return the entropy of the second column of a table given the first, in nats."""
    sums = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape)
    seen = table > 0
    return -float((table[seen] * np.log(table[seen] / sums[seen])).sum() / table.sum())


def is_settled(table: Floats, settled: float) -> bool:
    """Return whether the first column leaves less than this share of the second one's entropy."""
    return left_open(table) < settled * left_open(table.sum(axis=0, keepdims=True))


def _find_noise_of_bins(pairs: PairCounts) -> dict[Pair, float]:
    found = {}
    for pair, table in pairs.tables.items():
        # A single bin has no interaction and so no noise, but a positive scale is needed.
        part = math.prod(1 - 1 / max(size, 1) for size in table.shape) or 1.0
        found[pair] = pairs.scales[pair] * math.sqrt(part)
    return found


def _divide(wanted: Floats, sums: Floats) -> Floats:
    return np.asarray(wanted / np.where(sums > 0, sums, np.inf))
