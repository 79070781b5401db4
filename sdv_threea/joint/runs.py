"""Values that hold for a run of neighbouring codes, like an age group for ages from 25 to 45.

Values along an ordered column are a hidden Markov chain: from one code to the next, the value
stays, or is drawn again with a fixed probability. Neighbouring codes then support each other where
noise is large. The likeliest of a few probabilities is used (empirical Bayes); at probability one,
codes are independent. The whole module is post-processing.
"""

import numpy as np

from sdv_threea.arrays import Floats
from sdv_threea.joint.constants import CHANCES


def follow_values(logs: Floats, shares: Floats) -> Floats:
    """Return the posterior probabilities of the values of each code of an ordered column, (S, V).

    ``logs`` are log likelihoods of the values, shape (S, V). ``shares`` are their prior
    probabilities, shape (V,), which sum to one.
    """
    if not len(logs):
        return np.zeros(logs.shape)
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))[:, None]
    anew = np.array(CHANCES)[:, None]
    # The messages from earlier codes and from later ones have the shape (S, K, V), with K
    # candidates.
    before = np.empty((len(logs), len(CHANCES), logs.shape[1]))
    after = np.ones_like(before)
    evidence = np.zeros(len(CHANCES))
    expected = np.broadcast_to(shares, before.shape[1:])
    for at in range(len(logs)):
        before[at] = expected
        found = expected * likely[at]
        sums = np.maximum(found.sum(axis=1, keepdims=True), 1e-300)
        evidence += np.log(sums[:, 0])
        expected = (1 - anew) * found / sums + anew * shares
    for at in range(len(logs) - 1, 0, -1):
        told = after[at] * likely[at]
        told = (1 - anew) * told + anew * (told @ shares)[:, None]
        after[at - 1] = told / told.max(axis=1, keepdims=True)
    best = int(np.argmax(evidence))
    chances = (before * likely * after)[:, best]
    return np.asarray(chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300))
