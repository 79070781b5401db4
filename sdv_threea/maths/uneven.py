"""Estimate many noisy counts together: shrink them toward equal counts, as far as noise allows."""

import numpy as np

from sdv_threea.arrays import Floats

#: Candidates for the spread: the standard deviation of the logarithm of expected counts.
SPREADS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5)

#: Quantiles of the standard normal at which expected counts are tried, and their weights.
PLACES = np.linspace(-4.0, 4.0, 49)
WEIGHTS = np.exp(-np.square(PLACES) / 2) / np.exp(-np.square(PLACES) / 2).sum()

#: Counts are taken as uneven if this raises the log likelihood by more than this.
CLEARLY = 2.0

#: The least relative variance of a count.
TINY = 1e-9


def estimate_uneven(counts: Floats, scale: float, total: float) -> Floats:
    """Return estimates of noisy counts that add up to ``total``, shape (P,): empirical Bayes.

    Expected counts are log-normal with the mean ``total / P``, and their spread has maximum
    likelihood. The result is the posterior mean: a row with an evidently large count keeps it, and
    rows that noise does not distinguish have equal counts.
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
    # Uncertain counts absorb the difference from the total.
    share = np.maximum(doubt, 0.0) + TINY * found
    found = np.maximum(found + (total - found.sum()) * share / share.sum(), 0.0)
    return np.asarray(found * total / found.sum())
