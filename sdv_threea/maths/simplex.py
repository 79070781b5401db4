"""The simplex: values of at least zero with a given sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def project_to_simplex(
    values: NDArray[np.float64], mask: NDArray[np.bool_], total: float
) -> NDArray[np.float64]:
    """Return the nearest values of at least zero with a given sum.

    The nearest point in the Euclidean norm lowers all values by the same amount and cuts what is
    then negative off (Held, Wolfe, Crowder 1974; Duchi et al. 2008). That amount follows from the
    values that stay above zero, which are the largest ones: sorted downwards, all up to the last
    one that exceeds the amount they would be lowered by.

    Args:
        values: Any values, shape (S,).
        mask: Where the answer may be above zero, shape (S,); if nowhere, everywhere.
        total: The sum, above 0.

    Returns:
        The projection, shape (S,).
    """
    free = values[mask] if mask.any() else values
    # A common shift changes no projection; sums far above the total would swallow the total.
    free = free - free.max()
    falling = np.sort(free)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(free) + 1)
    lowering = excess[np.flatnonzero(falling > excess)[-1]]
    projected = np.zeros_like(values)
    projected[mask if mask.any() else slice(None)] = np.maximum(free - lowering, 0)
    return projected
