"""Draw from the released density given that some scores lie in a region, without rejection.

A region allows some classes and, in each of them, unions of intervals of some columns. A component
is chosen by the probability that it gives to the region. Inside it, restricted scores are drawn one
after the other from truncated normals given those before (Genz 1992,
https://doi.org/10.1080/10618600.1992.10477010); the other scores follow from the conditional
normal.

This is exact for one restricted column. For several, draws have importance weights, and rows are
resampled from a pool of draws: their distribution converges to the exact one as the pool grows.
Probabilities are logarithms of the nearer tail, so regions may be very improbable and far out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

from sdv_threea.approximate.mixture import Mixture
from sdv_threea.sampling.asked import ImpossibleCondition

#: The number of draws that estimate the probability of a component: one per this many rows, within
#: bounds.
ROWS_PER_WEIGHING, LEAST_WEIGHINGS, MOST_WEIGHINGS = 4, 128, 8192

#: Draws in the pool that rows are resampled from, per row and at least.
POOL_PER_ROW, LEAST_POOL = 8, 128

#: Rows that are drawn from one pool.
MOST_ROWS = 4_096

#: A density that changes by less than this share over an interval counts as constant there.
LEVEL = 1e-5

#: Random places keep this distance from 0 and 1, where quantiles are infinite.
MARGIN = 1e-16


@dataclass(frozen=True)
class Region:
    """The region that rows must lie in.

    Args:
        classes: Which classes may occur, shape (C,).
        columns: The restricted columns, shape (q,), of ``m``.
        intervals: Allowed quantiles, in [0, 1], of the marginals of each class: disjoint half-open
            intervals in ascending order, shape (C, q, I, 2). An interval that ends where it starts
            is empty; a class that has only empty intervals in a column cannot occur.
    """

    classes: NDArray[np.bool_]
    columns: NDArray[np.int64]
    intervals: NDArray[np.float64]


class _Draws(NamedTuple):
    """Standard normals, the interval that each is in, and log importance weights."""

    normals: NDArray[np.float64]
    picked: NDArray[np.int64]
    weights: NDArray[np.float64]


def draw_within(
    mixture: Mixture, region: Region, num_rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw classes, shape (num_rows,), and quantiles, shape (num_rows, m), of rows in a region.

    Quantiles are as in :meth:`Mixture.sample`; restricted ones lie inside the intervals, to the
    last bit.

    Raises:
        ImpossibleCondition: If the region has no probability.
    """
    labels, region = _possible(mixture, region)
    if not len(labels):
        raise ImpossibleCondition('The released model gives this condition no probability.')
    # The component depends on the restricted columns alone.
    part = mixture.marginal(labels, region.columns)
    edges = _edges(part, region.intervals)
    num_components, width = mixture.means.shape[1:]
    drawn = rng.choice(part.weights.size, size=num_rows, p=_weigh(part, edges, num_rows, rng))
    # Restricted columns come first, because the others are drawn given these.
    order = np.append(region.columns, np.setdiff1d(np.arange(width), region.columns))
    scores, picked = np.empty((num_rows, width)), np.empty((num_rows, len(edges[0])), np.int64)
    for at in np.unique(drawn):
        label, component = divmod(int(at), num_components)
        mean = mixture.means[labels[label], component, order]
        covariance = mixture.covariances[labels[label], component][np.ix_(order, order)]
        rows = np.flatnonzero(drawn == at)
        # Weighted draws take memory for each row that they may become.
        for some in np.array_split(rows, -(-len(rows) // MOST_ROWS)):
            normals, picked[some] = _draw(mean, covariance, edges[label], len(some), rng)
            scores[some[:, None], order] = normals
    classes = labels[drawn // num_components]
    quantiles = mixture.quantiles(scores, classes)
    inside = region.intervals[drawn[:, None] // num_components, np.arange(len(picked.T)), picked]
    # Rounding of scores and quantiles must not move a row out of its interval.
    quantiles[:, region.columns] = np.clip(
        quantiles[:, region.columns], inside[..., 0], np.nextafter(inside[..., 1], 0)
    )
    return classes, quantiles


def _possible(mixture: Mixture, region: Region) -> tuple[NDArray[np.int64], Region]:
    """Return the classes that can occur, and their region, with the most restricted columns first.

    This order tends to give the weights of draws the least variance (Genz and Bretz 2009).
    """
    # The length of a union of quantile intervals is its probability.
    lengths = np.diff(region.intervals, axis=3).sum(axis=(2, 3))
    is_possible = region.classes & (mixture.weights.sum(axis=1) > 0) & (lengths > 0).all(axis=1)
    labels = np.flatnonzero(is_possible)
    order = np.argsort(lengths[labels].sum(axis=0), kind='stable')
    intervals = region.intervals[labels][:, order]
    return labels, Region(is_possible[labels], region.columns[order], intervals)


def _edges(part: Mixture, intervals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores at the ends of intervals of quantiles, shape (C, q, I, 2) both."""
    num_classes, width, num_intervals, _ = intervals.shape
    flat = intervals.reshape(num_classes, width, 2 * num_intervals)
    edges = part.invert(flat).reshape(intervals.shape)
    low, high = edges[..., 0], edges[..., 1]
    # An interval with positive probability must have a positive length, however narrow it is.
    is_empty = intervals[..., 0] >= intervals[..., 1]
    edges[..., 1] = np.where(is_empty, low, np.maximum(high, np.nextafter(low, np.inf)))
    return edges


def _weigh(
    part: Mixture, edges: NDArray[np.float64], num_rows: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return weights of components, (C * K,): the probability that each gives to the region."""
    _, num_components, width = part.means.shape
    size = part.weights.size
    means = part.means.reshape(size, width)
    roots = find_roots(part.covariances.reshape(size, width, width))
    count = int(np.clip(num_rows // ROWS_PER_WEIGHING, LEAST_WEIGHINGS, MOST_WEIGHINGS))
    # One column needs no average: its probability is exact.
    places = spread(count if width > 1 else 1, width, rng)
    draws = truncate(means, roots, np.repeat(edges, num_components, axis=0), places)
    with np.errstate(divide='ignore'):
        # The mean over draws, except for their number, which is the same for all components.
        logs = np.log(part.weights.ravel()) + np.logaddexp.reduce(draws.weights, axis=1)
    return np.asarray(np.exp(logs - np.logaddexp.reduce(logs)))


def _draw(
    mean: NDArray[np.float64],
    covariance: NDArray[np.float64],
    edges: NDArray[np.float64],
    num_rows: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw scores, shape (num_rows, m), from a component with its first ``q`` columns restricted.

    Also returns the interval of each restricted score, shape (num_rows, q).
    """
    width, root = len(edges), find_roots(covariance)
    size = max(LEAST_POOL, POOL_PER_ROW * num_rows) if width > 1 else num_rows
    places = spread(size, width, rng)
    known = slice(width)
    draws = truncate(mean[None, known], root[None, known, known], edges[None], places)
    rows = _resample(draws.weights[0], num_rows, rng)
    # With a lower triangular root, later scores depend on earlier normals and their own.
    normals = rng.standard_normal((num_rows, len(mean)))
    normals[:, known] = draws.normals[0, rows]
    return mean + normals @ root.T, draws.picked[0, rows]


def truncate(
    means: NDArray[np.float64],
    roots: NDArray[np.float64],
    edges: NDArray[np.float64],
    places: NDArray[np.float64],
) -> _Draws:
    """Draw restricted scores of components one after the other, each truncated to its intervals.

    Args:
        means: Shape (G, q).
        roots: Lower triangular roots of the covariances, shape (G, q, q).
        edges: Ends of the intervals, shape (G, q, I, 2).
        places: Uniform numbers, shape (n, q), or (G, n, q).

    Returns:
        Normals, from which scores follow by ``roots``, shape (G, n, q); the interval of each, shape
        (G, n, q); and log weights, shape (G, n): the mean weight is the probability of the region.
    """
    shape = (len(means), *places.shape[-2:])
    normals, picked, weights = np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape[:2])
    for at in range(shape[2]):
        # Given earlier scores, a score is normal around their combination by the root.
        before = np.einsum('gnj,gj->gn', normals[:, :, :at], roots[:, at, :at])
        centre = (means[:, at, None] + before)[..., None, None]
        deviation = roots[:, at, at][:, None, None]
        ends = (edges[:, None, at] - centre) / deviation[..., None]
        with np.errstate(invalid='ignore'):
            lengths = np.diff(edges[:, None, at])[..., 0] / deviation
            lengths = np.where(edges[:, None, at, :, 0] == edges[:, None, at, :, 1], 0.0, lengths)
        # Lengths are computed before the division, where differences lose no digits.
        masses = _log_masses(ends, lengths)
        total = np.logaddexp.reduce(masses, axis=2)
        own, inner = _choose(masses - total[..., None], places[..., at])
        index = own[..., None]
        normals[:, :, at] = _truncated_normal(
            np.take_along_axis(ends, index[..., None], axis=2)[:, :, 0],
            np.take_along_axis(np.broadcast_to(lengths, masses.shape), index, axis=2)[:, :, 0],
            inner,
        )
        picked[:, :, at] = own
        weights += total
    return _Draws(normals, picked, weights)


def _log_masses(ends: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log of the standard normal's mass on intervals: ends (..., 2), lengths (...)."""
    low, high, _ = _lower_tail(ends)
    with np.errstate(divide='ignore', invalid='ignore'):
        log_low, log_high = log_ndtr(low), log_ndtr(high)
        masses = log_high + np.log1p(-np.exp(log_low - log_high))
        middle = (low + high) / 2
        # Far out, or if the interval is short, its mass is its length times the density.
        level = np.log(lengths) - (np.square(middle) + np.log(2 * np.pi)) / 2
    masses = np.where(_is_level(low, lengths), level, masses)
    return np.asarray(np.where(lengths > 0, masses, -np.inf))


def _truncated_normal(
    ends: NDArray[np.float64], lengths: NDArray[np.float64], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the quantiles of normals truncated to intervals: ends (..., 2), lengths (...)."""
    low, high, is_upper = _lower_tail(ends)
    places = np.where(is_upper, 1 - places, places)
    # Of the truncated normal at place p: Phi(x) = (1 - p) Phi(low) + p Phi(high).
    logs = np.logaddexp(log_ndtr(low) + np.log1p(-places), log_ndtr(high) + np.log(places))
    with np.errstate(invalid='ignore'):
        found = np.where(_is_level(low, lengths), low + places * lengths, ndtri_exp(logs))
    found = np.clip(found, low, high)
    return np.asarray(np.where(is_upper, -found, found))


def _lower_tail(
    ends: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Mirror intervals that lie mostly above zero; return ends, and which were mirrored."""
    low, high = ends[..., 0], ends[..., 1]
    # In the upper tail probabilities round to one; in the lower one they keep their digits.
    is_upper = -low < high
    return np.where(is_upper, -high, low), np.where(is_upper, -low, high), is_upper


def _is_level(low: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.bool_]:
    with np.errstate(invalid='ignore'):
        return np.asarray(lengths * (1 + np.abs(low)) < LEVEL)


def _choose(
    logs: NDArray[np.float64], places: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose an interval by its probability; return it and the place inside, (..., I) to (...)."""
    chances = np.exp(logs)
    passed = np.cumsum(chances, axis=-1)
    # Cumulative sums may end below one; the last interval with positive probability is then chosen.
    last = chances.shape[-1] - 1 - np.argmax(chances[..., ::-1] > 0, axis=-1)
    own = np.minimum((passed <= places[..., None]).sum(axis=-1), last)
    chance, end = (
        np.take_along_axis(each, own[..., None], -1)[..., 0] for each in (chances, passed)
    )
    return own, np.clip((places - end + chance) / chance, MARGIN, 1 - MARGIN)


def find_roots(covariances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lower triangular roots of covariances, shape (..., m, m)."""
    return np.asarray(np.linalg.cholesky(covariances), dtype=np.float64)


def spread(size: int, width: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw uniform places, shape (size, width), spread evenly in each column (Latin hypercube)."""
    strata = rng.permuted(np.tile(np.arange(size), (width, 1)), axis=1).T
    return np.asarray(np.clip((strata + rng.random((size, width))) / size, MARGIN, 1 - MARGIN))


def _resample(
    logs: NDArray[np.float64], num_rows: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return rows drawn by weight with one random number (systematic resampling), shuffled."""
    passed = np.cumsum(np.exp(logs - logs.max(initial=-np.inf)))
    # Evenly spaced places, all moved by one random number.
    wanted = (np.arange(num_rows) + rng.random()) / num_rows * passed[-1]
    return rng.permutation(np.minimum(np.searchsorted(passed, wanted, side='right'), len(logs) - 1))
