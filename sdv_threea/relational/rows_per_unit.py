"""The bound on the rows of a unit that a release of a table reads.

A high bound needs more noise, because one unit moves every count further; a low bound leaves rows
out. The bound follows from released counts: no private row is read.
"""

import numpy as np

from sdv_threea.relational.magnitudes import LARGEST_BOUND, Magnitudes


def choose_bound(
    magnitudes: Magnitudes, noise: float, typical_share: float, most: int | None = None
) -> int | None:
    """Choose the most rows of a unit to read; ``None`` for no bound, if there is no noise.

    Let ``b`` be the bound, ``n(b)`` the number of rows within it, ``s`` the noise of a count for
    units of one row, and ``p`` the share of the rows in a bin. The noise of a count is then ``b
    s``, so the estimate of ``p`` has the expected squared error

    ``(b s / n(b))^2 + p / n(b)``

    The first part is noise. The second part is the error of a sample of ``n(b)`` rows, for small
    ``p``. The bound minimises the sum at ``p = typical_share``. ``most`` is the public bound.
    """
    if noise == 0:
        return None
    # 64 candidates, evenly spaced by logarithm, because the best bound may have any magnitude.
    bounds = np.unique(
        np.geomspace(1, min(most or LARGEST_BOUND, LARGEST_BOUND), 64).astype(np.int64)
    )
    kept = np.array([magnitudes.count(bound)[0] for bound in bounds.tolist()])
    kept = np.maximum(kept, 1.0)
    errors = (bounds * noise / kept) ** 2 + typical_share / kept
    # A share is at most one, so all errors above one are equally bad; ``argmin`` then takes the
    # smallest bound.
    errors = np.minimum(errors, 1.0)
    return int(bounds[np.argmin(errors)])
