"""How many rows of a unit to look at: chosen from what is released, by what the noise allows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdv_threea.relational.magnitudes import LARGEST_BOUND, Magnitudes
from sdv_threea.release import Release

#: The share of a typical cell of a histogram, whose error the bound makes smallest.
TYPICAL_CELL = 0.02

#: A released number of rows, or a share of them, is believed in if it is so many times its noise.
BELIEVED = 3.0


def overall_chances(released: Release, name: str) -> NDArray[np.float64]:
    """The released share of each code of a column, over all classes, shape (S,)."""
    weights = released.mixture.weights.sum(axis=1)
    return np.asarray(weights @ released.chances(name) / weights.sum())


def choose_bound(magnitudes: Magnitudes, noise: float) -> int | None:
    """Choose how many rows of a unit to look at.

    With a bound of ``b``, a share is known with a noise of ``b`` times that of a record, over as
    many rows as units have up to ``b``; fewer rows have more sampling error. The bound makes the
    sum of both smallest, for a cell of a typical share.

    Args:
        magnitudes: How many units have how many rows, as released.
        noise: Standard deviation of the noise of a count, if units had one row.

    Returns:
        The bound, at least one; ``None`` for no bound, where there is no noise.
    """
    if noise == 0:
        return None
    bounds = np.unique(np.geomspace(1, LARGEST_BOUND, 64).astype(np.int64))
    kept = np.array([magnitudes.within(bound) for bound in bounds.tolist()])
    kept = np.maximum(kept, 1.0)
    errors = (bounds * noise / kept) ** 2 + TYPICAL_CELL / kept
    # A share is at most one, so that all larger errors are alike: the smallest bound is cheapest.
    errors = np.minimum(errors, 1.0)
    return int(bounds[np.argmin(errors)])


def count_noise(num_columns: int, mu: float) -> float:
    """The noise of a count at a price, for a histogram of so many columns."""
    return 0.0 if math.isinf(mu) else math.sqrt(num_columns + 1) / mu
