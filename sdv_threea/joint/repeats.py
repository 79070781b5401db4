"""Functional dependencies that counts of single codes show and bins of many codes mask; no noise.

A code of a single record always has one value, so it is not evidence of a dependency. If a code
repeats, each record after the first either agrees with the first or does not. By chance these
records agree as often as two random records do. The search is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.bins import Pair
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.functions import Side, make_function
from sdv_threea.joint.order import grow_forest
from sdv_threea.joint.pricing import Function

#: A column determines another if its codes leave at most this share of the records open; it
#: determines it exactly up to the smaller share.
DETERMINED, EXACT = 0.05, 0.01

#: Probability that at least one pair is wrongly taken for a function.
FALSE = 0.01


def add_repeated(
    found: Mapping[Pair, Function],
    counts: Mapping[Pair, NDArray[np.float64]],
    sides: Sequence[Side],
    constants: JointConstants,
    num_given: int = 0,
) -> dict[Pair, Function]:
    """Return a forest of the functions that counts of codes show, (S_i, S_j), and of those found.

    No path of the forest leads from one of the first ``num_given`` columns to another.
    """
    least = math.log(2 * len(counts) / FALSE)
    rated: dict[Pair, tuple[float, Function]] = {}
    for (i, j), table in counts.items():
        for parent, child, own in ((i, j, table), (j, i, table.T)):
            one, other = sides[parent], sides[child]
            told = min(one.entropy, other.entropy)
            far = constants.nearness * max(one.size - other.size, 0.0)
            if weigh_repeats(own) > least and told - min(far, told / 2) > constants.least_told:
                made = told - far, make_function(one, other)
                rated[i, j] = max(rated.get((i, j), made), made)
    first = sorted(rated, key=lambda pair: -rated[pair][0])
    every = dict(found) | {pair: made for pair, (_, made) in rated.items()}
    return {pair: every[pair] for pair in grow_forest([*first, *found], num_given)}


def weigh_repeats(counts: NDArray[np.float64]) -> float:
    """Return the log likelihood of a function, relative to chance, by counts of codes (S, V)."""
    records, values = counts.sum(axis=1), counts.sum(axis=0)
    most = counts.max(axis=1)
    agree, miss = float(np.maximum(most - 1, 0).sum()), float((records - most).sum())
    alike = float(np.square(values / max(values.sum(), 1.0)).sum())
    if not 0 < alike < 1 or miss > DETERMINED * records.sum():
        return -math.inf
    return agree * math.log((1 - EXACT) / alike) + miss * math.log(EXACT / (1 - alike))
