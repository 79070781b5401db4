"""How the chances of the classes vary along a column: log odds in noisy counts, smoothed.

Let a bin of a column have ``n`` records, and a part ``r`` of them be of a class whose share of all
records is ``p``. Counts of the bin are released::

    y = n r + noise           records of the class
    z = n (1 - r) + noise     those of all other classes
    x = n + noise             those of all classes, which were counted before

What is asked is the *effect* ``f`` of the bin on the log odds of the class::

    log r / (1 - r) = log p / (1 - p) + f,    f = s + u

Along the bins of an ordered column ``s`` is an Ornstein-Uhlenbeck process of variance ``a t^2``,
whose correlation falls by the factor ``e`` over a part ``l`` of the column; ``u`` has the variance
``(1 - a) t^2`` and is independent from bin to bin, as are the effects of categories. So this is a
dynamic generalised linear model (West, Harrison, Migon 1985), and its estimate an iterated Kalman
smoother. How large effects are is not known. A few :class:`priors <Prior>` are tried, and weighed
by how likely they make the counts of all columns (empirical Bayes).

Records are a sample, and ``y`` varies with it by ``n r (1 - r)``. What chance explains says nothing
of other records, and is smoothed away with the noise. All of it is post-processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.constants import ApproximateConstants

#: Rounds of linearising, smoothing and weighing priors. Six change nothing any more.
ROUNDS = 6

#: Steps of Newton that make the classes add up.
LEVEL_STEPS = 4

#: Variances of counts are at least this, so that they can be divided by.
LEAST_VARIANCE = 1e-3

#: Shares of classes are taken to be at least this far from zero and one.
LEAST_SHARE = 1e-12

#: Rates are at least this far from zero and one where log odds are linearised, and no observation
#: of an effect is further than this from where it was made.
LEAST_RATE, LARGEST_MOVE = 1e-5, 3.0

#: Effects of all priors that are computed at once, at most: they bound the memory.
MOST_EFFECTS = 2**22

Floats = NDArray[np.float64]


class Seen(NamedTuple):
    """Released counts of the ``G`` bins of a column that can occur, in order.

    Args:
        by_class: Noisy counts, shape (C, G).
        scales: Standard deviations of their noise, shape (G,).
        whole: Noisy counts of all records, from another release, shape (G,).
        whole_variances: The variances of their noise, shape (G,).
        expected: Number of records, by all that is known, shape (G,).
        linked: Whether a bin follows the one before it in a meaningful order, shape (G,).
    """

    by_class: Floats
    scales: Floats
    whole: Floats
    whole_variances: Floats
    expected: Floats
    linked: NDArray[np.bool_]


class Prior(NamedTuple):
    """What effects may be like, by prior: shape (K,) each.

    Args:
        smooth: Variances of the part that varies smoothly along a column.
        rough: Variances of the part that is independent from bin to bin.
        length: Parts of a column over which the correlation of the smooth part falls by ``e``.
        weights: How likely the priors are before anything is seen; they sum to one.
    """

    smooth: Floats
    rough: Floats
    length: Floats
    weights: Floats


class Effects(NamedTuple):
    """Counts of bins, by effect: of a class in a column and of another class in another column.

    Args:
        own: Counts of the class, shape (N,).
        others: Counts of all other classes, shape (N,).
        whole: Counts of all classes, from another release, shape (N,).
        variances: The variances of the noise of these three, shape (3, N).
        expected: Number of records of the bin, shape (N,).
        share: Share of the class among all records, shape (N,).
        size: Number of bins of the column, shape (N,).
        linked: Whether the bin follows the one before it, shape (N,).
        curve: Which class and column the effect is of, ascending, shape (N,).
    """

    own: Floats
    others: Floats
    whole: Floats
    variances: Floats
    expected: Floats
    share: Floats
    size: Floats
    linked: NDArray[np.bool_]
    curve: NDArray[np.int64]

    @property
    def base(self) -> Floats:
        """The log odds of the class among all records, shape (N,)."""
        share = np.clip(self.share, LEAST_SHARE, 1 - LEAST_SHARE)
        return np.asarray(np.log(share) - np.log1p(-share))


def class_rates(
    columns: Sequence[Seen], totals: Floats, constants: ApproximateConstants
) -> list[Floats]:
    """Estimate the chances of the classes in each bin of each column.

    Args:
        columns: What is released of each column.
        totals: Number of records of each class, at least one, shape (C,) with ``C >= 2``.
        constants: The constants of the stage.

    Returns:
        Chances of the classes, for each column of shape (C, G): columns sum to one.
    """
    if not constants.shrink:
        return [_at_their_word(seen, totals) for seen in columns]
    shares = totals / totals.sum()
    # What the first of two classes has not the second has.
    classes = np.arange(1, 2) if len(totals) == 2 else np.arange(len(totals))
    blocks = [_line_up(some, classes, shares) for some in _cut(columns, len(classes), constants)]
    prior = make_prior(constants)
    weights, found = prior.weights, [_first_guess(block) for block in blocks]
    for _ in range(ROUNDS):
        likely = constants.prior_curves * prior.weights
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
    """List the priors: each size of effects with each way of being smooth."""
    sizes, parts = constants.effect_sizes, constants.smooth_parts
    size, part = (each.ravel() for each in np.meshgrid(sizes, np.arange(len(parts)), indexing='ij'))
    smooth, length = np.array(parts)[part].T
    weights = np.repeat(constants.effect_weights, len(parts))
    return Prior(size**2 * smooth, size**2 * (1 - smooth), length, weights / weights.sum())


def smooth_effects(
    bins: Effects, observed: Floats, variances: Floats, prior: Prior
) -> tuple[Floats, Floats]:
    """Return what effects are expected to be by each prior, given noisy observations of them.

    It is a Kalman filter and a smoother (Rauch, Tung, Striebel 1965) for each run of linked bins.

    Args:
        bins: What is observed, of ``J`` curves.
        observed: An observation of each effect, shape (N,).
        variances: The variances of their noise, shape (N,).
        prior: The ``K`` priors.

    Returns:
        The effects, shape (N, K), and how likely a prior makes the observations of a curve, in
        logarithms, shape (J, K).
    """
    effects = np.empty((len(observed), len(prior.weights)))
    likelihoods = np.zeros((int(bins.curve[-1]) + 1, len(prior.weights)))
    for places in _runs(bins.linked):
        first = places[:, 0]
        # The bins of a column are evenly far apart.
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
        # A place without an observation has infinite noise.
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
    """Cut the columns into blocks whose effects fit into memory."""
    sizes = [len(seen.expected) * num_classes for seen in columns]
    room = MOST_EFFECTS // (len(constants.effect_sizes) * len(constants.smooth_parts))
    first = total = 0
    for at, size in enumerate(sizes):
        if total and total + size > room:
            yield columns[first:at]
            first, total = at, 0
        total += size
    yield columns[first:]


def _line_up(columns: Sequence[Seen], classes: NDArray[np.int64], shares: Floats) -> Effects:
    """Put the counts of all columns, and of these classes in each, one after the other."""
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
    """Return the effects that counts show, drawn toward none by as many records as noise hides."""
    doubt = 2 * np.sqrt(bins.variances[0] + bins.variances[1])
    rate = (bins.own + doubt * bins.share) / (np.maximum(bins.own + bins.others, 0) + doubt)
    rate = np.clip(rate, 0.02 * bins.share, 1 - 0.02 * (1 - bins.share))
    return np.asarray(np.log(rate) - np.log1p(-rate) - bins.base)


def _linearize(bins: Effects, effects: Floats) -> tuple[Floats, Floats]:
    """Return normal observations that say of effects what counts say near these, (N,) each.

    The number of records ``n`` is whatever makes the counts likeliest.
    """
    rate = np.clip(_rate(bins, effects), LEAST_RATE, 1 - LEAST_RATE)
    slope = rate * (1 - rate)
    sampled = np.maximum(bins.expected, 1.0) * slope
    # Of (y, z) the covariance is ((a, -c), (-c, b)), with c the chance of the sample.
    a, b = bins.variances[0] + sampled, bins.variances[1] + sampled
    determinant = a * b - sampled**2
    precision_own, precision_others = b / determinant, a / determinant
    together, whole = sampled / determinant, 1 / bins.variances[2]
    by_own = precision_own * rate + together * (1 - rate)
    by_others = together * rate + precision_others * (1 - rate)
    power = rate * by_own + (1 - rate) * by_others + whole
    known = by_own * bins.own + by_others * bins.others + whole * bins.whole
    number = np.maximum(known / power, 1.0)
    # One more of the class is one less of the others.
    more, less = precision_own - together, together - precision_others
    left = more * (bins.own - number * rate) + less * (bins.others - number * (1 - rate))
    curvature = number**2 * (more - less - (more * rate + less * (1 - rate)) ** 2 / power)
    information = np.maximum(curvature * slope**2, 1e-9)
    move = number * left * slope / information
    return effects + np.clip(move, -LARGEST_MOVE, LARGEST_MOVE), 1 / information


def _level(effects: Floats, variances: Floats, bins: Effects) -> Floats:
    """Move effects, the less sure the further, until each curve has all records of its class."""
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
    """Cut what was lined up into columns again; make the chances of all classes sum to one."""
    sizes = [len(seen.expected) * count for seen in columns]
    parts = np.split(np.concatenate(rates), np.cumsum(sizes)[:-1])
    found = [part.reshape(count, -1) for part in parts]
    if len(shares) == 2:
        found = [np.concatenate([1 - own, own]) for own in found]
    return [np.asarray(own / own.sum(axis=0)) for own in found]


def _at_their_word(seen: Seen, totals: Floats) -> Floats:
    """Return the chances that counts show, without smoothing them."""
    counts = np.maximum(seen.by_class, 0.0)
    whole = counts.sum(axis=0)
    shares = np.tile((totals / totals.sum())[:, None], len(whole))
    return np.asarray(np.divide(counts, whole, out=shares, where=whole > 0))


def _runs(linked: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """Yield runs of linked bins, those of about one length together: places, (R, L), -1 for none.

    A run is filled up to a power of two.
    """
    starts = np.flatnonzero(~linked)
    lengths = np.diff(np.append(starts, len(linked)))
    padded = 1 << np.ceil(np.log2(lengths)).astype(np.int64)
    for length in np.unique(padded):
        some = padded == length
        steps = np.arange(length)
        places = starts[some][:, None] + steps
        yield np.where(steps < lengths[some][:, None], places, -1)
