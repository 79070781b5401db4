"""Noisy counts of neighbours, smoothed at every resolution.

A run of neighbours is cut in two, each half in two again, until single counts are left. How
unevenly a run is divided is the *detail* of its cut. Most runs are divided evenly or nearly so,
and some very unevenly, where one value is heavy. So details have a prior of their own at each
resolution, a mixture of narrow and wide normals, read off all of them together (empirical Bayes;
Johnstone and Silverman 2005, Annals of Statistics 33). They are parts of what they divide
(Kolaczyk 1999, JASA 94), so where there is little, little varies. Runs begin at every place, and
the estimates of a value by all of them are averaged (Coifman and Donoho 1995,
"Translation-invariant de-noising").

All of it is post-processing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

#: Standard deviations that the details of a resolution may have, as a part of what they divide.
SPREADS = (0.0, 0.05, 0.15, 0.4, 1.0)

#: The weight of each of them before any detail is seen, in details.
WEIGHTS = (0.3, 0.05, 0.05, 0.05, 0.05)

#: How often the weights are fitted again.
ROUNDS = 20

ROOT = math.sqrt(2)


def smooth(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Smooth noisy counts whose order means something.

    Where neighbours differ by no more than noise, they become alike; differences that stand out
    at one resolution stay, whatever the others are like.

    Args:
        values: Noisy counts, shape (S,).
        scale: Standard deviation of their noise; 0 leaves them as they are.

    Returns:
        The smoothed counts, shape (S,).
    """
    if scale == 0:
        return values
    # Of level k the sums of each 2^k neighbours, over the root of 2^k: their noise is the same.
    levels = [values]
    while 2 ** len(levels) <= len(values):
        shift = 2 ** (len(levels) - 1)
        levels.append((levels[-1][:-shift] + levels[-1][shift:]) / ROOT)
    smoothed = levels.pop()
    while levels:
        own, shift = levels.pop(), 2 ** len(levels)
        details = (own[:-shift] - own[shift:]) / ROOT
        details = _shrink(details, np.maximum(smoothed, 0.0), scale, shift)
        smoothed = _part(own, smoothed, details, shift)
    return smoothed


def _part(
    own: NDArray[np.float64],
    sums: NDArray[np.float64],
    details: NDArray[np.float64],
    shift: int,
) -> NDArray[np.float64]:
    """Return the runs that sums are parted into: the mean, where a run is part of two.

    Args:
        own: The runs themselves, shape (K,), for those in the middle that are part of no sum.
        sums: The sums of two runs each, shape (K - shift,).
        details: How they are divided, of the same shape.
        shift: How many places the second run is from the first.
    """
    found, times = np.zeros(len(own)), np.zeros(len(own))
    found[:-shift] += (sums + details) / ROOT
    found[shift:] += (sums - details) / ROOT
    times[:-shift] += 1
    times[shift:] += 1
    return np.where(times > 0, found / np.maximum(times, 1), own)


def _shrink(
    details: NDArray[np.float64], sums: NDArray[np.float64], scale: float, shift: int
) -> NDArray[np.float64]:
    """Return what details are likely to be, given all details of the resolution.

    Args:
        details: Noisy details, shape (K,).
        sums: What they divide, not negative, shape (K,).
        scale: Standard deviation of the noise of each.
        shift: How many neighbours share a detail's noise: so many details tell what one does.
    """
    variances = np.square(np.multiply.outer(np.array(SPREADS), sums))
    totals = variances + scale**2
    logs = -(np.log(totals) + np.square(details) / totals) / 2
    likelihoods = np.exp(logs - logs.max(axis=0))
    weights = prior = np.array(WEIGHTS)
    for _ in range(ROUNDS):
        parts = weights[:, None] * likelihoods
        parts /= parts.sum(axis=0)
        weights = prior + parts.sum(axis=1) / shift
    return np.asarray(details * (parts * variances / totals).sum(axis=0))
