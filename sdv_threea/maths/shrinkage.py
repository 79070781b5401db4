"""Shrinkage of noisy values by what the noise can tell: post-processing, free of cost."""

from __future__ import annotations

from typing import NamedTuple

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


class Prior(NamedTuple):
    """What is known of the variance of effects, beside what can be read off their values.

    Args:
        likely: What it is likely to be; a variance that is read off few or noisy values is drawn
            there (hierarchical empirical Bayes).
        spread: How far it may lie from there, in standard deviations; infinite if nobody knows.
        largest: The most that it can be; one for correlations and numbers of standard deviations.
    """

    likely: float = 0.0
    spread: float = np.inf
    largest: float = 1.0


#: Nothing is known but that effects are at most one or so.
UNKNOWN = Prior()


def shrunk_effects(
    values: NDArray[np.float64],
    gains: NDArray[np.float64],
    variances: NDArray[np.float64],
    *,
    prior: Prior = UNKNOWN,
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
        prior: What is known of the variance of effects from elsewhere.
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
    leverage = np.maximum(np.square(weights).sum(axis=-1, keepdims=True) * unit, 1e-300)
    # Squares vary by the noise and, if there are effects, by which of them were drawn.
    expected = variances + power * np.clip(surplus / leverage, 0.0, prior.likely)
    noise = np.sqrt(2 * np.square(weights * expected).sum(axis=-1, keepdims=True))
    with np.errstate(over='ignore'):  # no gains, no evidence
        trust = 1 / (1 + np.square(noise / (leverage * prior.spread)))
    found = (surplus - doubt * noise) / leverage
    variance = np.clip(trust * found + (1 - trust) * prior.likely, 0.0, prior.largest)
    kept = ratio(power * variance, power * variance + variances)
    alone = 1 - certain**2 * ratio(variances, np.square(values)) if certain < np.inf else 0.0
    return np.maximum(kept, alone) * ratio(values, gains)


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; nothing by nothing is nothing."""
    zeros = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=zeros, where=denominator != 0)
