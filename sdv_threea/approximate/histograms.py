"""Probabilities of a column from its noisy counts over all classes: post-processing."""

import numpy as np
from scipy.special import ndtr

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import ApproximateConstants
from sdv_threea.maths.simplex import project_to_simplex
from sdv_threea.maths.smoothing import smooth


def column_shares(
    counts: Floats,
    total: float,
    mask: Bools,
    constants: ApproximateConstants,
    *,
    scale: float,
    ordered: bool,
) -> Floats:
    """Return the probabilities of a column's codes, (S,): zero off ``mask``, with sum one.

    Ordered codes (from 1; code 0 is the missing value) are smoothed. Other codes get no records if
    noise could explain their count: otherwise noise would give hundreds of empty categories a small
    share, and models would learn from their records.
    """
    smoothed = counts
    if ordered and constants.shrink:
        smoothed = _smooth_numbers(counts, mask, scale)
    # Smoothing handles the noise of ordered codes; others need a threshold.
    likely = mask if ordered else _stand_out(counts, mask, scale, constants.false_share)
    known = known_records(counts, total, likely, scale, constants.clear_of_noise())
    shares = project_to_simplex(smoothed, likely, known)
    return np.asarray(shares / shares.sum())


def keep_ends(histograms: Floats, mask: Bools, least: float) -> Floats:
    """Return histograms, (C, S), whose first and last possible value have at least share ``least``.

    Both ends are known to occur, but noise masks their few records. If the ends had no share,
    samples would not span the range of the column.
    """
    ends = np.flatnonzero(mask[1:])[[0, -1]] + 1
    # No end is raised above an equal share of all codes.
    share = min(least, 1 / mask.sum())
    kept = histograms.copy()
    kept[:, ends] = np.maximum(kept[:, ends], share)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def known_records(
    counts: Floats, total: float, mask: Bools, scale: float | Floats, doubt: float
) -> float:
    """Return how many records have a code that can occur, between one and the total.

    The result is the total, unless the noisy sum of the counts is lower by more than ``doubt``
    standard deviations. ``scale`` is one noise scale for all codes, or one per code.
    """
    # Upper confidence bound: noise adds up over the codes.
    noise = np.broadcast_to(scale, mask.shape)[mask]
    most = counts[mask].sum() + doubt * np.sqrt(np.square(noise).sum())
    return float(np.clip(most, 1.0, total))


def _smooth_numbers(values: Floats, mask: Bools, scale: float) -> Floats:
    inside = mask.copy()
    inside[0] = False
    smoothed = values.copy()
    smoothed[inside] = smooth(values[inside], scale)
    return smoothed


def _stand_out(counts: Floats, mask: Bools, scale: float, false_share: float) -> Bools:
    """Return the codes that noise does not explain (Benjamini and Hochberg 1995)."""
    if scale == 0:
        return mask
    # Probability that noise alone reaches the count.
    chances = np.where(mask, ndtr(-counts / scale), 1.0)
    # Under noise alone, a fraction p of all codes has a probability below p.
    ranked = np.sort(chances)
    passed = ranked <= false_share * np.arange(1, len(ranked) + 1) / mask.sum()
    # Without any significant code, every code stays.
    return chances <= ranked[passed].max() if passed.any() else mask
