"""The one door of noise: no number that depends on private records leaves without passing here.

Exact integers go in, with a bound on how far a neighbouring table can move them. Noisy values and
a receipt come out. The noise is a discrete Gaussian (Canonne, Kamath, Steinke 2020, arXiv
2004.00010), drawn exactly and from the entropy of the operating system
(:mod:`sdv_threea.privacy.discrete`): no float rounding can betray a value, and no seed can repeat a
draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sdv_threea.accounting import Receipt
from sdv_threea.privacy.discrete import discrete_gaussian as discrete_gaussian

#: A source of noise: ``(size, scale)`` to that many independent integer Gaussians.
Noise = Callable[[int, float], NDArray[np.int64]]

#: The least noise scale, in steps of the lattice, unless steps would be too fine. The one step by
#: which :func:`_refine` widens the scale is then next to nothing. Any scale from two steps on is
#: private.
FINEST_SCALE = 2**16

#: The most steps per integer. More are asked for only if the budget is so large that the noise is
#: far below the precision of a float.
FINEST_STEP = 2**40

#: Values that noise is added to at once: it bounds the memory.
BLOCK = 2**18

#: Noise scales and magnitudes of values from here on could overflow.
LARGEST_SCALE = 2**52
LARGEST_VALUE = 2**62

Key = TypeVar('Key', bound=Hashable)


def add_noise(  # noqa: PLR0913 (a price and a label, all by name)
    values: NDArray[np.int64],
    *,
    sensitivity: float,
    mu: float,
    stage: str,
    released: str,
    resolution: float = 1.0,
    noise: Noise = discrete_gaussian,
) -> tuple[NDArray[np.float64], Receipt]:
    """Release integers with Gaussian noise, ``mu``-GDP.

    Formal guarantees:
        * the noise lives on the integers or on a finer lattice, whose step follows from
          ``sensitivity`` and ``mu`` alone; its scale is at least two steps, and at least a step
          above ``sensitivity / mu``
        * values and noise are added exactly; the answer is a function of their exact sum
        * noise is drawn afresh for each value, from the operating system, whatever seeds are set
        * hence ``mu``-GDP: vectors ``d`` steps apart are ``d / (scale - 1/4)``-GDP from two steps
          on (``docs/proofs.md``, lemma 1), and the rest of the wider scale covers the rounding of
          floats; and ``mu^2 / 2``-zCDP (Canonne, Kamath, Steinke 2020, Theorem 14)

    Args:
        values: Exact values in units of ``resolution``, any shape.
        sensitivity: L2 distance between the values of neighbouring tables, in the same units.
        mu: The price, in Gaussian DP; ``math.inf`` for no noise.
        stage: The stage that asks, for the receipt.
        released: What is released, in words, for the receipt.
        resolution: The unit of the values.
        noise: The source of noise; for tests.

    Returns:
        ``(values + noise) * resolution``, in the shape of ``values``, and the receipt.

    Raises:
        TypeError: If the values are not integers.
        ValueError: If ``sensitivity`` or ``mu`` is not above 0.
        OverflowError: If values or noise would not fit into 64 bits.
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
    # The noise is a multiple of 1 / steps. Its fraction and its whole part are added one after the
    # other, some values at a time, as there may be millions of them.
    for start in range(0, exact.size, BLOCK):
        some = slice(start, start + BLOCK)
        noisy[some] = (drawn[some] & (steps - 1)) / steps
        noisy[some] += flat[some] + (drawn[some] >> (steps.bit_length() - 1))
    noisy *= resolution
    return noisy.reshape(exact.shape), receipt


