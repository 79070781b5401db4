"""The coarse cells of a column, in which the classes are counted.

Neighbouring codes of an ordered column are together, a category or a spike is by itself. What cells
there are, and how closely each column is looked at, follows from released counts: post-processing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.constants import ApproximateConstants

#: Units per one of a column's weight: weights are whole numbers.
WEIGHT_UNIT = 16


def num_class_cells(
    totals: NDArray[np.float64], scale: float, constants: ApproximateConstants
) -> int | None:
    """Choose how many cells of an ordered column the classes are counted in.

    Args:
        totals: Number of records of each class, at least one, shape (C,).
        scale: Standard deviation of the noise that the counts will have.
        constants: The constants of the stage.

    Returns:
        The number; ``None`` to count every code, where there is no noise.
    """
    if scale == 0:
        return None
    typical = np.exp(np.log(np.maximum(totals, scale)).mean())
    return int(np.clip(np.sqrt(typical / scale), constants.least_bins, constants.most_bins))


def cut_cells(
    shares: NDArray[np.float64],
    mask: NDArray[np.bool_],
    num_cells: int | None,
    least: float,
    constants: ApproximateConstants,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Cut an ordered column into cells of equal roots of mass, summed over their codes.

    Between cells of equal mass, which would hide the rare classes that live where others are thin,
    and cells of equal width, most of which would be empty. A spike, a code much heavier than those
    around it, is a cell by itself and outside the order: it has its own reasons.

    Args:
        shares: Probabilities of the codes, shape (S,); code 0 is the missing value.
        mask: Codes that can occur, shape (S,).
        num_cells: How many, besides spikes and the missing value; ``None`` for one per code.
        least: The least probability of a spike.
        constants: The constants of the stage.

    Returns:
        The cell of each code, shape (S,), counted from 0, the missing value's; and which cells
        stand in the order of the codes, shape (G,).
    """
    if num_cells is None or mask[1:].sum() <= num_cells:
        return np.arange(len(mask)), np.arange(len(mask)) > 0
    spikes = _is_spike(shares[1:], least, constants)
    measure = np.sqrt(np.where(spikes, 0.0, shares[1:]))
    places = (np.cumsum(measure) - measure / 2) * num_cells / max(measure.sum(), 1e-300)
    places = np.minimum(places.astype(np.int64), num_cells - 1)
    places[spikes] = num_cells + np.arange(spikes.sum())
    found, cells = np.unique(places, return_inverse=True)
    return np.append(0, cells + 1), np.append(False, found < num_cells)


def _is_spike(
    shares: NDArray[np.float64], least: float, constants: ApproximateConstants
) -> NDArray[np.bool_]:
    reach = constants.spike_reach
    around = np.pad(shares, reach, mode='edge')
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1)
    return np.asarray((shares > least) & (shares > constants.spike * np.median(windows, axis=1)))


def column_weight(shares: NDArray[np.float64], constants: ApproximateConstants) -> int:
    """Choose how closely the classes are looked at in a column: by what it could tell of them.

    A column whose records are nearly all alike cannot tell classes apart, so its counts may be
    noisier, to the gain of the others.

    Args:
        shares: Probabilities of its cells, shape (G,).
        constants: The constants of the stage.

    Returns:
        The weight of its counts, a whole number, at least one.
    """
    present = shares[shares > 0]
    entropy = float(-(present * np.log(present)).sum())
    squared = min(entropy, constants.most_entropy) + constants.least_entropy
    return round(WEIGHT_UNIT * math.sqrt(squared))


def reconcile(
    counts: NDArray[np.float64],
    scale: float,
    cell_counts: NDArray[np.float64],
    cell_scale: float,
    cells: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Make counts of codes agree with second counts of their cells, by precision.

    Args:
        counts: Noisy counts of the codes, shape (S,).
        scale: Standard deviation of their noise.
        cell_counts: Noisy counts of the cells, shape (G,).
        cell_scale: Standard deviation of their noise.
        cells: The cell of each code, shape (S,).

    Returns:
        The counts, shape (S,): what a cell is off by is spread evenly over its codes.
    """
    sizes = np.bincount(cells, minlength=len(cell_counts))
    variances = sizes * scale**2
    off = cell_counts - np.bincount(cells, counts, len(cell_counts))
    trust = variances / np.maximum(variances + cell_scale**2, 1e-300)
    return np.asarray(counts + (trust * off / np.maximum(sizes, 1))[cells])
