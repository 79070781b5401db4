"""Noisy values, averaged or shrunk toward zero (Stein 1956; Efron and Morris 1973)."""

import numpy as np

from sdv_threea.arrays import Floats


def precision_weight(scale: float, other: float) -> float:
    """Return the weight of the first of two releases of a number with these noise scales."""
    return other**2 / (scale**2 + other**2) if scale else 1.0


def stein_factor(values: Floats, scale: float) -> float:
    """Return ``max(0, 1 - D scale^2 / ||values||^2)``, the positive-part James-Stein factor."""
    energy = float(np.square(values).sum())
    return max(0.0, 1 - len(values) * scale**2 / energy) if energy else 0.0


def shrunk_effects(
    values: Floats, gains: Floats, variances: Floats, doubt: float | None = 0.0
) -> Floats:
    """Return effects estimated from noisy multiples, shape (..., D): James-Stein, unequal noise.

    The model of a row of ``D`` values ``y``, with known gains ``g`` and noise variances ``v``, is
    ``y_i = g_i x_i + n_i``, ``n_i ~ N(0, v_i)``, ``x_i ~ N(0, t)``, with ``t`` of at most one. The
    result is the posterior mean at an estimate of ``t`` (empirical Bayes; Efron and Morris 1973)::

        t  = sum_i g_i^2 (y_i^2 - v_i) / sum_i g_i^4     (least squares of y^2 - v on g^2)
        x_i = g_i^2 t / (g_i^2 t + v_i)  y_i / g_i

    ``doubt`` lowers ``t`` by this many standard deviations of its noise; ``None`` shrinks nothing.
    """
    effects = ratio(values, gains)
    if doubt is None:
        return effects
    power = np.square(gains)
    # Powers are in units of the largest, so that fourth powers neither overflow nor vanish.
    unit = np.maximum(power.max(axis=-1, keepdims=True, initial=0.0), 1e-300)
    weights = power / unit
    # Computed in place, as there may be millions of values.
    summed = np.square(values)
    summed -= variances
    summed *= weights
    surplus = summed.sum(axis=-1, keepdims=True)
    np.square(weights, out=summed)
    leverage = np.maximum(summed.sum(axis=-1, keepdims=True) * unit, 1e-300)
    # The square of a normal of variance v has variance 2 v^2.
    np.multiply(variances, weights, out=summed)
    np.square(summed, out=summed)
    noise = np.sqrt(2 * summed.sum(axis=-1, keepdims=True))
    del summed, weights
    power *= np.clip((surplus - doubt * noise) / leverage, 0.0, 1.0)
    effects *= ratio(power, power + variances)
    return effects


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return the element-wise quotient; zero if the denominator is zero."""
    zeros = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=zeros, where=denominator != 0)
