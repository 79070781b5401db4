"""How many rows of a unit to look at: chosen from what is released, by what the noise allows."""

from __future__ import annotations

import math

import numpy as np

from sdv_threea.relational.magnitudes import LARGEST_BOUND, Magnitudes

#: The share of records in a typical bin of a histogram, whose error the bound makes smallest.
TYPICAL_SHARE = 0.02


def choose_bound(magnitudes: Magnitudes, noise: float, most: int | None = None) -> int | None:
    """Choose how many rows of a unit to look at.

    With a bound of ``b``, a share is known with a noise of ``b`` times that of a record, over as
    many rows as units have up to ``b``; fewer rows have more sampling error. The bound makes the
    sum of both smallest, for a bin of a typical share.

    Args:
        magnitudes: How many units have how many rows, as released.
        noise: Standard deviation of the noise of a count, if units had one row.
        most: The most rows of a unit, if that is public.

    Returns:
        The bound, at least one; ``None`` for no bound, where there is no noise.
    """
    if noise == 0:
        return None
    bounds = np.unique(
        np.geomspace(1, min(most or LARGEST_BOUND, LARGEST_BOUND), 64).astype(np.int64)
    )
    kept = np.array([magnitudes.within(bound) for bound in bounds.tolist()])
    kept = np.maximum(kept, 1.0)
    errors = (bounds * noise / kept) ** 2 + TYPICAL_SHARE / kept
    # A share is at most one, so that all larger errors are alike: the smallest bound is cheapest.
    errors = np.minimum(errors, 1.0)
    return int(bounds[np.argmin(errors)])


def count_noise(num_columns: int, mu: float) -> float:
    """The noise of a count at a price, for a histogram of so many columns."""
    return 0.0 if math.isinf(mu) else math.sqrt(num_columns + 1) / mu
