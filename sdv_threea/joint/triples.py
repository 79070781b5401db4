"""The release of triples: how far three columns are from what their pairs say, and their counts.

The pairs of three columns say how many records to expect in each bin of the three, if they say all.
How far the private records are from that is one number for each triple, so a look at hundreds of
them costs little. Of those that are worth it (:mod:`~sdv_threea.joint.interplay`)
interactions are released then.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.encoding.records import Encoded
from sdv_threea.joint.bins import Pair, count_bins
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.interactions import count_together, find_places
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import (
    distance_sensitivity,
    sum_distances,
)
from sdv_threea.privacy.sums import Statistic, release, take

#: Three columns, in ascending order. The class is the last column, if it is one.
Triple = tuple[int, int, int]


def num_triple_bins(num_records: float, mu: float, constants: JointConstants) -> int:
    """Choose how many bins of a column triples are counted in: none if noise would drown them.

    As with pairs, a bin of three columns should hold some times the noise, if a few triples are
    counted; and a record.

    Args:
        num_records: Number of records, as released: it may be less than none.
        mu: The price, in GDP, at which they would be counted.
        constants: The constants of the room.
    """
    if not mu:
        return 0
    held = constants.triple_records * math.sqrt(constants.few_triples) / mu
    cells = max(num_records, 0.0) / max(held, 1.0)
    # Rounded down, the root of a cube would be one less.
    carried = int(min(cells ** (1 / 3) + 1e-9, constants.most_triple_bins))
    return carried if carried >= constants.least_triple_bins else 0


def list_triples(
    information: NDArray[np.float64], tied: Collection[Pair], settled: Collection[int], most: int
) -> list[Triple]:
    """List the triples that are looked at: those whose pairs tell most.

    Args:
        information: What pairs of columns say of each other, symmetric, shape (m, m).
        tied: Pairs of which one follows from the other. A triple with both says what a pair says.
        settled: Columns that follow from one other, and take no heed of the rest.
        most: How many, at most.
    """
    free = [at for at in range(len(information)) if at not in settled]
    rated = [
        (-(information[i, j] + information[i, k] + information[j, k]), (i, j, k))
        for i, j, k in combinations(free, 3)
        if not {(i, j), (i, k), (j, k)} & set(tied)
    ]
    return [triple for _, triple in sorted(rated)[:most]]


def merge_bins(shares: NDArray[np.float64], num_bins: int, *, ordered: bool) -> NDArray[np.int64]:
    """Merge the bins of a column into fewer.

    Args:
        shares: Probabilities of the bins, shape (G,).
        num_bins: How many there are to be, at most.
        ordered: Whether their order means something: then neighbours share a bin, such that bins
            have about the same mass. Else the most frequent ones have their own, and the rest one.

    Returns:
        The coarser bin of each bin, shape (G,).
    """
    if len(shares) <= num_bins:
        return np.arange(len(shares))
    if ordered:
        middle = (np.cumsum(shares) - shares / 2) / shares.sum()
        merged = np.minimum((middle * num_bins).astype(np.int64), num_bins - 1)
    else:
        ranks = np.argsort(np.argsort(-shares, kind='stable'))
        merged = np.minimum(ranks, num_bins - 1)
    return np.asarray(np.unique(merged, return_inverse=True)[1])


def release_distances(
    rows: Rows[Encoded],
    bins: Sequence[NDArray[np.int64]],
    expected: Mapping[Triple, NDArray[np.float64]],
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[tuple[NDArray[np.float64], float], Receipt]:
    """Release how far the counts of triples are from what is expected, added up over their bins.

    Formal guarantees:
        * the triples, bins and expected counts are public or released; a record counts in at most
          one bin of a triple, as :func:`~sdv_threea.privacy.statistics.distance_sensitivity` asks

    Args:
        rows: Private records.
        bins: For each column, the bin of each code, shape (S,); codes in bin -1 are not counted.
            Beyond the columns of records there may be one more: the class.
        expected: Expected counts by triple, at least one, shape (A, B, C).
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The distances, shape (number of triples,), and the standard deviation of their noise; and
        their receipt.
    """
    whole = [np.rint(table).astype(np.int64).ravel() for table in expected.values()]
    sizes = [len(each) for each in whole]
    statistic = Statistic(
        'approximate',
        f'distances of {len(whole)} triples of columns from what pairs say',
        partial(_count_triples, tuple(bins), tuple(expected)),
        distance_sensitivity(len(whole), neighbors),
        finish=partial(sum_distances, expected=np.concatenate(whole), sizes=sizes),
    )
    noisy, receipt = release(*take(rows, statistic), mu=mu, noise=noise)
    return (noisy, receipt.noise_scale), receipt


def _count_triples(
    bins: tuple[NDArray[np.int64], ...], triples: tuple[Triple, ...], chunk: Encoded
) -> NDArray[np.int64]:
    """Count the bins of triples, one after the other."""
    places, sizes = find_places(bins, chunk), count_bins(bins)
    counts = [count_together(places, triple, sizes).ravel() for triple in triples]
    return np.concatenate(counts).astype(np.int64)
