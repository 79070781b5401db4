"""Noisy counts of neighbours, smoothed at every resolution. The whole module is post-processing.

A run of neighbours is halved repeatedly; the *detail* of a cut is the difference of both halves.
Details of a resolution share a prior, a mixture of normals relative to the sum of both halves
(empirical Bayes; Johnstone and Silverman 2005, Annals of Statistics 33; Kolaczyk 1999, JASA 94).
Runs begin at every place, and their estimates are averaged (Coifman and Donoho 1995).
"""

import math

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.constants import SPREADS

ROUNDS = 20

ROOT = math.sqrt(2)


def smooth(values: Floats, scale: float) -> Floats:
    """Return smoothed counts, shape (S,): neighbours become equal if noise explains the gap."""
    if scale == 0:
        return values
    # Level k: sums of 2^k neighbours divided by the root of 2^k, so that the noise of every level
    # is equal.
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


def _part(own: Floats, sums: Floats, details: Floats, shift: int) -> Floats:
    found, times = np.zeros(len(own)), np.zeros(len(own))
    found[:-shift] += (sums + details) / ROOT
    found[shift:] += (sums - details) / ROOT
    times[:-shift] += 1
    times[shift:] += 1
    return np.where(times > 0, found / np.maximum(times, 1), own)


def _shrink(details: Floats, sums: Floats, scale: float, shift: int) -> Floats:
    """Return posterior means of details; ``shift`` neighbours share noise and count as one."""
    variances = np.square(np.multiply.outer(np.array([0.0, *SPREADS]), sums))
    totals = variances + scale**2
    logs = -(np.log(totals) + np.square(details) / totals) / 2
    likelihoods = np.exp(logs - logs.max(axis=0))
    weights = prior = np.full(len(variances), 1 / len(variances))  # one detail
    for _ in range(ROUNDS):
        parts = weights[:, None] * likelihoods
        parts /= parts.sum(axis=0)
        weights = prior + parts.sum(axis=1) / shift
    return np.asarray(details * (parts * variances / totals).sum(axis=0))
