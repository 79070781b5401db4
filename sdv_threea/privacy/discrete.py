"""The discrete Gaussian, sampled exactly from the entropy of the operating system.

Each side of zero is cut into strips, each with a step of integer height above the bell curve
(rejection sampling under a staircase, von Neumann 1951). From random bits, a trial picks a strip in
proportion to its step, and a place in the strip. It keeps the place with probability curve / step.
Floats decide only clear comparisons, so draws follow the exact distribution, as privacy needs
(Mironov 2012; Canonne, Kamath, Steinke 2020, arXiv 2004.00010).
"""

import math
import os
import secrets
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import TypeVar

import numpy as np

from sdv_threea.arrays import Floats, Wholes

#: Bits of a 64-bit random word that pick a strip; their value is called the lot of the word. The
#: other bits pick a place in the strip, and the sign.
LOT_BITS = 16

#: Least number of strips per unit of scale, for large scales: one trial in a hundred is rejected.
FINENESS = 32

#: Places of larger scales would need more than the 47 bits that a word has left.
LARGEST_SCALE = 2**53

#: Range of the strips, in scales. One lot represents everything beyond, which suffices because
#: ``exp(-REACH^2 / 2) < 2^-LOT_BITS``.
REACH = 5

#: The number of first bits of the uniform number that is compared with a probability.
LEADING_BITS = 32

#: Exact arithmetic decides if the difference is below this, in units of the last leading bit: one
#: unit for bits that are not drawn yet and one for rounding.
MARGIN = 2.0

#: Trials at a time; this many fit into the cache of the processor.
BATCH = 2**15

Whole = TypeVar('Whole', int, Wholes)


def discrete_gaussian(size: int, scale: float) -> Wholes:
    """Return draws ``y`` with probabilities proportional to ``exp(-y^2 / (2 scale^2))``.

    Formal guarantees:
        * each draw has exactly this distribution, for the rational number that the float ``scale``
          is, if the bits of the operating system are fair and the floats of :func:`_weigh` are
          right to ``2^-33``; they are right to ``2^-46``
        * draws are independent, and all randomness is fresh from the operating system, whatever
          seeds are set, also in forked processes

    Proof. Let there be ``count`` strips of ``width`` integers. Each integer ``y`` is ``v`` or ``-1
    - v`` in exactly one way, with ``v = (laps * count + strip) * width + place``. A trial proposes
    ``y`` with probability ``2^(-LOT_BITS * laps) * step[strip] / 2^LOT_BITS / (2 * width)``, and
    keeps it with probability::

        2^(LOT_BITS * laps) * unit * exp(-y^2 / (2 scale^2)) / step[strip]

    The product is ``exp(-y^2 / (2 scale^2))`` times a constant. The second factor is a probability:
    ``y^2 >= (laps * count * width)^2 + (strip * width)^2`` and ``laps^2 >= laps``, so the curve is
    at most ``exp(-(count * width / scale)^2 / 2)^laps <= 2^(-LOT_BITS * laps)`` times its value at
    the start of the strip, which is at most ``step[strip] / unit``. Trials are independent, and
    kept draws stay in order.
    """
    if not 0 < scale < LARGEST_SCALE or size < 0:
        raise ValueError(
            'scale must be above 0 and below 2^53, and size at least 0: '
            f'got {scale=} and {size=}. Choose a coarser resolution or a larger epsilon.'
        )
    stairs = _build(float(scale))
    draws = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        kept = _try(stairs, min(BATCH, size - filled))
        draws[filled : filled + kept.size] = kept
        filled += kept.size
    return draws


@dataclass(frozen=True)
class _Stairs:
    """Steps above ``unit * exp(-v^2 / (2 scale^2))``, each over ``2^shift`` integers ``v``."""

    scale: float
    shift: int
    unit: int
    steps: Wholes
    lots: Wholes  # the strip that each lot picks; the last lot picks none


