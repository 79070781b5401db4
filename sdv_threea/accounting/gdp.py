"""Conversion between Gaussian differential privacy (GDP) and ``(epsilon, delta)``-DP.

A release is ``mu``-GDP if two neighbouring tables are at least as hard to distinguish, given the
release, as ``N(0, 1)`` and ``N(mu, 1)``; ``mu = inf`` means no privacy. A ``mu``-GDP mechanism is
``(epsilon, delta)``-DP with ``delta = Phi(-low) - exp(epsilon) Phi(-high)``, ``low, high = epsilon
/ mu -+ mu / 2``, and no smaller ``delta`` (Dong, Roth, Su 2019, Corollary 2.13; Balle and Wang
2018, Theorem 8).
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr

#: Relative step by which a root is moved to the private side until the computed claim holds.
STEP = 1e-13

#: No float represents the tail probability of a larger standard score, not even its logarithm.
FARTHEST = 1e150

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def delta_from_mu(mu: float, epsilon: float) -> float:
    """Return the smallest ``delta`` at which a ``mu``-GDP release is ``(epsilon, delta)``-DP.

    The relative error is below 1e-9 unless the result underflows (Dong, Roth, Su 2019, Corollary
    2.13).
    """
    _check_not_negative(mu=mu, epsilon=epsilon)
    return math.exp(_log_delta(mu, epsilon))


def mu_from_epsilon(epsilon: float, delta: float) -> float:
    """Return the largest ``mu`` such that ``mu``-GDP implies ``(epsilon, delta)``-DP.

    Formal guarantees: ``delta_from_mu(mu, epsilon) <= delta``; rounding errs on the private side.

    >>> from sdv_threea.accounting import mu_from_epsilon
    >>> round(mu_from_epsilon(1.0, delta=1e-6), 4)
    0.2367
    """
    _check_not_negative(epsilon=epsilon)
    _check_delta(delta)
    if math.isinf(epsilon):
        return math.inf
    if delta == 0:
        return 0.0
    mu = _root(lambda trial: _log_delta(trial, epsilon) - math.log(delta))
    # Rounding must not promise more privacy than holds.
    while delta_from_mu(mu, epsilon) > delta:
        mu *= 1 - STEP
    return mu


def epsilon_from_mu(mu: float, delta: float) -> float:
    """Return the smallest ``epsilon`` at which a ``mu``-GDP release is ``(epsilon, delta)``-DP.

    Formal guarantees: ``delta_from_mu(mu, epsilon) <= delta``; rounding errs on the private side.

    >>> from sdv_threea.accounting import epsilon_from_mu, mu_from_epsilon
    >>> both = 2**0.5 * mu_from_epsilon(1.0, delta=1e-6)  # two releases at epsilon 1
    >>> round(epsilon_from_mu(both, delta=1e-6), 4)
    1.4547
    """
    _check_not_negative(mu=mu)
    _check_delta(delta)
    if delta_from_mu(mu, 0.0) <= delta:
        return 0.0
    if math.isinf(mu) or delta == 0:
        return math.inf
    epsilon = _root(lambda trial: math.log(delta) - _log_delta(mu, trial))
    # Rounding must not promise more privacy than holds.
    while delta_from_mu(mu, epsilon) > delta:
        epsilon *= 1 + STEP
    return epsilon


def _log_delta(mu: float, epsilon: float) -> float:
    if mu == 0 or math.isinf(epsilon):
        return -math.inf
    if math.isinf(mu):
        return 0.0
    low, high = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if low > FARTHEST:
        return -math.inf
    # The difference of the two tiny terms of a small delta loses digits. With the Mills ratio R =
    # Phi(-z) / phi(z), delta = phi(low) (R(low) - R(high)) loses none.
    if mu >= 1:
        ratio = float(_mills(high) / _mills(low))
        return float(log_ndtr(-low)) + (math.log1p(-ratio) if ratio < 1 else -math.inf)
    return -(low**2 + math.log(2 * math.pi)) / 2 + _log_mills_drop(mu, epsilon)


def _mills(scores: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(np.asarray(scores) / math.sqrt(2)))


def _log_mills_drop(mu: float, epsilon: float) -> float:
    """Return ``log(R(low) - R(high))`` for small ``mu``, integrating ``-R'(z) = 1 - z R(z)``."""
    scores = epsilon / mu + mu / 2 * _NODES
    # At large scores the subtraction loses its digits; Birnbaum's bound replaces it.
    slopes = np.maximum(1 - scores * _mills(scores), 1 / (scores**2 + 3))
    return math.log(mu) + math.log(_WEIGHTS @ slopes / 2)


def _root(rising: Callable[[float], float]) -> float:
    upper = 1.0
    while rising(upper) < 0:
        upper *= 2
    lower = upper / 2
    while rising(lower) >= 0:
        upper, lower = lower, lower / 2
    return float(brentq(rising, lower, upper, xtol=lower * 1e-14, rtol=1e-14))


def _check_not_negative(**values: float) -> None:
    for name, value in values.items():
        _check_type(name, value)
        if not value >= 0:
            raise ValueError(f'{name} must be at least 0, got {value}.')


def _check_type(name: str, value: float) -> None:
    """Refuse types that round differently from a float, such as single-precision floats."""
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise ValueError(f'{name} must be a float, got a {type(value).__name__}: use float().')


def _check_delta(delta: float) -> None:
    _check_type('delta', delta)
    if not 0 <= delta < 1:
        raise ValueError(f'delta must be in [0, 1), got {delta}.')
