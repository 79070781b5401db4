"""Chances of the bins of a column that have its margin: post-processing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

#: The most rounds; they end when no bin is off by more than this part of itself. It takes many
#: where a rare value follows from many columns: factors hardly move chances of nearly one or none.
LEVELLING_ROUNDS, LEVEL = 50, 0.02

#: In a round no bin becomes more or less likely by more than this factor.
LARGEST_STEP = 1e2

#: What stands for a chance of zero.
LEAST_CHANCE = 1e-12


def level(
    chances: NDArray[np.float64], margin: NDArray[np.float64], most: float
) -> NDArray[np.float64]:
    """Give chances, shape (n, G), their margin, in place; return what is added to weights, (G,).

    No bin becomes more or less likely by more than the factor ``most``.
    """
    added = np.zeros(len(margin))
    wanted = np.log(np.maximum(margin, LEAST_CHANCE))
    for _ in range(LEVELLING_ROUNDS):
        missing = wanted - np.log(np.maximum(chances.mean(axis=0), LEAST_CHANCE))
        step = np.clip(missing, -math.log(LARGEST_STEP), math.log(LARGEST_STEP))
        step = np.clip(added + step, -math.log(most), math.log(most)) - added
        if np.abs(step).max() < LEVEL:
            break
        added += step
        chances *= np.exp(step)
        chances /= chances.sum(axis=1, keepdims=True)
    return added
