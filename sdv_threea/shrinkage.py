"""Shrinkage of noisy values by what the noise can tell: post-processing, free of cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stein_factor(values: NDArray[np.float64], scale: float) -> float:
    """Shrink noisy values toward zero by what the noise can tell: positive-part James-Stein.

    Args:
        values: Noisy values, shape (D,).
        scale: Standard deviation of their noise.

    Returns:
        ``max(0, 1 - D scale^2 / ||values||^2)``.
    """
    energy = float(np.square(values).sum())
    return max(0.0, 1 - len(values) * scale**2 / energy) if energy else 0.0
