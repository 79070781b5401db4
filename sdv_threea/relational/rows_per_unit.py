"""How many rows of a unit of privacy a release of a table looks at.

In go the released numbers of units by the number of their rows, and the scale of the noise. Out
comes a bound: a high one lets one unit move every count further, so it costs noise; a low one
leaves rows out. No private row is read.
"""

from __future__ import annotations

import math

import numpy as np

from sdv_threea.relational.magnitudes import LARGEST_BOUND, Magnitudes


def choose_bound(
    magnitudes: Magnitudes, noise: float, typical_share: float, most: int | None = None
) -> int | None:
    """Choose how many rows of a unit to look at.

    Let ``b`` be the bound, ``n(b)`` the number of rows that are looked at under it, ``s`` the noise
    of a count for units of one row, and ``p`` the share of the rows in a bin. The noise of a count
    is then ``b s``, so the estimate of ``p`` has the expected squared error

    ``(b s / n(b))^2 + p / n(b)``

    The first part is noise. The second is the error of a sample of ``n(b)`` rows, where ``p`` is
    small. The bound makes their sum smallest for ``p = typical_share``.

    Args:
        magnitudes: How many units have how many rows, as released.
        noise: ``s``, a standard deviation in rows.
        typical_share: ``p``, the share of the rows in a typical bin of a histogram.
        most: The most rows that a unit can have, if that is public.

    Returns:
        The bound, at least one; ``None`` for no bound, where there is no noise.
    """
    if noise == 0:
        return None
    # 64 candidates, evenly spaced by their logarithm: the best bound may be of any magnitude.
    bounds = np.unique(
        np.geomspace(1, min(most or LARGEST_BOUND, LARGEST_BOUND), 64).astype(np.int64)
    )
    kept = np.array([magnitudes.within(bound) for bound in bounds.tolist()])
    kept = np.maximum(kept, 1.0)
    errors = (bounds * noise / kept) ** 2 + typical_share / kept
    # A share is at most one, so all errors above one are equally bad. Among equals, ``argmin``
    # takes the first: the smallest bound.
    errors = np.minimum(errors, 1.0)
    return int(bounds[np.argmin(errors)])


def count_noise(num_columns: int, mu: float) -> float:
    """Compute the noise of a count, if every column gets a histogram and units have one row.

    Args:
        num_columns: Number of columns. A row adds one to a count of each, and one to the size of
            its class, so it moves all counts together by ``sqrt(num_columns + 1)``.
        mu: What the histograms cost together, in GDP.

    Returns:
        The standard deviation of the noise, in rows; 0 at an infinite price.
    """
    return 0.0 if math.isinf(mu) else math.sqrt(num_columns + 1) / mu
