"""The release of pairs: a histogram of each pair of columns, in coarse bins or code by code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.encoding.records import Encoded
from sdv_threea.joint.bins import Pair, count_bins
from sdv_threea.privacy.mechanism import Noise, add_noise
from sdv_threea.privacy.rows import Rows
from sdv_threea.privacy.statistics import histogram_sensitivity

#: Weights are multiples of one over this, and fall with this power of the number of bins.
WEIGHT_UNIT, POWER = 8, 1 / 6


@dataclass(frozen=True)
class PairCounts:
    """Released counts of pairs of columns: publishable.

    Args:
        tables: Noisy counts by pair ``(i, j)``, ``i < j``, each of shape (G_i, G_j).
        scales: Standard deviation of the noise of a count, by pair.
    """

    tables: dict[Pair, NDArray[np.float64]]
    scales: dict[Pair, float]

    def average(self, other: PairCounts) -> PairCounts:
        """Average with another release of the same counts, by precision."""
        if not any(self.scales.values()):
            return self
        tables, scales = {}, {}
        for pair, scale in self.scales.items():
            weight = other.scales[pair] ** 2 / (scale**2 + other.scales[pair] ** 2)
            tables[pair] = weight * self.tables[pair] + (1 - weight) * other.tables[pair]
            scales[pair] = scale * math.sqrt(weight)
        return PairCounts(tables, scales)


def release_pair_counts(  # noqa: PLR0913 (what is counted, and the price)
    rows: Rows[Encoded],
    bins: Sequence[NDArray[np.int64]],
    weights: Mapping[Pair, int],
    cells: str = 'bins',
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[PairCounts, Receipt]:
    """Release the histograms of pairs of columns.

    Formal guarantees:
        * the pairs and bins are public or released, and so are the weights, which are whole
          numbers; a record adds the weight of a pair to at most one of its counts, as
          :func:`~sdv_threea.privacy.statistics.histogram_sensitivity` asks

    Args:
        rows: Private records.
        bins: For each column, the bin of each code, shape (S,); codes in bin -1 are not counted.
        weights: What a record adds to a count, a whole number, by pair ``(i, j)``, ``i < j``; at
            least one pair.
        cells: What the receipt calls the bins.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The counts and their receipt.
    """
    sizes = count_bins(bins)
    counted = f'{len(weights)} pairs of columns, in up to {max(sizes)} {cells} each'
    noisy, receipt = add_noise(
        rows.sum(partial(_count_pairs, tuple(bins), tuple(sizes), weights)),
        sensitivity=histogram_sensitivity(sum(weight**2 for weight in weights.values()), neighbors),
        mu=mu,
        stage='approximate',
        released=f'histograms of {counted}',
        noise=noise,
    )
    borders = np.cumsum([sizes[i] * sizes[j] for i, j in weights])[:-1]
    parts = zip(weights.items(), np.split(noisy, borders), strict=True)
    tables = {(i, j): part.reshape(sizes[i], sizes[j]) / weight for ((i, j), weight), part in parts}
    scales = {pair: receipt.noise_scale / weight for pair, weight in weights.items()}
    return PairCounts(tables, scales), receipt


def weigh_pairs(sizes: Sequence[int], wanted: Sequence[Pair]) -> dict[Pair, int]:
    """Weigh the tables of pairs: what a record adds to a count, a whole number.

    Noise hides more of a small table, whose bins add up to more of what columns say, than of a
    large one, which has been given bins to spare.

    Args:
        sizes: Number of bins of each column.
        wanted: The pairs.

    Returns:
        Weights by pair, at least one.
    """
    areas = {(i, j): max(sizes[i] * sizes[j], 1) for i, j in wanted}
    largest = max(areas.values())
    return {pair: round(WEIGHT_UNIT * (largest / area) ** POWER) for pair, area in areas.items()}


def _count_pairs(
    bins: tuple[NDArray[np.int64], ...],
    sizes: tuple[int, ...],
    weights: Mapping[Pair, int],
    chunk: Encoded,
) -> NDArray[np.int64]:
    """Count the bins of pairs, one after the other."""
    places = [look_up(each, codes) for each, codes in zip(bins, chunk.codes.T, strict=True)]
    counts = []
    for (one, other), weight in weights.items():
        width = sizes[other] + 1
        # No bin counts in a first place, which is cut off.
        both = np.bincount(places[one] * width + places[other], minlength=(sizes[one] + 1) * width)
        counts.append(weight * both.reshape(-1, width)[1:, 1:].ravel())
    return np.concatenate(counts).astype(np.int64)


def look_up(bins: NDArray[np.int64], codes: NDArray[np.integer]) -> NDArray[np.intp]:
    """Find the bins of codes, counted from 1; 0 for no code and for codes in no bin."""
    return np.append(-1, bins)[codes.astype(np.intp) + 1].astype(np.intp) + 1
