"""Values that hold for a run of neighbouring codes, like an age group for ages from 25 to 45.

Values along an ordered column form a hidden Markov chain: from one code to the next, the value
stays, or is drawn again with a fixed probability. So neighbouring codes support each other if noise
is large. The whole module is post-processing.
"""

from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Floats


class Posterior(NamedTuple):
    """Posterior chances of values by code, (S, V), log evidence, and expected number of draws."""

    chances: Floats
    evidence: float
    drawn: float


def find_values(logs: Floats, prior: Floats) -> Posterior:
    """Return the posterior of independent codes, given log likelihoods and priors, shape (S, V)."""
    largest = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - largest) * prior
    sums = np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
    return Posterior(chances / sums, float((np.log(sums) + largest).sum()), float(len(logs)))


def follow_values(logs: Floats, prior: Floats, anew: float) -> Posterior:
    """Return the posterior of ordered codes; each draws a new value with probability ``anew``.

    A code that does not draw has the value of the code before it.
    """
    largest = logs.max(axis=1)
    likely = np.exp(logs - largest[:, None])
    # Messages from earlier codes and from later codes.
    before, after, found = np.empty_like(likely), np.ones_like(likely), np.empty_like(likely)
    sums = np.empty(len(likely))
    before[0] = prior[0]
    for at in range(len(likely)):
        if at:
            before[at] = (1 - anew) * found[at - 1] + anew * prior[at]
        found[at] = before[at] * likely[at]
        sums[at] = max(found[at].sum(), 1e-300)
        found[at] /= sums[at]
    drawn = 1.0
    for at in range(len(likely) - 1, 0, -1):
        told = after[at] * likely[at]
        fresh, kept = anew * float(told @ prior[at]), (1 - anew) * told
        drawn += fresh / max(fresh + float(found[at - 1] @ kept), 1e-300)
        after[at - 1] = (kept + fresh) / max(float(told.max()), 1e-300)
    chances = before * likely * after
    chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
    return Posterior(chances, float(np.log(sums).sum() + largest.sum()), drawn)
