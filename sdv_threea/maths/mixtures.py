"""Frequencies of the known components of a mixture: post-processing.

This is nonparametric empirical Bayes (Kiefer and Wolfowitz 1956; Jiang and Zhang 2009).
"""

import numpy as np

from sdv_threea.arrays import Floats

#: Rounds of expectation maximisation; more change nothing.
ROUNDS = 25


def fit_frequencies(
    likelihoods: Floats, prior: Floats | None = None, weight: float = 0.0, rounds: int = ROUNDS
) -> Floats:
    """Return the likeliest frequencies, (V,), from likelihoods, (n, V), and a weighted prior."""
    size = likelihoods.shape[1]
    found = prior = np.full(size, 1 / size) if prior is None else prior
    for _ in range(rounds):
        # Each value adds its posterior probability to each component.
        added = found * ((1 / (likelihoods @ found)) @ likelihoods)
        found = (added + weight * prior) / (len(likelihoods) + weight)
    return found
