"""Adjust the probabilities of a column's bins to the column's margin: post-processing."""

import math

import numpy as np

from sdv_threea.arrays import Floats

#: The largest number of rounds, and the relative error of a bin at which they end. A rare value
#: that depends on many columns takes many rounds: factors hardly move probabilities near one or
#: zero.
MOST_ROUNDS, LEVEL = 50, 0.02

#: The largest factor by which the probability of a bin changes in a round.
MOST_PER_ROUND = 1e2

#: Replaces a probability of zero in logarithms.
LEAST_CHANCE = 1e-12


def level(chances: Floats, margin: Floats, most: float) -> Floats:
    """Adjust probabilities, (n, G), to the margin in place; return increments of the weights."""
    added = np.zeros(len(margin))
    wanted = np.log(np.maximum(margin, LEAST_CHANCE))
    for _ in range(MOST_ROUNDS):
        missing = wanted - np.log(np.maximum(chances.mean(axis=0), LEAST_CHANCE))
        step = np.clip(missing, -math.log(MOST_PER_ROUND), math.log(MOST_PER_ROUND))
        step = np.clip(added + step, -math.log(most), math.log(most)) - added
        if np.abs(step).max() < LEVEL:
            break
        added += step
        chances *= np.exp(step)
        chances /= chances.sum(axis=1, keepdims=True)
    return added
