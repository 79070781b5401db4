"""Normals that are truncated to intervals, one after the other (Genz 1992).

Each score must lie in a union of intervals. Scores are drawn one by one, each from a truncated
normal given the earlier ones (https://doi.org/10.1080/10618600.1992.10477010). One score is drawn
exactly; draws of several scores have importance weights. Probabilities are logarithms of the nearer
tail, so intervals may be very improbable and far out.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from sdv_threea.arrays import Bools, Floats, Wholes

#: A density counts as constant over an interval if it changes by less than this share.
LEVEL = 1e-5

#: Random places keep this distance from 0 and 1, where quantiles are infinite.
MARGIN = 1e-16


class Truncated(NamedTuple):
    """Standard normals, the interval of each, and log importance weights."""

    normals: Floats
    picked: Wholes
    weights: Floats


def truncate(means: Floats, roots: Floats, edges: Floats, places: Floats) -> Truncated:
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
        # Lengths are computed before the division, because differences then lose no digits.
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
    return Truncated(normals, picked, weights)


def _log_masses(ends: Floats, lengths: Floats) -> Floats:
    """Return log masses of the standard normal on intervals: ends (..., 2), lengths (...)."""
    low, high, _ = _lower_tail(ends)
    with np.errstate(divide='ignore', invalid='ignore'):
        log_low, log_high = log_ndtr(low), log_ndtr(high)
        masses = log_high + np.log1p(-np.exp(log_low - log_high))
        middle = (low + high) / 2
        # Far out, or if the interval is short, the mass is the length times the density.
        level = np.log(lengths) - (np.square(middle) + np.log(2 * np.pi)) / 2
    masses = np.where(_is_level(low, lengths), level, masses)
    return np.asarray(np.where(lengths > 0, masses, -np.inf))


def _truncated_normal(ends: Floats, lengths: Floats, places: Floats) -> Floats:
    """Return the quantiles of normals truncated to intervals: ends (..., 2), lengths (...)."""
    low, high, is_upper = _lower_tail(ends)
    places = np.where(is_upper, 1 - places, places)
    # The quantile x of the truncated normal at p has Phi(x) = (1 - p) Phi(low) + p Phi(high).
    logs = np.logaddexp(log_ndtr(low) + np.log1p(-places), log_ndtr(high) + np.log(places))
    with np.errstate(invalid='ignore'):
        found = np.where(_is_level(low, lengths), low + places * lengths, ndtri_exp(logs))
    found = np.clip(found, low, high)
    return np.asarray(np.where(is_upper, -found, found))


def _lower_tail(ends: Floats) -> tuple[Floats, Floats, Bools]:
    """Mirror intervals that lie mostly above zero; return ends, and which were mirrored."""
    low, high = ends[..., 0], ends[..., 1]
    # In the upper tail probabilities round to one; in the lower tail they keep their digits.
    is_upper = -low < high
    return np.where(is_upper, -high, low), np.where(is_upper, -low, high), is_upper


def _is_level(low: Floats, lengths: Floats) -> Bools:
    with np.errstate(invalid='ignore'):
        return np.asarray(lengths * (1 + np.abs(low)) < LEVEL)


def _choose(logs: Floats, places: Floats) -> tuple[Wholes, Floats]:
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


def spread(size: int, width: int, rng: np.random.Generator) -> Floats:
    """Draw uniform places, shape (size, width), spread evenly in each column (Latin hypercube)."""
    strata = rng.permuted(np.tile(np.arange(size), (width, 1)), axis=1).T
    return np.asarray(np.clip((strata + rng.random((size, width))) / size, MARGIN, 1 - MARGIN))
