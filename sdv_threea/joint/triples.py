"""Release the distances of triples of columns from the tables that their pairs imply.

Pairs imply expected counts in each bin of three columns. The distance of private counts from
expected ones is one number per triple, so hundreds of distances cost little. They determine which
triples interactions are released (:mod:`~sdv_threea.joint.interplay`).
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pair_bins import Pair, count_bins
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.contingency_tables import count_tables
from sdv_threea.rows.records import Encoded
from sdv_threea.rows.statistics import (
    sum_distances,
)
from sdv_threea.statistics import registry

#: The largest number of triples whose distances are released: a limit of time.
MOST_LOOKS = 500

#: Three columns, in ascending order. The class, if present, is the last column.
Triple = tuple[int, int, int]


def num_triple_bins(num_records: float, mu: float, constants: JointConstants) -> int:
    """Return how many bins a column has in triples; 0 if noise exceeds the counts.

    A bin of three columns should hold several times the noise of a few triples, and at least one
    record. The released ``num_records`` may be negative.
    """
    if not mu:
        return 0
    held = constants.triple_records / mu
    cells = max(num_records, 0.0) / max(held, 1.0)
    # Floating-point roots of cubes may be just below a whole number.
    carried = int(min(cells, constants.most_bins**2) ** (1 / 3) + 1e-9)
    return carried if carried >= constants.least_bins else 0


def list_triples(
    information: Floats, tied: Collection[Pair], settled: Collection[int], most: int
) -> list[Triple]:
    """Return the ``most`` triples of the largest mutual information, without ``tied`` pairs."""
    free = [at for at in range(len(information)) if at not in settled]
    rated = [
        (-(information[i, j] + information[i, k] + information[j, k]), (i, j, k))
        for i, j, k in combinations(free, 3)
        if not {(i, j), (i, k), (j, k)} & set(tied)
    ]
    return [triple for _, triple in sorted(rated)[:most]]


def merge_bins(shares: Floats, num_bins: int, *, ordered: bool) -> Wholes:
    """Return the coarser bin of each bin, shape (G,), for at most ``num_bins`` coarser bins.

    Ordered neighbours are merged to about equal mass. Otherwise the most frequent bins stay, and
    the rest share one.
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
    bins: Sequence[Wholes],
    expected: Mapping[Triple, Floats],
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[tuple[Floats, float], Receipt]:
    """Return noisy L1 distances of triples from expected counts, their noise scale, and a receipt.

    ``bins`` give the bin of each code by column, shape (S,); codes in bin -1 are not counted. The
    class may be one more entry of ``bins``, the last. ``expected`` holds counts of at least one
    triple, shape (A, B, C).

    Formal guarantees: the triples, bins and expected counts are public or released; a record counts
    in at most one bin of a triple, as
    :func:`~sdv_threea.accounting.sensitivities.distance_sensitivity` asks.
    """
    whole = [np.rint(table).astype(np.int64).ravel() for table in expected.values()]
    sizes = [len(each) for each in whole]
    statistic = registry.DISTANCES.state(
        partial(count_tables, tuple(bins), tuple(count_bins(bins)), dict.fromkeys(expected, 1)),
        neighbors=neighbors,
        triples=len(whole),
        finish=partial(sum_distances, expected=np.concatenate(whole), sizes=sizes),
    )
    noisy, receipt = release(rows, statistic, mu=mu, noise=noise)
    return (noisy, receipt.noise_scale), receipt
