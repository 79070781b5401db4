"""Gaussian noise: every released number that depends on private records passes this module.

Exact integers go in, with their sensitivity; noisy values and a receipt come out. The noise is a
discrete Gaussian (Canonne, Kamath, Steinke 2020, arXiv 2004.00010), sampled exactly from the
operating system's entropy: float rounding discloses no value, and no seed repeats a draw.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

from sdv_threea.accounting import Receipt
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.privacy.discrete import discrete_gaussian as discrete_gaussian

#: Maps ``(size, scale)`` to ``size`` independent discrete Gaussians.
Noise = Callable[[int, float], Wholes]

#: The least noise scale in steps of the lattice, unless steps get too fine. With this many steps,
#: the one step that :func:`_refine` adds to the scale is negligible. Any scale of at least two
#: steps is private.
FINEST_SCALE = 2**16

#: The largest number of steps per integer. Only noise far below the precision of a float would need
#: more.
FINEST_STEP = 2**40

#: Number of values that noise is added to at once: a bound of the memory.
BLOCK = 2**18

#: From these noise scales and values on, sums could overflow.
LARGEST_SCALE = 2**52
LARGEST_VALUE = 2**62

Key = TypeVar('Key', bound=Hashable)


def add_noise(  # noqa: PLR0913 (a price and a label, all by name)
    values: Wholes,
    *,
    sensitivity: float,
    mu: float,
    stage: str,
    released: str,
    resolution: float = 1.0,
    noise: Noise = discrete_gaussian,
) -> tuple[Floats, Receipt]:
    """Return ``(values + noise) * resolution`` and a receipt: a ``mu``-GDP release of integers.

    ``values`` and ``sensitivity``, the L2 distance between neighbouring tables, are in units of
    ``resolution``. ``mu = math.inf`` adds no noise. Only tests replace ``noise``.

    Formal guarantees:
        * the noise lives on the integers or on a finer lattice, whose step follows from
          ``sensitivity`` and ``mu`` alone; its scale is at least two steps, and at least one step
          above ``sensitivity / mu``
        * values and noise are added exactly; the result is a function of their exact sum
        * noise is drawn afresh for each value, from the operating system, whatever seeds are set
        * hence ``mu``-GDP: vectors ``d`` steps apart are ``d / (scale - 1/4)``-GDP from two steps
          on (``docs/lab/proofs.md``, lemma 1), and the rest of the wider scale covers rounding; and
          ``mu^2 / 2``-zCDP (Canonne, Kamath, Steinke 2020, Theorem 14)
    """
    exact = _exact(values)
    steps, scale = _refine(sensitivity, mu)
    receipt = Receipt(
        stage=stage,
        released=released,
        sensitivity=sensitivity * resolution,
        noise_scale=scale / steps * resolution,
        mu=mu,
    )
    if scale == 0:
        return np.asarray(exact * resolution, dtype=np.float64), receipt
    drawn, flat = noise(exact.size, float(scale)), exact.reshape(-1)
    noisy = np.empty(exact.size)
    # The noise is a multiple of 1 / steps; its fraction and its whole part are added separately.
    for start in range(0, exact.size, BLOCK):
        some = slice(start, start + BLOCK)
        noisy[some] = (drawn[some] & (steps - 1)) / steps
        noisy[some] += flat[some] + (drawn[some] >> (steps.bit_length() - 1))
    noisy *= resolution
    return noisy.reshape(exact.shape), receipt


def threshold_release(  # noqa: PLR0913 (as above, and the threshold)
    keys: Sequence[Key],
    counts: Wholes,
    *,
    sensitivity: float,
    mu: float,
    delta: float,
    max_new_keys: int,
    stage: str,
    released: str,
    least: int | Wholes = 1,
    most_added: int = 1,
    noise: Noise = discrete_gaussian,
) -> tuple[list[Key], Floats, Receipt]:
    """Return the keys of a non-public domain with a high noisy count, their counts and a receipt.

    A key is shown if at least ``least`` records have it, and its count plus noise exceeds ``least -
    1 + most_added + scale * isf(delta / max_new_keys)`` (Korolova et al. 2009; Wilson et al. 2020).
    Keys are distinct, and so are their ``repr``.

    Formal guarantees:
        * a key that one unit of privacy lifts to ``least`` or above is shown with probability at
          most ``delta / max_new_keys``
        * except for a failure of probability ``delta`` the release is ``mu``-GDP: it is ``(epsilon,
          delta_from_mu(mu, epsilon) + delta)``-DP for every ``epsilon``
        * for adaptive releases taken together, the ``mu`` compose and the ``delta`` add up
        * a group of ``k`` units has ``k mu`` and more than ``k delta`` (``docs/lab/proofs.md``,
          lemma 4)
        * the order of the shown keys depends on the shown keys alone

    ``max_new_keys`` bounds how many counts are higher in one of two neighbouring tables: with one
    key per record and column, the number of columns (twice that under ``replace_one``) times the
    records of a unit. ``most_added`` bounds what one unit of privacy adds to a count: the number of
    its records, if each counts one. ``least`` is public or released, or a function of the key; it
    saves drawing noise for rare keys. ``mu = math.inf`` shows every key, without noise, at no
    ``delta``.

    Proof: ``docs/lab/proofs.md``, theorem 3. A key that only one of two neighbours has ``least``
    times occurs less often without the unit, so at most ``least - 1 + most_added`` times with the
    unit. Let ``M0`` skip such keys: ``M0`` is ``mu``-GDP. Let ``a`` and ``b`` be the probabilities
    that the release shows such a key for either neighbour. Then ``a + b <= delta``, whatever else
    is shown::

        P[M(D) in S]  <=  P[M0(D) in S] + a     P[M(D') in S]  >=  (1 - b) P[M0(D') in S]
    """
    if not 0 < delta <= 0.5 or min(max_new_keys, most_added) < 1:
        raise ValueError(
            'delta must be above 0 and at most 0.5, max_new_keys and most_added at least 1, got '
            f'{delta=}, {max_new_keys=} and {most_added=}.'
        )
    bars = np.broadcast_to(least, np.shape(counts))
    if bars.min(initial=1) < 1:
        raise ValueError('least must be at least 1 for every key.')
    often = np.flatnonzero(_exact(counts) >= bars).tolist()
    often.sort(key=lambda at: repr(keys[at]))
    noisy, receipt = add_noise(
        counts[often], sensitivity=sensitivity, mu=mu, stage=stage, released=released, noise=noise
    )
    steps, scale = _refine(sensitivity, mu)
    # A sum over a falling tail is at most the integral that starts one step earlier. With a strict
    # threshold, therefore, the discrete tail beyond the rounded-up quantile is below the continuous
    # one.
    quantile = math.ceil(-scale * ndtri(delta / max_new_keys)) / steps
    margin = most_added + quantile if scale else 0.5
    shown = np.flatnonzero(noisy > bars[often] - 1 + margin).tolist()
    failure = 0.0 if math.isinf(mu) else delta
    return [keys[often[at]] for at in shown], noisy[shown], replace(receipt, delta=failure)


def _exact(values: Wholes) -> Wholes:
    if not np.can_cast(values.dtype, np.int64):
        raise TypeError(f'values must be integers, got {values.dtype}: round them to a grid first.')
    if values.size and not -LARGEST_VALUE < int(values.min()) <= int(values.max()) < LARGEST_VALUE:
        raise OverflowError('the sums do not fit into 64 bits: choose a coarser resolution.')
    return values.astype(np.int64, copy=False)


def _refine(sensitivity: float, mu: float) -> tuple[int, int]:
    """Return the steps per integer, a power of two, and the noise scale in steps."""
    if not 0 < sensitivity < math.inf or not mu > 0:
        raise ValueError(
            f'sensitivity and mu must be above 0, got sensitivity={sensitivity} and mu={mu}: '
            'a stage without a budget releases nothing.'
        )
    if math.isinf(mu):
        return 1, 0
    scale = sensitivity / mu
    if not scale < LARGEST_SCALE:
        raise OverflowError(
            'the noise does not fit into 64 bits: choose a coarser resolution or a larger epsilon.'
        )
    steps = 1
    while scale * steps < FINEST_SCALE and steps < FINEST_STEP:
        steps *= 2
    return steps, math.ceil(scale * steps) + 1
