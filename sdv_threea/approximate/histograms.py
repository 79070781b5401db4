"""How a column is distributed over all classes, made of noisy counts: smoothed, never negative.

All of it is post-processing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.maths.shrinkage import stein_factor


def column_shares(
    counts: NDArray[np.float64],
    total: float,
    mask: NDArray[np.bool_],
    constants: ApproximateConstants,
    *,
    scale: float,
    ordered: bool,
) -> NDArray[np.float64]:
    """Estimate the distribution of a column's codes.

    Of hundreds of categories noise would give many that are empty a share of the records, which a
    model takes for what they have in common: those that noise could explain get none.

    Args:
        counts: Noisy counts, shape (S,).
        total: Number of records, with or without a code, at least one.
        mask: Codes that can occur, shape (S,).
        constants: The constants of the stage.
        scale: Standard deviation of the noise of a count; 0 for none.
        ordered: Whether codes 1 and up are in a meaningful order; code 0 is the missing value.

    Returns:
        Probabilities, shape (S,): they sum to one and are zero outside the mask.
    """
    smoothed = counts
    if ordered and constants.shrink:
        smoothed = _smooth(counts, mask, scale)
    likely = mask if ordered else _stand_out(counts, mask, scale, constants.false_share)
    known = known_records(counts, total, likely, scale, constants.shortfall_doubt)
    shares = project_to_simplex(smoothed, likely, known)
    return np.asarray(shares / shares.sum())


def keep_ends(
    histograms: NDArray[np.float64], mask: NDArray[np.bool_], least: float
) -> NDArray[np.float64]:
    """Give the first and the last value that can occur a small share of the records at least.

    Evidence says that they occur, but so few records are below the noise, and projected away:
    samples would not span the range of the column.

    Args:
        histograms: Probabilities, shape (C, S).
        mask: Codes that can occur, shape (S,); code 0 is the missing value.
        least: The share of the records that they have at least, if that is not more than even.

    Returns:
        Probabilities, shape (C, S).
    """
    ends = np.flatnonzero(mask[1:])[[0, -1]] + 1
    share = min(least, 1 / mask.sum())
    kept = histograms.copy()
    kept[:, ends] = np.maximum(kept[:, ends], share)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def smooth(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Shrink each level of the Haar transform of a sequence by its own James-Stein factor.

    Args:
        values: Noisy values in a meaningful order, shape (S,).
        scale: Standard deviation of their noise; 0 leaves them as they are.

    Returns:
        The smoothed values, shape (S,).
    """
    if scale == 0:
        return values
    size = 1 << max(len(values) - 1, 0).bit_length()
    means = np.zeros(size)
    means[: len(values)] = values
    details = []
    while len(means) > 1:
        left, right = means[0::2], means[1::2]
        detail = (left - right) / np.sqrt(2)
        details.append(detail * stein_factor(detail, scale))
        means = (left + right) / np.sqrt(2)
    for detail in reversed(details):
        means = np.stack([means + detail, means - detail], axis=1).ravel() / np.sqrt(2)
    return means[: len(values)]


def project_to_simplex(
    values: NDArray[np.float64], mask: NDArray[np.bool_], total: float
) -> NDArray[np.float64]:
    """Find the nearest non-negative values with a given sum (Duchi et al. 2008).

    Args:
        values: Any values, shape (S,).
        mask: Where the answer may be above zero, shape (S,); if nowhere, everywhere.
        total: The sum, above 0.

    Returns:
        The projection, shape (S,).
    """
    free = values[mask] if mask.any() else values
    free = free - free.max()  # so that sums far above the total do not swallow it
    falling = np.sort(free)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(free) + 1)
    lowering = excess[np.flatnonzero(falling > excess)[-1]]
    projected = np.zeros_like(values)
    projected[mask if mask.any() else slice(None)] = np.maximum(free - lowering, 0)
    return projected


def known_records(
    counts: NDArray[np.float64],
    total: float,
    mask: NDArray[np.bool_],
    scale: float,
    doubt: float,
) -> float:
    """Estimate how many records have a code that can occur: the total, unless there is no doubt.

    Args:
        counts: Noisy counts, shape (S,).
        total: Number of records, with or without a code, at least one.
        mask: Codes that can occur, shape (S,).
        scale: Standard deviation of the noise of a count.
        doubt: Counts must fall short of the total by this many standard deviations.

    Returns:
        The number, at least one and at most the total.
    """
    most = counts[mask].sum() + doubt * scale * np.sqrt(mask.sum())
    return float(np.clip(most, 1.0, total))


def _smooth(
    values: NDArray[np.float64], mask: NDArray[np.bool_], scale: float
) -> NDArray[np.float64]:
    """Smooth the codes that can occur and have an order."""
    inside = mask.copy()
    inside[0] = False
    smoothed = values.copy()
    smoothed[inside] = smooth(values[inside], scale)
    return smoothed


def _stand_out(
    counts: NDArray[np.float64], mask: NDArray[np.bool_], scale: float, false_share: float
) -> NDArray[np.bool_]:
    """Find the codes that noise does not explain, ``false_share`` of them by mistake.

    The threshold is low where most codes are above it, and high where few stand out of hundreds
    (Benjamini and Hochberg 1995; for estimates Abramovich et al. 2006).
    """
    if scale == 0:
        return mask
    chances = np.where(mask, ndtr(-counts / scale), 1.0)
    ranked = np.sort(chances)
    passed = ranked <= false_share * np.arange(1, len(ranked) + 1) / mask.sum()
    return chances <= ranked[passed].max() if passed.any() else mask