def _build(scale: float) -> _Stairs:
    shift = max(0, math.frexp(scale / FINENESS)[1] - 1)
    strips = np.arange(math.ceil(REACH * scale / 2**shift), dtype=np.int64)
    curve = np.exp(-0.5 * (strips * 2.0**shift / scale) ** 2)
    shared = 2**LOT_BITS - 1
    unit = int((shared - 2 * len(strips)) / curve.sum())
    # Each step is at least 1/2 above the curve, which is far more than the error of a float.
    steps = np.rint(unit * curve).astype(np.int64) + 1
    steps[0] += shared - steps.sum()
    lots = np.repeat(np.append(strips, len(strips)), np.append(steps, 1))
    return _Stairs(scale, shift, unit, steps, lots)


def _try(stairs: _Stairs, trials: int) -> Wholes:
    words = np.frombuffer(os.urandom(8 * trials), dtype=np.int64)
    leading = np.frombuffer(os.urandom(4 * trials), dtype=np.uint32)
    strips: Wholes = stairs.lots[words & (2**LOT_BITS - 1)]
    proposed = _place(words, strips, stairs.shift)
    excess = _weigh(stairs, strips, proposed) - leading
    kept = excess > MARGIN
    for at in np.flatnonzero(~(np.abs(excess) > MARGIN)).tolist():  # last lot: not a number
        exact, kept[at] = _settle(stairs, int(words[at]), int(leading[at]))
        proposed[at] = exact if kept[at] else 0
    return proposed[kept]


def _place(word: Whole, strip: Whole, shift: int) -> Whole:
    """Return the integer that a word proposes; the bits above the lot are its place and sign."""
    magnitude = (strip << shift) + ((word >> LOT_BITS) & (2**shift - 1))
    placed: Whole = magnitude ^ (word >> 63)
    return placed


def _weigh(stairs: _Stairs, strips: Wholes, proposed: Wholes) -> Floats:
    """Return probabilities of keeping the proposals, in units of the last leading bit.

    With ``z = y / scale``, a probability ``p`` is wrong by at most ``p (2 z^2 + 5) / 2^52`` if
    ``np.exp`` is wrong by 4 units in the last place. That is ``2^-46``, as ``z`` is below ``REACH``
    at the start of a strip and ``p`` is at most 1. The proof holds if ``np.exp`` is right to ten
    digits.
    """
    chances = np.append(2.0**LEADING_BITS * stairs.unit / stairs.steps, math.nan)
    with np.errstate(over='ignore'):
        return chances[strips] * np.exp(-0.5 * (proposed / stairs.scale) ** 2)


def _settle(stairs: _Stairs, word: int, leading: int) -> tuple[int, bool]:
    """Return the proposal of a trial and whether it is kept, in exact arithmetic."""
    count, laps = len(stairs.steps), 0
    strip = int(stairs.lots[word & (2**LOT_BITS - 1)])
    while strip == count:
        laps += 1
        strip = int(stairs.lots[secrets.randbits(LOT_BITS)])
    proposed = _place(word, laps * count + strip, stairs.shift)
    factor = Fraction(stairs.unit << (LOT_BITS * laps), int(stairs.steps[strip]))
    return proposed, _is_below(leading, factor, (proposed / Fraction(stairs.scale)) ** 2 / 2)


def _is_below(leading: int, factor: Fraction, exponent: Fraction) -> bool:
    """Whether a uniform number with these leading bits is below ``factor * exp(-exponent)``."""
    bits = LEADING_BITS
    while True:
        leading, bits = leading << 32 | secrets.randbits(32), bits + 32
        low, high = (2**bits * factor * bound for bound in _enclose(exponent, bits))
        if leading + 1 <= low:
            return True
        if leading >= high:
            return False


def _enclose(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of ``exp(-exponent)``; decimal arithmetic rounds to the nearest."""
    own = Context(prec=digits, rounding=ROUND_HALF_EVEN, traps=[])
    power = own.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator))
    low, high = own.exp(own.next_minus(power)), own.exp(own.next_plus(power))
    return Fraction(own.next_minus(low)), Fraction(own.next_plus(high))
