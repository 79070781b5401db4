"""Shrinkage of noisy values by what the noise can tell: post-processing, free of cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Evidence for correlations and for cells counts beyond so many standard deviations of the noise.
DOUBT = 2.0


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
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
    *,
    largest: float = 1.0,
    doubt: float = 0.0,
    certain: float = np.inf,
) -> NDArray[np.float64]:
    """Estimate effects from noisy multiples of them: James-Stein with unequal gains and noises.

    Where ``values = gains * effects + noise``, take the effects of a row for draws from a normal
    around zero, read its variance off the values (least squares of ``values^2 - variances`` on
    ``gains^2``), and answer with the posterior means (empirical Bayes; Efron and Morris 1973).

    Args:
        values: Noisy values, shape (..., D).
        gains: What an effect of one would add to the value, shape (..., D); 0 tells nothing.
        variances: Variances of the noise, at least zero, shape (..., D).
        largest: The most that the variance of effects can be; one for correlations and numbers of
            standard deviations.
        doubt: Evidence for effects counts as far as it exceeds this many standard deviations of
            what noise alone would give.
        certain: A value of so many standard deviations is kept by itself, as far as it exceeds
            them, even if the others say that effects are small.

    Returns:
        The effects, shape (..., D).
    """
    power = np.square(gains)
    # In units of the largest, so that fourth powers neither overflow nor vanish.
    unit = np.maximum(power.max(axis=-1, keepdims=True, initial=0.0), 1e-300)
    weights = power / unit
    surplus = (weights * (np.square(values) - variances)).sum(axis=-1, keepdims=True)
    noise = np.sqrt(2 * np.square(weights * variances).sum(axis=-1, keepdims=True))
    leverage = np.maximum(np.square(weights).sum(axis=-1, keepdims=True) * unit, 1e-300)
    prior = np.clip((surplus - doubt * noise) / leverage, 0.0, largest)
    kept = _ratio(power * prior, power * prior + variances)
    alone = 1 - certain**2 * _ratio(variances, np.square(values)) if certain < np.inf else 0.0
    return np.maximum(kept, alone) * _ratio(values, gains)


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; nothing by nothing is nothing."""
    zeros = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=zeros, where=denominator != 0)
