"""Draw from a mixture of Gaussians, with a condition for each row.

As in :mod:`~sdv_threea.sampling.conditional`, restricted scores are drawn one after the other with
importance weights. Each condition has a pool of draws from all components, whose weights are part
of those of the draws.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.sampling.asked import Asked, Pools, cut_pools, pick
from sdv_threea.sampling.conditional import MARGIN, find_roots, spread, truncate

#: Draws of each component in the pool of a condition, per row and at least.
POOL_PER_ROW, LEAST_POOL = 8, 32

#: The most rows that are drawn from one pool, and the most numbers in all pools of a draw: they
#: bound the memory.
MOST_ROWS, ROOM = 2**12, 2**21


def draw_each_within(
    mixture: Mixture,
    scores: NormalScores,
    asked: Mapping[int, Asked],
    classes: NDArray[np.bool_],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw classes, shape (n,), and quantiles, shape (n, m), of rows with their own conditions.

    ``asked`` holds the codes that rows may have in restricted columns, whose quantiles then lie in
    the intervals of these codes. ``classes`` are those that each row may have, shape (n, C).

    Raises:
        ImpossibleCondition: If a condition has no probability.
    """
    labels = np.flatnonzero(mixture.weights.sum(axis=1) > 0)
    # The most restricted columns come first: weights of draws then vary least.
    left = {at: float(own.add_up(scores.chances(at)[labels]).sum()) for at, own in asked.items()}
    columns = np.array(sorted(left, key=left.__getitem__), dtype=np.int64)
    num_components, width = mixture.means.shape[1:]
    drawn = np.empty(len(classes), dtype=np.int64)
    normals = np.empty((len(classes), len(columns)))
    ends = np.empty((len(classes), len(columns), 2))
    part = mixture.marginal(labels, columns)
    borders = [
        (own, mixture.marginal(labels, columns[[at]]).invert(own[:, None])[:, 0])
        for at, own in enumerate(scores.cuts[column][labels] for column in columns)
    ]
    spans = [_find_spans(asked[at], scores.orders[at]) for at in columns]
    longest = max((each.shape[1] for each in spans), default=0)
    keys = [*(asked[at].codes for at in columns), *classes.T]
    needed = labels.size * num_components * max(len(columns) * longest, 1)
    sizes = LEAST_POOL * needed, POOL_PER_ROW * needed
    for pools in cut_pools(keys, len(classes), MOST_ROWS, ROOM, sizes):
        own = [spans[at][asked[column].codes[pools.first]] for at, column in enumerate(columns)]
        allowed = classes[pools.first][:, labels]
        found = _draw_pools(part, borders, own, allowed, pools, rng)
        drawn[pools.rows], normals[pools.rows], ends[pools.rows] = found
    # Restricted columns come first, because the others are drawn given these.
    order = np.append(columns, np.setdiff1d(np.arange(width), columns))
    drawn_classes, found_scores = labels[drawn // num_components], np.empty((len(drawn), width))
    for at in np.unique(drawn):
        label, component = divmod(int(at), num_components)
        rows = np.flatnonzero(drawn == at)
        covariance = mixture.covariances[labels[label], component][np.ix_(order, order)]
        fresh = rng.standard_normal((len(rows), width))
        fresh[:, : len(columns)] = normals[rows]
        mean = mixture.means[labels[label], component, order]
        found_scores[rows[:, None], order] = mean + fresh @ find_roots(covariance).T
    quantiles = mixture.quantiles(found_scores, drawn_classes)
    # Rounding of scores and quantiles must not move a row out of its interval.
    quantiles[:, columns] = np.clip(
        quantiles[:, columns], ends[..., 0], np.nextafter(ends[..., 1], 0)
    )
    return drawn_classes, quantiles


def _draw_pools(
    part: Mixture,
    borders: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
    spans: list[NDArray[np.int64]],
    allowed: NDArray[np.bool_],
    pools: Pools,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Draw the restricted scores of the rows of some groups.

    Args:
        part: The mixture of ``L`` classes and the ``q`` restricted columns.
        borders: For each column, borders of its codes, as quantiles and scores, (L, S + 1) each.
        spans: For each column, start and end of each run of allowed codes, by group, (P, I, 2).
        allowed: Which classes they may have, shape (P, L).
        pools: The groups.
        rng: Source of randomness.

    Returns:
        For each row its component, among those of all classes; its normals, shape (n, q); and the
        ends of their intervals, as quantiles, shape (n, q, 2).
    """
    num_labels, num_components, width = part.means.shape
    num_pools, longest = len(allowed), max((each.shape[1] for each in spans), default=1)
    shape = num_pools, num_labels, width, longest, 2
    quantiles, edges = np.zeros(shape), np.zeros(shape)
    for at, (own, (cuts, scores)) in enumerate(zip(spans, borders, strict=True)):
        size = own.shape[1]
        quantiles[:, :, at, :size] = np.swapaxes(cuts[:, own], 0, 1)
        edges[:, :, at, :size] = np.swapaxes(scores[:, own], 0, 1)
    low, high = edges[..., 0], edges[..., 1]
    has_mass = quantiles[..., 1] > quantiles[..., 0]
    # An interval with positive probability must have a positive length, however narrow it is.
    edges[..., 1] = np.where(has_mass, np.maximum(high, np.nextafter(low, np.inf)), low)
    possible = np.asarray(allowed & np.all(has_mass.any(axis=3), axis=2), dtype=np.bool_)
    # Impossible classes have weight zero, so any interval will do.
    edges[~possible] = np.array([-1.0, 1.0])
    size = max(LEAST_POOL, POOL_PER_ROW * int(pools.counts.max()))
    count = num_pools * num_labels * num_components
    # All groups have the same places, each rotated by its own random number.
    places = spread(size, width, rng) + rng.random((count, 1, width))
    tiled = (num_pools, 1, 1, 1)
    draws = truncate(
        np.tile(part.means, tiled[:-1]).reshape(count, width),
        np.tile(find_roots(part.covariances), tiled).reshape(count, width, width),
        np.repeat(edges.reshape(num_pools * num_labels, width, longest, 2), num_components, axis=0),
        np.clip(places % 1, MARGIN, 1 - MARGIN),
    )
    with np.errstate(divide='ignore'):
        weighed = draws.weights.reshape(num_pools, num_labels, -1, size)
        weighed = weighed + np.log(part.weights)[..., None]
    logs = np.where(possible[..., None, None], weighed, -np.inf).reshape(num_pools, -1)
    most = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - np.where(np.isfinite(most), most, 0.0))
    pool = np.repeat(np.arange(num_pools), weights.shape[1])
    found, draw = np.divmod(pick(weights.ravel(), pool, pools.counts, rng), size)
    group, component = np.divmod(found, num_labels * num_components)
    label, columns = component // num_components, np.arange(width)
    picked = draws.picked[found, draw]
    ends = quantiles[group[:, None], label[:, None], columns, picked]
    return component, draws.normals[found, draw], ends


def _find_spans(asked: Asked, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where runs of allowed codes start and end in order, shape (S + U, I, 2).

    Single codes come first; masks come last, in reverse, so that negative codes index them. Missing
    runs are empty.
    """
    ranks = np.argsort(order)
    runs = []
    for mask in asked.masks[::-1]:
        changes = np.diff(mask[order].astype(np.int64), prepend=0, append=0)
        runs.append(np.stack([np.flatnonzero(changes > 0), np.flatnonzero(changes < 0)], axis=1))
    found = np.zeros((len(ranks) + len(runs), max([1, *map(len, runs)]), 2), dtype=np.int64)
    found[: len(ranks), 0] = np.stack([ranks, ranks + 1], axis=1)
    for at, run in enumerate(runs, len(ranks)):
        found[at, : len(run)] = run
    return found
