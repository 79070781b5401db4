"""Class probabilities in each bin of a column: log odds, smoothed from noisy counts.

A part ``r`` of the ``n`` records in a bin has a class, whose share of all records is ``p``::

    y = n r + noise                            records of the class
    z = n (1 - r) + noise                      records of all other classes
    x = n + noise                              records of all classes, from an earlier release
    log r / (1 - r) = log p / (1 - p) + f      f = s + u: the effect of the bin

Along ordered bins ``s`` is an Ornstein-Uhlenbeck process of variance ``a t^2``, whose correlation
falls by the factor ``e`` over a part ``l`` of the column; ``u`` is independent, with variance
``(1 - a) t^2``. This is a dynamic generalised linear model (West, Harrison, Migon 1985), estimated
by an iterated Kalman smoother; :class:`priors <Prior>` are weighted by the likelihood of all counts
(empirical Bayes). Sampling variance of ``y``, ``n r (1 - r)``, is smoothed away like noise.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import SPREADS, ApproximateConstants

#: Rounds of linearising, smoothing and weighing priors; more than six change nothing.
ROUNDS = 6

#: Newton steps by which each class sums to its size.
LEVEL_STEPS = 4

#: Floor of count variances, which are divisors.
LEAST_VARIANCE = 1e-3

#: Least distance of class shares from zero and one.
LEAST_SHARE = 1e-12

#: Least distance of rates from zero and one if log odds are linearised; and the largest distance of
#: an observation from its linearisation point.
LEAST_RATE, LARGEST_MOVE = 1e-5, 3.0

#: Largest number of effects of all priors at once: bounds the memory.
MOST_EFFECTS = 2**22


class Seen(NamedTuple):
    """Released counts of the ``G`` possible bins of a column, in order.

    Args:
        by_class: Noisy counts, shape (C, G), of noise scales ``scales``, shape (G,).
        whole: Noisy counts of all records, from another release, shape (G,).
        expected: Best estimate of the number of records, shape (G,).
        linked: Whether a bin follows the one before it in a meaningful order, shape (G,).
    """

    by_class: Floats
    scales: Floats
    whole: Floats
    whole_variances: Floats
    expected: Floats
    linked: Bools


class Prior(NamedTuple):
    """``K`` priors of effects: variances of a smooth and a rough part, lengths, weights, (K,)."""

    smooth: Floats
    rough: Floats
    length: Floats
    weights: Floats


class Effects(NamedTuple):
    """Fields of :class:`Seen`, with one entry per class and bin, shape (N,).

    Args:
        variances: Noise variances of ``own``, ``others`` and ``whole``, shape (3, N).
        share: Share of the class among all records.
        size: Number of bins of the column.
        curve: Index of the class and column, ascending.
    """

    own: Floats
    others: Floats
    whole: Floats
    variances: Floats
    expected: Floats
    share: Floats
    size: Floats
    linked: Bools
    curve: Wholes

    @property
    def base(self) -> Floats:
        """The log odds of the class among all records, shape (N,)."""
        share = np.clip(self.share, LEAST_SHARE, 1 - LEAST_SHARE)
        return np.asarray(np.log(share) - np.log1p(-share))


def class_rates(
    columns: Sequence[Seen], totals: Floats, constants: ApproximateConstants
) -> list[Floats]:
    """Return the probabilities of at least two classes in each bin, shape (C, G) per column."""
    if not constants.shrink:
        return [_at_their_word(seen, totals) for seen in columns]
    shares = totals / totals.sum()
    # With two classes, the second determines the first.
    classes = np.arange(1, 2) if len(totals) == 2 else np.arange(len(totals))
    blocks = [_line_up(some, classes, shares) for some in _cut(columns, len(classes), constants)]
    prior = make_prior(constants)
    weights, found = prior.weights, [_first_guess(block) for block in blocks]
    for _ in range(ROUNDS):
        likely = len(SPREADS) * prior.weights
        for at, block in enumerate(blocks):
            observed, variances = _linearize(block, found[at])
            effects, likelihoods = smooth_effects(block, observed, variances, prior)
            odds = likelihoods + np.log(weights)
            chances = np.exp(odds - odds.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            likely = likely + chances.sum(axis=0)
            own = chances[block.curve]
            known = own @ (prior.smooth + prior.rough)
            left = known * variances / (known + variances)
            found[at] = _level((effects * own).sum(axis=1), left, block)
        weights = likely / likely.sum()
    rates = [_rate(block, effects) for block, effects in zip(blocks, found, strict=True)]
    return _fold(columns, rates, len(classes), shares)


def make_prior(constants: ApproximateConstants) -> Prior:
    """Return the priors: each effect size, weighted by its root, with each smoothness."""
    sizes, parts = np.array(SPREADS), constants.smooth_parts
    size, part = (each.ravel() for each in np.meshgrid(sizes, np.arange(len(parts)), indexing='ij'))
    smooth, length = np.array(parts)[part].T
    weights = np.repeat(np.sqrt(sizes), len(parts))
    return Prior(size**2 * smooth, size**2 * (1 - smooth), length, weights / weights.sum())


def smooth_effects(
    bins: Effects, observed: Floats, variances: Floats, prior: Prior
) -> tuple[Floats, Floats]:
    """Return posterior mean effects, (N, K), and log likelihoods of curves, (J, K), by prior.

    This is a Kalman filter and smoother (Rauch, Tung, Striebel 1965) over each run of linked bins,
    given an observation of each effect and its noise variance, shape (N,) each.
    """
    effects = np.empty((len(observed), len(prior.weights)))
    likelihoods = np.zeros((int(bins.curve[-1]) + 1, len(prior.weights)))
    for places in _runs(bins.linked):
        first = places[:, 0]
        # Neighbouring bins are at equal distances.
        falls = np.exp(-1 / (bins.size[first][:, None] * prior.length))
        inside = places >= 0
        seen = np.where(inside, observed[places], 0.0)[:, :, None]
        noise = np.where(inside, variances[places], np.inf)[:, :, None]
        own, likely = _smooth_runs(seen, noise, falls, prior)
        effects[places[inside]] = own[inside]
        np.add.at(likelihoods, bins.curve[first], likely)
    return effects, likelihoods


def _smooth_runs(seen: Floats, noise: Floats, falls: Floats, prior: Prior) -> tuple[Floats, Floats]:
    """Smooth runs of equal length: observations and noise (R, L, 1), correlations (R, K)."""
    num_runs, length, _ = seen.shape
    shape = (length, num_runs, len(prior.weights))
    before, after = np.zeros((2, *shape)), np.zeros((2, *shape))
    mean, variance = np.zeros(shape[1:]), np.broadcast_to(prior.smooth, shape[1:])
    likely = np.zeros(shape[1:])
    for at in range(length):
        if at:
            mean = falls * mean
            variance = falls**2 * variance + (1 - falls**2) * prior.smooth
        before[:, at] = mean, variance
        # Padded places have infinite noise.
        spread = variance + prior.rough + noise[:, at]
        surprise, gain = seen[:, at] - mean, variance / spread
        counts = np.isfinite(spread)
        likely -= 0.5 * np.where(counts, surprise**2 / spread + np.log(spread), 0.0)
        mean, variance = mean + gain * surprise, variance * (1 - gain)
        after[:, at] = mean, variance
    found = np.empty((num_runs, length, shape[2]))
    for at in reversed(range(length)):
        if at + 1 < length:
            pull = after[1, at] * falls / np.maximum(before[1, at + 1], 1e-300)
            mean = after[0, at] + pull * (mean - before[0, at + 1])
        rough = prior.rough / (prior.rough + noise[:, at])
        found[:, at] = mean + rough * (seen[:, at] - mean)
    return found, likely


def _cut(
    columns: Sequence[Seen], num_classes: int, constants: ApproximateConstants
) -> Iterator[Sequence[Seen]]:
    sizes = [len(seen.expected) * num_classes for seen in columns]
    room = MOST_EFFECTS // (len(SPREADS) * len(constants.smooth_parts))
    first = total = 0
    for at, size in enumerate(sizes):
        if total and total + size > room:
            yield columns[first:at]
            first, total = at, 0
        total += size
    yield columns[first:]


def _line_up(columns: Sequence[Seen], classes: Wholes, shares: Floats) -> Effects:
    count = len(classes)
    sizes = np.array([len(seen.expected) for seen in columns])

    def repeat(values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([np.tile(each, count) for each in values])

    own = np.concatenate([seen.by_class[classes].ravel() for seen in columns])
    together = repeat([seen.by_class.sum(axis=0) for seen in columns])
    noise = np.maximum(repeat([np.square(seen.scales) for seen in columns]), LEAST_VARIANCE)
    whole_noise = np.maximum(repeat([seen.whole_variances for seen in columns]), LEAST_VARIANCE)
    lengths = np.repeat(sizes, count)
    curve = np.repeat(np.arange(len(lengths)), lengths)
    return Effects(
        own=own,
        others=together - own,
        whole=repeat([seen.whole for seen in columns]),
        variances=np.stack([noise, noise * (len(shares) - 1), whole_noise]),
        expected=repeat([seen.expected for seen in columns]),
        share=np.tile(shares[classes], len(columns))[curve],
        size=lengths[curve].astype(np.float64),
        linked=repeat([seen.linked for seen in columns]),
        curve=curve,
    )


def _first_guess(bins: Effects) -> Floats:
    """Return the effects of raw counts, shrunk toward zero by a pseudo-count of twice the noise."""
    doubt = 2 * np.sqrt(bins.variances[0] + bins.variances[1])
    rate = (bins.own + doubt * bins.share) / (np.maximum(bins.own + bins.others, 0) + doubt)
    rate = np.clip(rate, 0.02 * bins.share, 1 - 0.02 * (1 - bins.share))
    return np.asarray(np.log(rate) - np.log1p(-rate) - bins.base)


def _linearize(bins: Effects, effects: Floats) -> tuple[Floats, Floats]:
    """Return normal observations of effects, and their variances, that match the counts, (N,)."""
    rate = np.clip(_rate(bins, effects), LEAST_RATE, 1 - LEAST_RATE)
    slope = rate * (1 - rate)
    sampled = np.maximum(bins.expected, 1.0) * slope
    # The covariance of (y, z) is ((a, -c), (-c, b)), where c is the sampling variance.
    a, b = bins.variances[0] + sampled, bins.variances[1] + sampled
    determinant = a * b - sampled**2
    precision_own, precision_others = b / determinant, a / determinant
    together, whole = sampled / determinant, 1 / bins.variances[2]
    by_own = precision_own * rate + together * (1 - rate)
    by_others = together * rate + precision_others * (1 - rate)
    power = rate * by_own + (1 - rate) * by_others + whole
    known = by_own * bins.own + by_others * bins.others + whole * bins.whole
    number = np.maximum(known / power, 1.0)
    # Each additional record of the class is one fewer of the other classes.
    more, less = precision_own - together, together - precision_others
    left = more * (bins.own - number * rate) + less * (bins.others - number * (1 - rate))
    curvature = number**2 * (more - less - (more * rate + less * (1 - rate)) ** 2 / power)
    information = np.maximum(curvature * slope**2, 1e-9)
    move = number * left * slope / information
    return effects + np.clip(move, -LARGEST_MOVE, LARGEST_MOVE), 1 / information


def _level(effects: Floats, variances: Floats, bins: Effects) -> Floats:
    """Shift effects, in proportion to their variances, until each curve sums to its class size."""
    number, found = np.maximum(bins.expected, 0.0), effects
    goal = np.bincount(bins.curve, number * bins.share)
    for _ in range(LEVEL_STEPS):
        rate = _rate(bins, found)
        gains = number * rate * (1 - rate)
        missing = goal - np.bincount(bins.curve, number * rate)
        power = np.bincount(bins.curve, gains**2 * variances)
        found = found + variances * gains * (missing / np.maximum(power, 1e-9))[bins.curve]
    return found


def _rate(bins: Effects, effects: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(bins.base + effects, -30, 30))))


def _fold(
    columns: Sequence[Seen], rates: Sequence[Floats], count: int, shares: Floats
) -> list[Floats]:
    sizes = [len(seen.expected) * count for seen in columns]
    parts = np.split(np.concatenate(rates), np.cumsum(sizes)[:-1])
    found = [part.reshape(count, -1) for part in parts]
    if len(shares) == 2:
        found = [np.concatenate([1 - own, own]) for own in found]
    return [np.asarray(own / own.sum(axis=0)) for own in found]


def _at_their_word(seen: Seen, totals: Floats) -> Floats:
    counts = np.maximum(seen.by_class, 0.0)
    whole = counts.sum(axis=0)
    shares = np.tile((totals / totals.sum())[:, None], len(whole))
    return np.asarray(np.divide(counts, whole, out=shares, where=whole > 0))


def _runs(linked: Bools) -> Iterator[Wholes]:
    """Yield places of runs of linked bins, (R, L), padded with -1 to a power of two."""
    starts = np.flatnonzero(~linked)
    lengths = np.diff(np.append(starts, len(linked)))
    padded = 1 << np.ceil(np.log2(lengths)).astype(np.int64)
    for length in np.unique(padded):
        some = padded == length
        steps = np.arange(length)
        places = starts[some][:, None] + steps
        yield np.where(steps < lengths[some][:, None], places, -1)
