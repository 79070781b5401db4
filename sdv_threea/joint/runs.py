"""Values that follow one another along an order: one value holds for a run of codes.

Ages from 25 to 45 have one group, days of March one month. Where noise hides which value a code
has, those around it tell. So values along an ordered column are a hidden Markov chain: from a code
to the next one the value is drawn anew with some chance, else it stays. How likely that is all
codes say together: of a few chances, with and without runs, the likeliest is taken (empirical
Bayes). With the chance one, each code has a value of its own.

All of it is post-processing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Chances that are tried that from a code to the next one a value is drawn anew.
CHANCES = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01)


def follow_values(logs: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tell which value each code of an ordered column has.

    Args:
        logs: How likely what was counted is if a code has a value, in logarithms, shape (S, V).
        shares: How frequent the values are before anything is counted, shape (V,); they sum to one.

    Returns:
        The chances of the values of each code, shape (S, V).
    """
    if not len(logs):
        return np.zeros(logs.shape)
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))[:, None]
    anew = np.array(CHANCES)[:, None]
    # Shapes are (S, K, V), of K chances: what is known from the codes before, and from those after.
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
