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


def shrunk_effects(
    values: NDArray[np.float64], gains: NDArray[np.float64], variances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Estimate effects from noisy multiples of them: James-Stein with unequal gains and noises.

    Where ``values = gains * effects + noise``, take the effects for draws from a normal around
    zero, read its variance off the values (least squares of ``values^2 - variances`` on
    ``gains^2``), and answer with the posterior means (empirical Bayes; Efron and Morris 1973).
    Effects are correlations or numbers of standard deviations, so that variance is at most one.

    Args:
        values: Noisy values, shape (D,).
        gains: What an effect of one would add to the value, shape (D,); 0 tells nothing.
        variances: Variances of the noise, at least zero, shape (D,).

    Returns:
        The effects, shape (D,).
    """
    power = np.square(gains)
    evidence = float((power * (np.square(values) - variances)).sum())
    prior = np.clip(evidence / max(float(np.square(power).sum()), 1e-300), 0.0, 1.0)
    precision = power * prior + variances
    effects = np.divide(
        prior * gains * values, precision, out=np.zeros_like(values), where=precision > 0
    )
    return np.asarray(effects)
