r"""Release interactions: the part of joint counts that tables of fewer columns do not explain.

The *interaction* of a table is its counts minus the means along each column. Tables of all pairs
repeat the margins of each column, so each column is counted once, and pairs and triples are
released as interactions only. A record moves an interaction less than counts: half as far in a
table of two by two bins, and about a third as far in one of two by two by two.

With ``e`` the indicator of a record's bin among ``G``, the record adds, in whole numbers,

    w (G_1 e_1 - 1) \otimes (G_2 e_2 - 1) \otimes ...

to the sums of a table. These are ``w G_1 G_2 ...`` times the interaction, and are the residuals of
Xiao, He, Zhang, Kifer (2023, *An Optimal and Scalable Matrix Mechanism for Noisy Marginals under
Convex Loss Functions*), the optimal queries for all marginals together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.joint_constants import POWER
from sdv_threea.joint.pair_bins import Pair, count_bins
from sdv_threea.maths.shrinkage import precision_weight
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.contingency_tables import Columns, sum_contrasts
from sdv_threea.rows.records import Encoded
from sdv_threea.statistics import registry

#: The smallest weight of a table. Weights are rounded to whole numbers, which would change smaller
#: weights too much.
LEAST_WEIGHT = 8

#: Names of one, two or three columns on receipts.
NAMES = {1: 'columns', 2: 'pairs of columns', 3: 'triples of columns'}


@dataclass(frozen=True)
class Interactions:
    """Noisy interactions, in records: publishable.

    ``tables`` have the shape (G_1,), (G_1, G_2) or (G_1, G_2, G_3), and sums of zero along any
    axis; ``scales`` are noise scales along any possible direction.
    """

    tables: dict[Columns, Floats]
    scales: dict[Columns, float]

    @property
    def pairs(self) -> list[Pair]:
        """The pairs of columns among the released sets."""
        return [(columns[0], columns[1]) for columns in self.tables if len(columns) == 2]

    def average(self, other: Interactions) -> Interactions:
        """Return the precision-weighted mean of two releases of the same interactions."""
        tables, scales = {}, {}
        for columns, scale in self.scales.items():
            weight = precision_weight(scale, other.scales[columns])
            tables[columns] = weight * self.tables[columns] + (1 - weight) * other.tables[columns]
            scales[columns] = scale * math.sqrt(weight)
        return Interactions(tables, scales)


def release_interactions(
    rows: Rows[Encoded],
    bins: Sequence[Wholes],
    weights: Mapping[Columns, int],
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Interactions, Receipt]:
    """Return noisy interactions of columns, and their receipt.

    ``bins`` give the bin of each code by column, shape (S,); codes in bin -1 are not counted. The
    class may be one more entry of ``bins``, the last. ``weights`` are whole numbers of at least
    one, for at least one table.

    Formal guarantees: the columns, bins and weights are public or released; a record adds to the
    sums of each set of columns a product of contrasts times a whole number, or nothing if one of
    the columns has no bin for it, as
    :func:`~sdv_threea.accounting.sensitivities.interaction_sensitivity` asks.
    """
    sizes = count_bins(bins)
    shapes = [tuple(sizes[at] for at in columns) for columns in weights]
    kind = registry.TRIPLES if min(map(len, weights)) == 3 else registry.PAIRS
    statistic = kind.state(
        partial(sum_contrasts, tuple(bins), tuple(sizes), weights),
        neighbors=neighbors,
        tables=_name(weights),
        bins=max(sizes),
        shapes=shapes,
        weights=list(weights.values()),
    )
    noisy, receipt = release(rows, statistic, mu=mu, noise=noise)
    parts = np.split(noisy, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    tables, scales = {}, {}
    for (columns, weight), shape, part in zip(weights.items(), shapes, parts, strict=True):
        unit = weight * max(math.prod(shape), 1)
        tables[columns] = _centre(part.reshape(shape) / unit)
        scales[columns] = receipt.noise_scale / unit
    return Interactions(tables, scales), receipt


def weigh_pairs(
    sizes: Sequence[int], wanted: Sequence[Pair], stress: Sequence[float] = ()
) -> dict[Columns, int]:
    """Return weights of pairs and of their columns, as :func:`release_interactions` takes them.

    Noise masks more of a small table than of a large one, so smaller tables weigh more. A column in
    ``k`` pairs is a margin of each. If all columns have ``G`` bins, the total variance of all
    tables is least if each column has ``sqrt(k) / G`` of the precision of a pair. ``stress``
    multiplies the weights of each column's pairs.
    """
    areas = {pair: max(sizes[pair[0]] * sizes[pair[1]], 1) for pair in wanted}
    weights: dict[Columns, float] = {pair: area**-POWER for pair, area in areas.items()}
    typical = float(np.mean(list(weights.values())))
    together = [at for pair in wanted for at in pair]
    for at in sorted(set(together)):
        precision = math.sqrt(together.count(at)) / max(sizes[at], 1)
        weights[at,] = typical * math.sqrt(precision)
    for i, j in wanted if stress else ():
        weights[i, j] *= max(stress[i], stress[j])
    return round_weights(sizes, weights)


def round_weights(sizes: Sequence[int], weights: Mapping[Columns, float]) -> dict[Columns, int]:
    """Return whole-number weights, proportional to wanted weights: one over noise scales."""
    # Contrasts grow with the number of bins.
    each = {
        columns: own / max(math.prod(sizes[at] for at in columns), 1)
        for columns, own in weights.items()
    }
    least = min(each.values())
    return {columns: round(LEAST_WEIGHT * own / least) for columns, own in each.items()}


@lru_cache(maxsize=128)
def contrasts(size: int) -> Floats:
    """Return an orthonormal basis of the vectors that sum to zero, shape (size, size - 1)."""
    start = np.concatenate([np.ones((size, 1)), np.eye(size)[:, : size - 1]], axis=1)
    return np.asarray(np.linalg.qr(start)[0][:, 1:])


def _centre(table: Floats) -> Floats:
    """Subtract the means along each axis, which are noise: an interaction has none."""
    for axis, size in enumerate(table.shape):
        table = table - table.sum(axis=axis, keepdims=True) / max(size, 1)
    return table


def _name(weights: Mapping[Columns, int]) -> str:
    orders = [len(columns) for columns in weights]
    return ' and '.join(f'{orders.count(order)} {NAMES[order]}' for order in sorted(set(orders)))
