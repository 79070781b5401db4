"""The number of values, and the records of each value, from noisy counts of hash buckets.

Values fall into buckets at random. So each of ``B`` buckets contains a Poisson number of values,
and its count is the sum of their *sizes*, the records of each value. A size is log-normal, rounded,
and at least one. The median and the spread of the sizes follow by maximum likelihood from all
counts and the noise (deconvolution); the number of values is the total over the mean size. The
whole module is post-processing.

Exact counts of buckets are drawn given the noisy ones, so that the number of occupied buckets, and
the unevenness of counts, are right. A threshold would lose every value whose count noise exceeds.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, pdtrik

from sdv_threea.arrays import Floats, Wholes

#: Candidates for the spread of the logarithm of sizes, and the number of candidates for the median.
SPREADS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.3, 1.6, 2.0, 2.5, 3.0)
MEDIANS = 40

#: Sizes are tried up to the first number, or up to the second if noise is large.
LEAST_REACH, LARGEST_REACH = 4096, 2**16

#: Noise is assumed to be below ``FAR`` standard deviations, and sizes up to ``REACH`` standard
#: deviations of noise are tried.
FAR, REACH = 6, 16

#: Every record counts as a value of its own unless this lowers the log likelihood by more than
#: this.
DOUBT = 2.0

#: The fractional parts of multiples of these are evenly spread in [0, 1). They are the same for all
#: columns, so that columns with the same values mostly have the same occupied buckets.
PLACE, OTHER_PLACE = (math.sqrt(5) - 1) / 2, math.sqrt(2) - 1


@dataclass(frozen=True)
class Sizes:
    """The sizes of values, and the mean number of values in a bucket, the ``rate``.

    ``chances`` are the probabilities of sizes from 0 to the largest tried one, shape (reach + 1,);
    ``distinct`` means that each record counts as a value of its own.
    """

    chances: Floats
    rate: float
    distinct: bool

    def bucket(self) -> Floats:
        """Return the probabilities of the exact counts of a bucket, shape (reach + 1,)."""
        return self._invert(np.exp(self.rate * (self._transform() - 1)))

    def several(self, most: int) -> Floats:
        """Return the probability that a bucket has k values and a given count, (most + 1, S)."""
        step, found = self._transform(), []
        power = np.full(len(step), np.exp(-self.rate), dtype=np.complex128)
        for number in range(most + 1):
            found.append(self._invert(power))
            power = power * step * (self.rate / (number + 1))
        return np.array(found)

    def _transform(self) -> NDArray[np.complex128]:
        return np.asarray(np.fft.rfft(self.chances, 2 * len(self.chances)))

    def _invert(self, transformed: NDArray[np.complex128]) -> Floats:
        found = np.fft.irfft(transformed, 2 * len(self.chances))[: len(self.chances)]
        return np.asarray(np.maximum(found, 0.0))


def occupy(counts: Floats, scale: float, total: float, known: int = 0) -> Floats:
    """Return whole bucket counts without their noise, shape (B,).

    Each count is drawn given the noisy one. So single counts stay as uncertain as the noise makes
    them, and the shares of empty and large buckets are right. ``total`` is the number of records,
    and ``known`` the number of values if that is public, otherwise 0.
    """
    if not scale:
        return counts
    own = fit_sizes(counts, scale, total, known).bucket()
    sizes, places = np.arange(len(own)), _spread(PLACE, len(counts))
    found = np.array(
        [
            round(count)  # too large to be anything else
            if count > len(own) - FAR * scale
            else _draw(own * np.exp(-np.square((sizes - count) / scale) / 2), place)
            for count, place in zip(counts.tolist(), places.tolist(), strict=True)
        ],
        dtype=np.float64,
    )
    if total >= 1 and not found.any():
        found[np.argmax(counts)] = 1.0
    if known:  # values fill no more buckets than they are
        found[np.argsort(-found, kind='stable')[known:]] = 0.0
    return found


def share_out(counts: Floats, known: int = 0) -> tuple[Wholes, Wholes]:
    """Share bucket counts, shape (B,), out among values.

    Returns:
        The bucket and the size of each of V values, in order of buckets, the largest first, shape
        (V,) each; empty if each record counts as a value of its own.
    """
    sizes = fit_sizes(counts, 0.0, float(counts.sum()), known)
    if sizes.distinct:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    reach, places = len(sizes.chances) - 1, _spread(PLACE, len(counts))
    table = sizes.several(int(sizes.rate + 8 * np.sqrt(sizes.rate) + 4))
    # For an impossible count, each number of values is as likely as in any bucket.
    table += 1e-12 * table.sum(axis=1, keepdims=True)
    usual = np.ceil(pdtrik(places, sizes.rate)).astype(int)
    # A count beyond the reach has one large value, and as many others as a usual bucket.
    numbers = [
        0 if count < 1 else 1 + other if count > reach else max(_draw(table[:, count], place), 1)
        for count, place, other in zip(counts.astype(int), places, usual, strict=True)
    ]
    buckets = np.repeat(np.arange(len(counts)), numbers)
    evenly = _spread(OTHER_PLACE, len(buckets))
    drawn = np.searchsorted(np.cumsum(sizes.chances)[1:-1], evenly) + 1
    buckets, drawn = _sort(buckets, drawn)
    firsts = np.unique(buckets, return_index=True)[1]
    sums = np.bincount(buckets, drawn, len(counts))
    parts = np.minimum(counts / np.maximum(sums, 1), 1)[buckets]
    drawn = np.maximum((drawn * parts).astype(np.int64), 1)
    if known:
        kept = np.isin(np.arange(len(drawn)), firsts)
        kept[np.argsort(-np.where(kept, np.inf, drawn))[:known]] = True
        buckets, drawn = buckets[kept], drawn[kept]
        firsts = np.unique(buckets, return_index=True)[1]
    # The largest value gets the missing records.
    missing = counts - np.bincount(buckets, drawn, len(counts))
    drawn[firsts] += missing[buckets[firsts]].astype(np.int64)
    return _sort(buckets, np.maximum(drawn, 1))


def fit_sizes(counts: Floats, scale: float, total: float, known: int = 0) -> Sizes:
    """Fit the sizes of values to noisy bucket counts, (B,); by default each record is a value."""
    total, mean = max(total, 1.0), max(total, 1.0) / len(counts)
    reach = min(max(LEAST_REACH, int(REACH * scale), int(FAR * mean)), LARGEST_REACH)
    alone = Sizes(np.eye(1, reach + 1, 1)[0], mean, True)
    if REACH * scale > reach or known >= total:
        return alone
    found = [alone] if not known else []
    best, chance = None, -np.inf
    for sizes in _list_sizes(total, len(counts), reach, known):
        likelihood = _judge(sizes, counts, scale)
        if likelihood > chance:
            best, chance = sizes, likelihood
    if best is None or any(_judge(each, counts, scale) >= chance - DOUBT for each in found):
        return alone
    return best


def _list_sizes(total: float, num_buckets: int, reach: int, known: int) -> Iterator[Sizes]:
    """Yield the sizes to try; with a known number of values, only sizes that lead to it."""
    for spread in SPREADS:
        medians = np.geomspace(0.5 if spread else 1.0, total, MEDIANS)
        if known:
            medians = _find_median(spread, total / known, reach)
        for own, mean in (_make_sizes(each, spread, reach) for each in np.unique(medians)):
            if 0 < mean <= total:
                yield Sizes(own, total / mean / num_buckets, False)


def _find_median(spread: float, mean: float, reach: int) -> Floats:
    if not spread:
        return np.array([mean])

    def miss(logarithm: float) -> float:
        return _make_sizes(math.exp(logarithm), spread, reach)[1] - mean

    least, most = math.log(0.5), math.log(mean) + 1
    if miss(least) > 0:
        return np.zeros(0)
    return np.exp([brentq(miss, least, most, xtol=1e-6)])


def _make_sizes(median: float, spread: float, reach: int) -> tuple[Floats, float]:
    """Return the chances of sizes up to the reach, and the mean size; 0 if there is none."""
    chances = np.zeros(reach + 1)
    if not spread:
        size = round(median)
        chances[min(size, reach)] = size <= reach
        return chances, float(size)
    borders = (np.log(np.arange(reach + 1) + 0.5) - np.log(median)) / spread
    mass = ndtr(-borders[0])
    if mass < 1e-9:
        return chances, 0.0
    chances[1:] = np.diff(ndtr(borders)) / mass
    beyond = median * np.exp(spread**2 / 2) * ndtr(spread - borders[-1]) / mass
    return chances, float(chances @ np.arange(reach + 1) + beyond)


def _judge(sizes: Sizes, counts: Floats, scale: float) -> float:
    """Return the log likelihood of noisy counts; counts beyond the reach are censored."""
    own, noise = sizes.bucket(), int(np.ceil(FAR * scale))
    last = len(own) - 1 - noise
    inside = counts <= last
    if scale:
        kernel = np.exp(-np.square(np.arange(-noise, noise + 1) / scale) / 2)
        own = _convolve(own, kernel / kernel.sum())
    at = np.clip(counts[inside] + noise, 0, len(own) - 2)
    low = np.floor(at).astype(int)
    density = own[low] * (1 - (at - low)) + own[low + 1] * (at - low)
    tail = max(1 - own[: last + noise + 1].sum(), 1e-12)
    likelihood = np.log(np.maximum(density, 1e-12)).sum() + (~inside).sum() * np.log(tail)
    return float(likelihood)


def _convolve(first: Floats, second: Floats) -> Floats:
    size = len(first) + len(second) - 1
    return np.asarray(np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size))


def _spread(step: float, number: int) -> Floats:
    return np.asarray(np.arange(1, number + 1) * step % 1)


def _draw(weights: Floats, place: float) -> int:
    """Return a number drawn by weights, given a uniform ``place`` in [0, 1)."""
    summed = np.cumsum(weights)
    return int(min(np.searchsorted(summed, place * summed[-1], 'right'), len(weights) - 1))


def _sort(buckets: Wholes, sizes: Wholes) -> tuple[Wholes, Wholes]:
    order = np.lexsort((-sizes, buckets))
    return buckets[order], sizes[order]
