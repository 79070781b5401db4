"""Columns whose values are missing together: who has no occupation has no class of work either.

Noise leaves some records to every cell of a pair's table, so in some records one value would be
missing alone. In one pair of columns in three, though, one value is never missing without the other
one (real tables of people, surveys and payments). So the missing values of a column are *bound* to
those of another column, or free: then any number of records may lack both. The share of bound
columns is fitted to all pairs (empirical Bayes). The whole module is post-processing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtr

from sdv_threea.arrays import Bools, Floats
from sdv_threea.joint.pair_bins import Pair
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import LEAST_LEFT, rake

#: Rounds of expectation maximisation.
ROUNDS = 20

#: Ranges of possible numbers, which are divisors, are wider by this part of the noise at both ends.
NARROW = 0.01


def bind_missing(
    tables: Mapping[Pair, Floats],
    pairs: PairCounts,
    margins: Sequence[Floats],
    missing: Sequence[int],
    doubt: float,
) -> dict[Pair, Floats]:
    """Return tables of pairs of columns in which no bound value is missing alone.

    ``tables`` are probabilities, shape (G_i, G_j), estimated from the noisy counts in ``pairs``.
    ``margins`` are counts of bins, whose noise is at most ``doubt``. ``missing`` is the bin of the
    missing value of each column, -1 for none.
    """
    lacking = [
        pair for pair in pairs.tables if pairs.scales[pair] and min(missing[at] for at in pair) >= 0
    ]
    counts = np.array([pairs.tables[i, j][missing[i], missing[j]] for i, j in lacking])
    own = np.array([[margins[at][missing[at]] for at in pair] for pair in lacking])
    noise = np.hypot([pairs.scales[pair] for pair in lacking], doubt)
    total, found = float(margins[0].sum()), dict(tables)
    bound = find_bound(counts, own.reshape(-1, 2), total, noise)
    for (i, j), (first, second) in zip(lacking, bound.tolist(), strict=True):
        if first or second:
            table, rows, columns = tables[i, j].copy(), missing[i], missing[j]
            table[rows, np.arange(table.shape[1]) != columns] *= LEAST_LEFT if first else 1.0
            table[np.arange(len(table)) != rows, columns] *= LEAST_LEFT if second else 1.0
            found[i, j] = rake(table, margins[i], margins[j]) / total
    return found


def find_bound(counts: Floats, own: Floats, total: float, noise: Floats) -> Bools:
    """Return whether either column of each pair is likely to be bound to the other, (P, 2).

    ``counts``, shape (P,), are records that lack both values, with this ``noise``; ``own``, shape
    (P, 2), are those that lack the one or the other value. If values are free, each possible number
    of records that lack both is equally likely.
    """
    low = np.maximum(own.sum(axis=1) - total, 0.0) - NARROW * noise
    high = own.min(axis=1) + NARROW * noise
    away = (counts[:, None] - own) / noise[:, None]
    if_bound = np.exp(-np.square(away) / 2) / np.sqrt(2 * np.pi)
    inside = ndtr((high - counts) / noise) - ndtr((low - counts) / noise)
    if_free = (inside / (high - low) * noise)[:, None]
    share, chances = 0.5, np.full(own.shape, 0.5)
    for _ in range(ROUNDS):
        bound = share * if_bound
        chances = bound / np.maximum(bound + (1 - share) * if_free, np.finfo(float).tiny)
        share = float((chances.sum() + 0.5) / (chances.size + 1))
    return np.asarray(chances > 0.5)
