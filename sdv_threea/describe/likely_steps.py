"""The likely step of a column, given noisy counts of records by step: post-processing.

Each candidate is a hypothesis: all numbers are its multiples, and some are multiples of no coarser
step. Numbers are multiples of coarser steps either as often as by chance (every tenth number is a
multiple of ten), or arbitrarily often. A priori, whole numbers are about as likely as no step, and
decimals have few digits, relative to the likely sizes of the numbers.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, logsumexp

from sdv_threea.arrays import Bools, Floats
from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.granularity import StepCounts, find_chances, find_multiples
from sdv_threea.describe.ranges import NO_NOISE, Sketch
from sdv_threea.domain import ROUND_STEPS, ROUND_TIMES

#: Prior probabilities of a step that is rounder than decimals, or than a known step; of whole
#: numbers; of decimals; and of no step. Set by hand.
KINDS = (0.04, 0.35, 0.21, 0.4)

#: If this part of the numbers is zero, and zeros exceed noise by this many standard deviations,
#: whole numbers are more likely by the last factor: flags and counts are often zero. Set by hand.
FREQUENT, CLEAR, IF_ZEROS = 0.1, 3.0, 3.0

#: Each significant digit beyond the first number multiplies the probability by the second. Set by
#: hand.
USUAL_DIGITS, RARER = 2.0, 0.7

#: Standard deviations of the share of numbers that are multiples of a coarser step, around the
#: share by chance. Set by hand.
SHARES = (0.05, 0.2, 0.5)

#: Prior probability that a coarser step has numbers, unless chance decides. Set by hand.
COARSER = 0.25

#: A step is chosen if all numbers are its multiples with this probability: rounding values away is
#: twice as bad as adding digits that no value has.
SURE = 2 / 3

#: The least prior probability: that of steps that are coarser than the numbers.
LEAST = 1e-12

#: Shares of the numbers of a column in the octaves around the middle one.
HUMP: Floats = np.exp(-((np.arange(-4, 5) / 1.5) ** 2) / 2)
HUMP /= HUMP.sum()


class Sizes(NamedTuple):
    """Sizes that most numbers other than zero may have, and their likelihoods, shape (k,) each."""

    values: Floats
    likelihoods: Floats


def find_sizes(sketch: Sketch, own: StepCounts, constants: DescribeConstants) -> Sizes | None:
    """Return octaves that most numbers may be in, with likelihoods; ``None`` for times."""
    if sketch.of_times:
        return None
    middles = np.abs(sketch.edges.mean(axis=1))
    bins = np.flatnonzero(middles)
    octaves = np.floor(np.log2(middles[bins])).astype(np.int64)
    places, first = octaves - octaves.min(), int(octaves.min())
    counts = np.bincount(places, sketch.counts[bins])
    precise = 1 / np.maximum(np.bincount(places, sketch.units[bins] ** 2), NO_NOISE**2)
    number = _count_numbers(own)[0]
    middles = first + np.arange(len(counts)) + 0.5
    low, high = constants.usual_octaves
    odd = np.maximum(np.maximum(low - middles, middles - high), 0.0)  # a nat per octave
    fits = number * _add_humps(counts * precise, HUMP) - odd
    fits -= number**2 / 2 * _add_humps(precise, HUMP**2)
    likelihoods: Floats = np.exp(fits - fits.max())
    return Sizes(np.asarray(2.0**middles), likelihoods)


def _add_humps(values: Floats, hump: Floats) -> Floats:
    return np.asarray(np.convolve(values, hump)[len(hump) // 2 :][: len(values)])


def likely_step(own: StepCounts, sizes: Sizes | None = None) -> float:
    """Return the coarsest step that surely divides all numbers, otherwise the known one, or 0."""
    if not own.counts.any():  # zeros are whole numbers
        return own.known or own.steps[_find_plain(own.steps, 0.0)]
    chances = np.exp(_fit(own) + _expect(own, sizes))
    chances /= chances.sum()
    sure = chances @ find_multiples(own.steps).T >= SURE
    return own.steps[int(np.argmax(sure))] if sure.any() else own.known


@lru_cache
def _shape(steps: tuple[float, ...]) -> tuple[Floats, Bools]:
    """Return the shares of multiples by chance, and which may occur, for each step and none."""
    last = len(steps)
    chances, may_occur = np.eye(last + 1), np.ones((last + 1, last + 1), dtype=np.bool_)
    chances[:last, :last], may_occur[:last] = find_chances(steps), find_multiples(steps)
    return chances, may_occur


def _count_all(own: StepCounts) -> tuple[float, float]:
    noise = max(own.scale, NO_NOISE) * math.sqrt(len(own.counts))
    return own.total or (float(own.counts.sum()) + own.zeros, noise)


def _count_numbers(own: StepCounts) -> tuple[float, float]:
    """Return the number of records other than zero, at least its noise, and this noise."""
    scale, (total, noise) = max(own.scale, NO_NOISE), _count_all(own)
    return max(total - own.zeros, scale), math.hypot(scale, noise)


def _fit(own: StepCounts) -> Floats:
    number, noise = _count_numbers(own)
    fits = [_fit_chances(own, number, noise, each) for each in SHARES]
    by_chance = logsumexp(fits, axis=0) - math.log(len(SHARES))
    found = np.logaddexp(by_chance, _fit_any(own, number))
    return np.asarray(found - found.max())


def _fit_chances(own: StepCounts, number: float, noise: float, spread: float) -> Floats:
    """Return the log likelihood if chance decides which numbers are multiples of coarser steps."""
    scale, (chances, _) = max(own.scale, NO_NOISE), _shape(own.steps)
    uneven = chances * (1 - chances)
    variances = scale**2 + uneven * (number + (spread * number) ** 2)
    gaps = own.counts - number * chances
    # The error of the number is common to all counts, a matrix of rank one (Sherman and Morrison
    # 1950).
    agreeing, seen = (gaps * chances / variances).sum(axis=1), (chances**2 / variances).sum(axis=1)
    distance = (gaps**2 / variances).sum(axis=1) - agreeing**2 / (noise**-2 + seen)
    volume = np.log(variances / scale**2).sum(axis=1) + np.log1p(noise**2 * seen)
    return np.asarray(-(distance + volume) / 2)


def _fit_any(own: StepCounts, number: float) -> Floats:
    """Return the log likelihood if each count is zero or any part of the number of records."""
    counts, scale = own.counts, max(own.scale, NO_NOISE)
    nothing = -((counts / scale) ** 2) / 2
    # The log likelihood of this count, averaged over true counts between 0 and the number.
    far = counts > number / 2
    low, high = (counts - number) / scale, counts / scale
    low, high = np.where(far, -high, low), np.where(far, -low, high)
    above, below = log_ndtr(high), log_ndtr(low)
    some = above + np.log1p(-np.exp(below - above)) + math.log(math.tau**0.5 * scale / number)
    either = np.logaddexp(nothing + math.log(1 - COARSER), some + math.log(COARSER))
    fits = np.where(_shape(own.steps)[1], either, nothing)
    np.fill_diagonal(fits, some)
    return np.asarray(fits.sum(axis=1))


def _expect(own: StepCounts, sizes: Sizes | None) -> Floats:
    steps, last = np.array(own.steps), len(own.steps)
    digits = np.full((1, last), 0.0) if sizes is None else np.log10(sizes.values[:, None] / steps)
    few = np.where(digits < 0, 0.0, RARER ** np.maximum(digits - USUAL_DIGITS, 0.0))
    few = np.column_stack([few, np.ones(len(few))])
    prior = np.zeros(few.shape)
    for part, kind in _list_kinds(own.steps, own.known):
        prior += part * few * kind / np.maximum((few * kind).sum(axis=1, keepdims=True), LEAST)
    prior /= np.maximum(prior.sum(axis=1, keepdims=True), LEAST)
    mean = prior[0] if sizes is None else np.average(prior, axis=0, weights=sizes.likelihoods)
    if own.zeros > max(FREQUENT * _count_all(own)[0], CLEAR * own.scale):
        mean[_find_plain(own.steps, own.known)] *= IF_ZEROS
    return np.asarray(np.log(np.maximum(mean, LEAST)))


@lru_cache
def _list_kinds(steps: tuple[float, ...], known: float) -> list[tuple[float, Floats]]:
    """Return kinds of steps: their prior probabilities, and the steps (or none) of each kind."""
    each: Floats = np.array([*steps, 0.0])
    plain = each == each[_find_plain(steps, known)]
    rounder = each > known if known else np.isin(each, [*ROUND_STEPS, *ROUND_TIMES])
    kinds = (rounder & ~plain, plain, ~rounder & ~plain & (each > 0), (each == 0) & (not known))
    parts = (KINDS[0], 1 - KINDS[0], 0.0, 0.0) if known else KINDS
    return [(part, kind.astype(np.float64)) for part, kind in zip(parts, kinds, strict=True)]


def _find_plain(steps: tuple[float, ...], known: float) -> int:
    """Return the place of the known step, or otherwise of whole numbers or days."""
    rounder = {*ROUND_STEPS, *ROUND_TIMES}
    return steps.index(known) if known else [step in rounder for step in steps].index(False)
