"""Shrinkage: noisy values moved toward zero by what the noise can tell.

All of it is post-processing, so it costs nothing. A value that noise alone could explain is moved
to zero; one far beyond the noise stays. How much of the values is noise is read off all of them
together, which is why it pays to shrink many at a time (Stein 1956; Efron and Morris 1973).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def stein_factor(values: NDArray[np.float64], scale: float) -> float:
    """Return the factor of the positive-part James-Stein estimator.

    The factor times the values has a smaller expected squared error than the values themselves,
    whatever the truth is, if there are more than two of them.

    Args:
        values: Noisy values, shape (D,).
        scale: Standard deviation of their noise.

    Returns:
        ``max(0, 1 - D scale^2 / ||values||^2)``.
    """
    energy = float(np.square(values).sum())
    return max(0.0, 1 - len(values) * scale**2 / energy) if energy else 0.0


def shrink_singular_values(matrix: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Shrink the singular values of a matrix of normals (Efron and Morris 1972; Stein 1981).

    Few directions carry what a matrix says, and noise spreads evenly over all of them. Of a ``k``
    by ``q`` matrix, ``k <= q``, a singular value ``l_i`` becomes ``l_i (1 - s^2 / l_i^2 (q - k + 2
    sum_j>i l_i^2 / (l_i^2 - l_j^2)))``, at least zero.

    Args:
        matrix: Noisy values, shape (k, q).
        scale: Standard deviation ``s`` of the noise of its entries.

    Returns:
        The matrix, shrunk.
    """
    rows, values, columns = np.linalg.svd(matrix, full_matrices=False)
    power = np.square(values)
    gaps = np.maximum(power[:, None] - power, 1e-9 * power[:, None])
    crowding = np.triu(ratio(np.broadcast_to(power[:, None], gaps.shape), gaps), 1).sum(axis=1)
    excess = abs(matrix.shape[0] - matrix.shape[1]) + 2 * crowding
    kept = np.maximum(1 - scale**2 * ratio(np.maximum(excess, 1), power), 0.0)
    return np.asarray((rows * (values * np.minimum.accumulate(kept))) @ columns)


class Prior(NamedTuple):
    """What is known of the variance of effects, beside what can be read off their values.

    Args:
        likely: What the variance is likely to be. A variance that is read off few or noisy values
            is drawn toward it (hierarchical empirical Bayes).
        spread: The standard deviation of the variance around ``likely``; infinite if nobody knows.
        largest: The most that the variance can be. One suits correlations, and effects in standard
            deviations.
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

    The model of a row of ``D`` values is, with gains ``g`` and noise variances ``v`` that are
    known, and effects ``x`` whose common variance ``t`` is not::

        y_i = g_i x_i + n_i,    n_i ~ N(0, v_i),    x_i ~ N(0, t)

    The answer is the posterior mean at an estimate of ``t`` (empirical Bayes; Efron and Morris
    1973)::

        t  = sum_i g_i^2 (y_i^2 - v_i) / sum_i g_i^4     (least squares of y^2 - v on g^2)
        x_i = g_i^2 t / (g_i^2 t + v_i)  y_i / g_i

    Args:
        values: Noisy values ``y``, shape (..., D).
        gains: What an effect of one would add to the value, ``g``, shape (..., D); 0 tells nothing.
        variances: Variances of the noise ``v``, at least zero, shape (..., D).
        prior: What is known of ``t`` from elsewhere.
        doubt: Evidence for effects counts as far as it exceeds this many standard deviations of
            what noise alone would give.
        certain: A value of this many standard deviations is kept by itself, as far as it exceeds
            them, even if the others say that effects are small.

    Returns:
        The effects, shape (..., D).
    """
    power = np.square(gains)
    # In units of the largest, so that fourth powers neither overflow nor vanish.
    unit = np.maximum(power.max(axis=-1, keepdims=True, initial=0.0), 1e-300)
    weights = power / unit
    # Numerator and denominator of the least-squares estimate of t. There may be millions of values,
    # so what is summed is computed in place.
    summed = np.square(values)
    summed -= variances
    summed *= weights
    surplus = summed.sum(axis=-1, keepdims=True)
    np.square(weights, out=summed)
    leverage = np.maximum(summed.sum(axis=-1, keepdims=True) * unit, 1e-300)
    # The numerator's standard deviation: the square of a normal of variance s has variance 2 s^2.
    # Effects add to s what is likely of them, but no more than the values show.
    np.multiply(power, np.clip(surplus / leverage, 0.0, prior.likely), out=summed)
    summed += variances
    summed *= weights
    np.square(summed, out=summed)
    noise = np.sqrt(2 * summed.sum(axis=-1, keepdims=True))
    del summed, weights
    # The estimate and the prior are averaged by precision.
    with np.errstate(over='ignore'):  # no gains, no evidence
        trust = 1 / (1 + np.square(noise / (leverage * prior.spread)))
    found = (surplus - doubt * noise) / leverage
    variance = np.clip(trust * found + (1 - trust) * prior.likely, 0.0, prior.largest)
    power *= variance
    kept = ratio(power, power + variances)
    del power
    if certain < np.inf:
        # The factor of James and Stein for one value by itself.
        kept = np.maximum(kept, 1 - certain**2 * ratio(variances, np.square(values)))
    effects = ratio(values, gains)
    effects *= kept
    return effects


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide element by element; whatever is divided by zero gives zero."""
    zeros = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=zeros, where=denominator != 0)
