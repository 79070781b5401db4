"""Estimate many noisy counts together: shrink them toward equal counts, as far as noise allows."""

import math

import numpy as np

from sdv_threea.arrays import Floats

#: Candidates for the spread, the standard deviation of the logarithm of an expected count, which is
#: as likely anywhere between the first and the last.
SPREADS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
PRIOR = np.gradient(SPREADS)

#: Expected counts are tried within this many standard deviations of both the noise and the
#: logarithm, at these parts of the way.
REACH, PARTS = 5.0, np.linspace(0.0, 1.0, 65)

#: The least relative deviation of a count, so that not all are zero; and the least noise, as a part
#: of the total, so that floats hold its square.
TINY, LEAST_NOISE = 1e-9, 1e-9


def estimate_uneven(counts: Floats, scale: float, total: float) -> Floats:
    """Return estimates of noisy counts that add up to ``total``, shape (P,): empirical Bayes.

    Expected counts are log-normal with the mean ``total / P``, and each spread is weighted by its
    likelihood. The result is the posterior mean. So a row that evidently has a large count keeps
    it, and rows that noise does not tell apart have about the same.
    """
    if not len(counts) or not total > 0:
        return np.zeros(len(counts))
    if not scale:
        kept = np.maximum(counts, 0.0)
        kept = kept if kept.any() else np.ones(len(counts))
        return np.asarray(kept * total / kept.sum())
    mean, scale = total / len(counts), max(scale, LEAST_NOISE * total)
    tried = [_try_spread(counts, scale, mean, spread) for spread in SPREADS]
    scores, means, squares = (np.array(each) for each in zip(*tried, strict=True))
    weights = PRIOR * np.exp(scores - scores.max())
    found, square = (weights @ each / weights.sum() for each in (means, squares))
    # Counts that noise leaves open make up for what is missing.
    share = np.sqrt(np.maximum(square - np.square(found), 0.0)) + TINY * found
    found = np.maximum(found + (total - found.sum()) * share / share.sum(), 0.0)
    return np.asarray(found * total / found.sum())


def _try_spread(
    counts: Floats, scale: float, mean: float, spread: float
) -> tuple[float, Floats, Floats]:
    """Return the log likelihood of a spread, and posterior means and mean squares, shape (P,)."""
    logs, widths = _try_logs(counts, scale, mean, spread)
    tried = np.exp(logs)
    chances = np.log(widths) - np.square((tried - counts[:, None]) / scale) / 2
    if spread:
        distance = (logs - math.log(mean)) / spread + spread / 2
        chances -= np.square(distance) / 2 + math.log(spread * math.sqrt(2 * math.pi))
    most = chances.max(axis=1, keepdims=True)
    likely = np.exp(chances - most)
    sums = likely.sum(axis=1)
    score = float((most[:, 0] + np.log(sums)).sum())
    return score, (likely * tried).sum(axis=1) / sums, (likely * tried**2).sum(axis=1) / sums


def _try_logs(counts: Floats, scale: float, mean: float, spread: float) -> tuple[Floats, Floats]:
    """Return logarithms of expected counts to try for each count, and their distances: (P, T)."""
    if not spread:
        return np.full((len(counts), 1), math.log(mean)), np.ones((len(counts), 1))
    middle, far = math.log(mean) - spread**2 / 2, REACH * spread
    least, most = math.exp(middle - far), math.exp(middle + far)
    low, high = np.maximum(counts - REACH * scale, least), counts + REACH * scale
    high = np.where((low < most) & ((high > most) | (high <= low)), most, high)
    first, last = np.log(low)[:, None], np.log(high)[:, None]
    return first + (last - first) * PARTS, (last - first) / (len(PARTS) - 1)
