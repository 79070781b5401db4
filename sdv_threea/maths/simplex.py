"""The nearest point of a simplex."""

import numpy as np

from sdv_threea.arrays import Bools, Floats


def project_to_simplex(values: Floats, mask: Bools, total: float) -> Floats:
    """Return the nearest values that are at least zero and add up to ``total``, shape (S,).

    All values are lowered by the same amount and cut at zero (Held, Wolfe, Crowder 1974; Duchi et
    al. 2008). Values outside ``mask`` are zero; an empty ``mask`` allows all.
    """
    free = values[mask] if mask.any() else values
    # A common shift does not change the projection; without it, rounding at sums far above the
    # total would lose the total.
    free = free - free.max()
    falling = np.sort(free)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(free) + 1)
    lowering = excess[np.flatnonzero(falling > excess)[-1]]
    projected = np.zeros_like(values)
    projected[mask if mask.any() else slice(None)] = np.maximum(free - lowering, 0)
    return projected
