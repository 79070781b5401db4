"""The bins in which pairs of columns are counted, and whether it pays to count them.

All of it follows from released counts and from the price: post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.cells import cut_cells
from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.joint.constants import JointConstants


def num_pair_bins(
    num_records: float, num_columns: int, mu: float, constants: JointConstants
) -> int | None:
    """Choose how many bins of a column pairs are counted in.

    Two columns with ``k`` bins each have ``k^2`` bins together. Each of them should hold some times
    the noise, whose scale is ``sqrt(m (m - 1) / 2) / mu``.

    Args:
        num_records: Number of records.
        num_columns: Number of columns ``m``.
        mu: The price, in GDP, at which they would be counted.
        constants: The constants of the room.

    Returns:
        The number; ``None`` if the noise would drown pairs, or there are none.
    """
    num_pairs = num_columns * (num_columns - 1) // 2
    if not num_pairs or num_columns > constants.most_columns or not mu:
        return None
    if math.isinf(mu):
        return constants.most_bins
    noise = math.sqrt(num_pairs) / mu
    carried = math.isqrt(int(num_records / (constants.records_per_noise * noise)))
    return min(carried, constants.most_bins) if carried >= constants.least_bins else None


def cut_bins(
    shares: NDArray[np.float64],
    mask: NDArray[np.bool_],
    ordered: bool,
    num_bins: int,
    least: float,
    constants: tuple[ApproximateConstants, JointConstants],
) -> NDArray[np.int64]:
    """Cut a column into bins.

    Args:
        shares: Probabilities of the codes, shape (S,); code 0 is the missing value.
        mask: Codes that can occur, shape (S,).
        ordered: Whether the order of the codes means something.
        num_bins: How many, besides spikes and the missing value.
        least: The least probability of a spike.
        constants: Those of the stage, and those of the room.

    Returns:
        The bin of each code, shape (S,); -1 for codes that cannot occur, and for categories that no
        record has.
    """
    bins = np.full(len(shares), -1)
    if ordered:
        cells = cut_cells(shares, mask, num_bins, least, constants[0])[0]
        # A bin of codes that cannot occur would be given records by the noise of its counts.
        bins[mask] = np.unique(cells[mask], return_inverse=True)[1]
        return bins
    live = np.flatnonzero(shares > 0)
    if len(live) <= constants[1].most_values:
        bins[live] = np.arange(len(live))
    else:
        bins[live] = pack(shares[live], min(num_bins, constants[1].most_values))
    return bins


def pack(shares: NDArray[np.float64], num_bins: int) -> NDArray[np.int64]:
    """Pack categories into bins of about the same mass, the heaviest first, shape (S,)."""
    bins, loads = np.zeros(len(shares), dtype=np.int64), np.zeros(num_bins)
    for code in np.argsort(-shares, kind='stable'):
        bins[code] = np.argmin(loads)
        loads[bins[code]] += shares[code]
    return bins


def count_bins(bins: Sequence[NDArray[np.int64]]) -> list[int]:
    """Count the bins of each column."""
    return [int(column.max(initial=-1)) + 1 for column in bins]
