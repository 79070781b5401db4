"""How a column is distributed over all classes: smoothed, never negative.

Noisy counts become probabilities. All of it is post-processing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.maths.simplex import project_to_simplex
from sdv_threea.maths.smoothing import smooth


def column_shares(
    counts: NDArray[np.float64],
    total: float,
    mask: NDArray[np.bool_],
    constants: ApproximateConstants,
    *,
    scale: float,
    ordered: bool,
) -> NDArray[np.float64]:
    """Estimate the probabilities of a column's codes.

    Ordered codes are smoothed. Of others, those that noise could explain get no records: noise
    would give each of hundreds of empty categories a small share, and a model takes what the
    records of those have in common for a fact.

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
        smoothed = _smooth_numbers(counts, mask, scale)
    # An order tells neighbours of their noise; without one, only the threshold does.
    likely = mask if ordered else _stand_out(counts, mask, scale, constants.false_share)
    known = known_records(counts, total, likely, scale, constants.shortfall_doubt)
    shares = project_to_simplex(smoothed, likely, known)
    return np.asarray(shares / shares.sum())


def keep_ends(
    histograms: NDArray[np.float64], mask: NDArray[np.bool_], least: float
) -> NDArray[np.float64]:
    """Give the first and the last value that can occur a small share of the records at least.

    Evidence says that they occur. But they have few records, which noise hides and the projection
    to the simplex takes away, and samples would not span the range of the column.

    Args:
        histograms: Probabilities, shape (C, S).
        mask: Codes that can occur, shape (S,); code 0 is the missing value.
        least: The share that they have at least, if it is no more than an even one.

    Returns:
        Probabilities, shape (C, S).
    """
    ends = np.flatnonzero(mask[1:])[[0, -1]] + 1
    # Of a column of few codes the ends do not get more than the others.
    share = min(least, 1 / mask.sum())
    kept = histograms.copy()
    kept[:, ends] = np.maximum(kept[:, ends], share)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def known_records(
    counts: NDArray[np.float64],
    total: float,
    mask: NDArray[np.bool_],
    scale: float | NDArray[np.float64],
    doubt: float,
) -> float:
    """Estimate how many records have a code that can occur.

    It is the total, unless the counts of the codes fall short of it beyond doubt.

    Args:
        counts: Noisy counts, shape (S,).
        total: Number of records, with or without a code, at least one.
        mask: Codes that can occur, shape (S,).
        scale: Standard deviation of the noise of a count, or that of each.
        doubt: How far they must fall short, in standard deviations of the noise of their sum.

    Returns:
        The number, at least one and at most the total.
    """
    # The upper end of an interval of confidence: noise adds up over the codes.
    noise = np.broadcast_to(scale, mask.shape)[mask]
    most = counts[mask].sum() + doubt * np.sqrt(np.square(noise).sum())
    return float(np.clip(most, 1.0, total))


def _smooth_numbers(
    values: NDArray[np.float64], mask: NDArray[np.bool_], scale: float
) -> NDArray[np.float64]:
    """Smooth the codes that can occur; the missing value has no place in the order."""
    inside = mask.copy()
    inside[0] = False
    smoothed = values.copy()
    smoothed[inside] = smooth(values[inside], scale)
    return smoothed


def _stand_out(
    counts: NDArray[np.float64], mask: NDArray[np.bool_], scale: float, false_share: float
) -> NDArray[np.bool_]:
    """Find the codes that noise does not explain, about ``false_share`` of them by mistake.

    The threshold controls the rate of false discoveries (Benjamini and Hochberg 1995; for estimates
    Abramovich et al. 2006). It is low where most codes are above it, and high where few of hundreds
    stand out.
    """
    if scale == 0:
        return mask
    # The chance that noise alone gives a code that many records.
    chances = np.where(mask, ndtr(-counts / scale), 1.0)
    # Of k codes with the smallest chances, noise alone explains about k times the largest of them.
    ranked = np.sort(chances)
    passed = ranked <= false_share * np.arange(1, len(ranked) + 1) / mask.sum()
    # If nothing stands out, nothing can be chosen, and every code may be.
    return chances <= ranked[passed].max() if passed.any() else mask