def threshold_release(  # noqa: PLR0913 (as above, and the threshold)
    keys: Sequence[Key],
    counts: NDArray[np.int64],
    *,
    sensitivity: float,
    mu: float,
    delta: float,
    max_new_keys: int,
    stage: str,
    released: str,
    least: int | NDArray[np.int64] = 1,
    most_added: int = 1,
    noise: Noise = discrete_gaussian,
) -> tuple[list[Key], NDArray[np.float64], Receipt]:
    """Release a histogram over keys that are not public: those with a high noisy count.

    A key is shown if at least ``least`` records have it, and its count plus noise exceeds ``least -
    1 + most_added + scale * isf(delta / max_new_keys)`` (Korolova et al. 2009; Wilson et al.
    2020).

    Formal guarantees:
        * a key that one unit of privacy lifts to ``least`` or above is shown with probability at
          most ``delta / max_new_keys``
        * the release is ``mu``-GDP but for a failure of probability ``delta``: ``(epsilon,
          delta_from_mu(mu, epsilon) + delta)``-DP for every ``epsilon``
        * releases that depend on each other are so with their ``mu`` composed and their ``delta``
          added up
        * a group of ``k`` units has ``k mu`` and more than ``k delta``: ``docs/proofs.md``, lemma 4
        * the order of what is shown depends on the shown keys alone

    Proof: ``docs/proofs.md``, theorem 3. A key that only one of two neighbours has ``least`` times
    has less without the unit, so ``least - 1 + most_added`` at most with it. Let ``M0`` pass
    such keys over: it is ``mu``-GDP. With ``a`` and ``b`` the chances that the release shows one of
    them for either neighbour, ``a + b <= delta``, whatever else it shows::

        P[M(D) in S]  <=  P[M0(D) in S] + a     P[M(D') in S]  >=  (1 - b) P[M0(D') in S]

    Args:
        keys: The keys present, distinct, as are their ``repr``; for many columns, pairs of a
            column and a value.
        counts: Number of records with each key, shape (number of keys,).
        sensitivity: L2 distance between the counts of neighbouring tables.
        mu: The price, in Gaussian DP; ``math.inf`` shows every key, without noise, at no ``delta``.
        delta: The probability of failure, in (0, 0.5].
        max_new_keys: How many keys can have more records in one of two neighbouring tables:
            with one key per record and column, the number of columns under
            ``add_remove``, twice that under ``replace_one``; times the records of a unit.
        stage: The stage that asks, for the receipt.
        released: What is released, in words, for the receipt.
        least: Keys with fewer records are passed over, a public or released number, or one for
            each key that follows from the key: it spares drawing noise for every value that occurs
            once.
        most_added: How much one unit of privacy adds to any count at most: the number of its
            records, if each of them counts one.
        noise: The source of noise; for tests.

    Returns:
        The shown keys, ordered by their ``repr``; their noisy counts; and the receipt.

    Raises:
        TypeError: If the counts are not integers.
        ValueError: If ``sensitivity``, ``mu``, ``delta`` or ``max_new_keys`` is out of range.
        OverflowError: If counts or noise would not fit into 64 bits.
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
    # A sum over a falling tail is at most the integral that starts one step earlier: with strict
    # excess, the discrete tail beyond the rounded-up quantile is below the continuous one.
    quantile = math.ceil(-scale * ndtri(delta / max_new_keys)) / steps
    margin = most_added + quantile if scale else 0.5
    shown = np.flatnonzero(noisy > bars[often] - 1 + margin).tolist()
    failure = 0.0 if math.isinf(mu) else delta
    return [keys[often[at]] for at in shown], noisy[shown], replace(receipt, delta=failure)


def _exact(values: NDArray[np.int64]) -> NDArray[np.int64]:
    if not np.can_cast(values.dtype, np.int64):
        raise TypeError(f'values must be integers, got {values.dtype}: round them to a grid first.')
    if values.size and not -LARGEST_VALUE < int(values.min()) <= int(values.max()) < LARGEST_VALUE:
        raise OverflowError('the sums do not fit into 64 bits: choose a coarser resolution.')
    return values.astype(np.int64, copy=False)


def _refine(sensitivity: float, mu: float) -> tuple[int, int]:
    """Return the lattice: steps per integer, a power of two, and the noise scale in steps."""
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
