"""Probabilities of a column from its noisy counts over all classes: post-processing."""

import numpy as np

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import ApproximateConstants
from sdv_threea.maths.simplex import project_to_simplex
from sdv_threea.maths.smoothing import smooth
from sdv_threea.maths.uneven import estimate_uneven


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

    Ordered codes (from 1; code 0 is the missing value) are smoothed. Other codes are estimated
    together: those that noise does not tell apart get equal shares.
    """
    known = known_records(counts, total, mask, scale, constants.clear_of_noise())
    if not ordered:
        shares = np.zeros(len(counts))
        possible = mask if mask.any() else ~mask
        shares[possible] = estimate_uneven(counts[possible], scale, known)
    else:
        smoothed = _smooth_numbers(counts, mask, scale) if constants.shrink else counts
        shares = project_to_simplex(smoothed, mask, known)
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
