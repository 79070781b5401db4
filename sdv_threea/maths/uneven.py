"""Noisy counts of many rows, estimated together: as even as noise allows, as uneven as it shows."""

import numpy as np

from sdv_threea.arrays import Floats

#: Candidates for the spread: standard deviations of the logarithm of an expected count.
SPREADS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5)

#: Quantiles of the standard normal at which expected counts are tried, and their weights.
PLACES = np.linspace(-4.0, 4.0, 49)
WEIGHTS = np.exp(-np.square(PLACES) / 2) / np.exp(-np.square(PLACES) / 2).sum()

#: Counts are uneven if that raises the log likelihood by more than this.
CLEARLY = 2.0

#: The least relative variance, so that it is not zero for all counts.
TINY = 1e-9


def estimate_uneven(counts: Floats, scale: float, total: float) -> Floats:
    """Return estimates of noisy counts that add up to ``total``, shape (P,): empirical Bayes.

    Expected counts are log-normal with the mean ``total / P``. Their spread is that of maximum
    likelihood, and the result is their posterior mean. So a row that evidently has a large count
    keeps it, and rows that noise does not tell apart have the same.
    """
    if not len(counts) or not total > 0:
        return np.zeros(len(counts))
    if not scale:
        kept = np.maximum(counts, 0.0)
        kept = kept if kept.any() else np.ones(len(counts))
        return np.asarray(kept * total / kept.sum())
    best, found, doubt = -np.inf, np.full(len(counts), total / len(counts)), np.zeros(len(counts))
    for spread in SPREADS:
        means = total / len(counts) * np.exp(spread * PLACES - spread**2 / 2)
        variances = scale**2 + means
        logs = np.log(WEIGHTS) - np.log(variances) / 2
        logs = logs - np.square(counts[:, None] - means) / (2 * variances)
        most = logs.max(axis=1, keepdims=True)
        likely = np.exp(logs - most)
        sums = likely.sum(axis=1)
        score = float((most[:, 0] + np.log(sums)).sum()) - CLEARLY * (spread > 0)
        if score > best:
            best, found = score, likely @ means / sums
            doubt = likely @ np.square(means) / sums - np.square(found)
    # Counts that noise leaves open make up for what is missing.
    share = np.maximum(doubt, 0.0) + TINY * found
    found = np.maximum(found + (total - found.sum()) * share / share.sum(), 0.0)
    return np.asarray(found * total / found.sum())
