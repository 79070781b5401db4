"""Release histograms of functional pairs, code by code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.joint.pair_bins import Pair, count_bins
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.contingency_tables import count_tables
from sdv_threea.rows.records import Encoded
from sdv_threea.statistics import registry


@dataclass(frozen=True)
class PairCounts:
    """Noisy counts of pairs, of codes or of bins, and their noise scales: publishable."""

    tables: dict[Pair, Floats]
    scales: dict[Pair, float]


def release_pair_counts(
    rows: Rows[Encoded],
    codes: Sequence[Wholes],
    weights: Mapping[Pair, int],
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[PairCounts, Receipt]:
    """Return noisy histograms of pairs of columns, and their receipt.

    ``codes`` give the place of each code's count by column, shape (S,); codes at -1 are not
    counted. A record adds the whole number ``weights`` of a pair to its count; at least one pair is
    needed.

    Formal guarantees: the pairs and codes are public or released, and so are the weights, which are
    whole numbers; a record adds the weight of a pair to at most one of its counts, as
    :func:`~sdv_threea.accounting.sensitivities.histogram_sensitivity` asks.
    """
    sizes = count_bins(codes)
    statistic = registry.FUNCTIONS.state(
        partial(count_tables, tuple(codes), tuple(sizes), weights),
        neighbors=neighbors,
        pairs=len(weights),
        codes=max(sizes),
        squared_weights=sum(weight**2 for weight in weights.values()),
    )
    noisy, receipt = release(rows, statistic, mu=mu, noise=noise)
    borders = np.cumsum([sizes[i] * sizes[j] for i, j in weights])[:-1]
    parts = zip(weights.items(), np.split(noisy, borders), strict=True)
    tables = {(i, j): part.reshape(sizes[i], sizes[j]) / weight for ((i, j), weight), part in parts}
    scales = {pair: receipt.noise_scale / weight for pair, weight in weights.items()}
    return PairCounts(tables, scales), receipt
