"""Chances of the bins of a column that have its margin: post-processing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

#: The most rounds; they end when no bin is off by more than this part of itself. It takes many
#: where a rare value follows from many columns: factors hardly move chances of nearly one or none.
MOST_ROUNDS, LEVEL = 50, 0.02

#: In a round no bin becomes more or less likely by more than this factor.
MOST_PER_ROUND = 1e2

#: What stands for a chance of zero.
LEAST_CHANCE = 1e-12


def level(
    chances: NDArray[np.float64], margin: NDArray[np.float64], most: float
) -> NDArray[np.float64]:
    """Give the chances of records the margin of their column, in place.

    Args:
        chances: Chances of the bins, shape (n, G).
        margin: How frequent the bins are to be among the records, shape (G,).
        most: No bin becomes more or less likely by more than this factor.

    Returns:
        What is added to the weights of the bins, shape (G,).
    """
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
