"""Draw from one Gaussian per class: the density if pairs of columns are not released.

Scores of restricted columns are drawn one after the other (:mod:`~sdv_threea.sampling.truncated`),
and all other scores from the conditional normal. Each condition has a pool of draws from all
classes. The weight of a draw includes the weight of its class. One restricted column is drawn
exactly. With several, rows are resampled from the pool, and their distribution converges to the
exact one as the pool grows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sdv_threea.approximate.mixture import Mixture
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.sampling.asked import CodeCondition, Pools, RowConditions, cut_pools, pick
from sdv_threea.sampling.truncated import MARGIN, spread, truncate

#: Number of rows that are drawn at once; more would not fit into a processor's cache.
BLOCK = 2**15

#: The code of a draw follows from the cuts between codes, either as quantiles or as scores.
#: Converting a cut into a score takes as long as converting this many draws into quantiles.
DRAWS_PER_CUT = 100

#: Number of draws in the pool of a condition: per row if several codes are allowed; per row if all
#: codes are known, so that draws differ only within the intervals of the codes; and the least
#: number from each class.
POOL_PER_ROW, PLACES_PER_ROW, LEAST_POOL = 2.0, 0.25, 32

#: The largest number of rows that are drawn from one pool; the most numbers in all pools of a draw,
#: a bound of the memory; and about the most numbers in all draws, a bound of the time for many
#: different conditions.
MOST_ROWS, ROOM, MOST_NUMBERS = 2**12, 2**18, 2**20


@dataclass(frozen=True)
class Gaussians:
    """A model of records: scores are normal in each class, and codes follow from scores."""

    mixture: Mixture
    scores: NormalScores

    @property
    def width(self) -> int:
        """Number of columns that are drawn."""
        return len(self.scores.cuts)

    def even(self) -> Gaussians:
        """Return the model with equal weights of all classes that occur."""
        return replace(self, mixture=self.mixture.even())

    def draw(
        self, num_rows: int, rng: np.random.Generator, given: RowConditions | None = None
    ) -> tuple[Wholes, Wholes]:
        """Draw codes, shape (num_rows, m), and classes, shape (num_rows,)."""
        if given is not None:
            classes, quantiles = draw_within(self.mixture, self.scores, given, rng)
            return find_codes(self.scores, quantiles, classes), classes
        draw, scores = self.mixture.sample, self.scores
        if num_rows * self.width > DRAWS_PER_CUT * sum(cuts.size for cuts in scores.cuts):
            draw, scores = self.mixture.draw, _cut_normals(self.mixture, scores)
        codes = np.empty((num_rows, self.width), dtype=np.int64, order='F')
        classes = np.empty(num_rows, dtype=np.int64)
        for start in range(0, num_rows, BLOCK):
            rows = slice(start, min(start + BLOCK, num_rows))
            classes[rows], places = draw(rows.stop - start, rng)
            codes[rows] = find_codes(scores, places, classes[rows])
        return codes, classes


def draw_within(
    mixture: Mixture, scores: NormalScores, given: RowConditions, rng: np.random.Generator
) -> tuple[Wholes, Floats]:
    """Draw classes, (n,), and quantiles, (n, m), of rows with their own conditions."""
    asked, classes = given
    labels = np.flatnonzero(mixture.weights.sum(axis=1) > 0)
    # The most restricted columns come first: weights of draws then vary least.
    left = {at: float(own.add_up(scores.chances(at)[labels]).sum()) for at, own in asked.items()}
    columns = np.array(sorted(left, key=left.__getitem__), dtype=np.int64)
    drawn = _Found(
        np.empty(len(classes), dtype=np.int64),
        np.empty((len(classes), len(columns))),
        np.empty((len(classes), len(columns), 2)),
    )
    part = mixture.marginal(labels, columns)
    borders = [
        (own, mixture.marginal(labels, columns[[at]]).invert(own[:, None])[:, 0])
        for at, own in enumerate(scores.cuts[column][labels] for column in columns)
    ]
    spans = [_find_spans(asked[at], scores.orders[at]) for at in columns]
    count, longest = part.weights.size, max((each.shape[1] for each in spans), default=0)
    needed = count * max(len(columns) * longest, 1)
    least = int(np.clip(MOST_NUMBERS // (needed * max(len(classes), 1)), 1, LEAST_POOL))
    is_known = all(own.is_one for own in asked.values())
    per_row = (PLACES_PER_ROW if is_known else POOL_PER_ROW) / count
    sizes = least * needed, max(1, int(per_row * needed))
    for pools in cut_pools(given.keys, len(classes), MOST_ROWS, ROOM, sizes):
        own = [spans[at][asked[column].codes[pools.first]] for at, column in enumerate(columns)]
        size = max(least, int(per_row * pools.counts.max()))
        found = _draw_pools(part, borders, own, classes[pools.first][:, labels], pools, size, rng)
        for whole, some in zip(drawn, found, strict=True):
            whole[pools.rows] = some
    own_classes, normals = _complete(mixture, labels, columns, drawn, rng)
    quantiles = mixture.quantiles(normals, own_classes)
    # Rounding of scores and quantiles must not move a row out of its interval.
    low, high = np.moveaxis(drawn.ends, -1, 0)
    quantiles[:, columns] = np.clip(quantiles[:, columns], low, np.nextafter(high, 0))
    return own_classes, quantiles


class _Found(NamedTuple):
    """Drawn components, (n,), normals behind restricted scores, (n, q), and their intervals."""

    components: Wholes
    normals: Floats
    ends: Floats


def _draw_pools(  # noqa: PLR0913 (what is drawn, what is asked, and of whom)
    part: Mixture,
    borders: list[tuple[Floats, Floats]],
    spans: list[Wholes],
    allowed: Bools,
    pools: Pools,
    size: int,
    rng: np.random.Generator,
) -> _Found:
    """Draw the restricted scores of the rows of some groups, ``size`` draws of each component.

    ``part`` is the mixture of ``L`` classes and the ``q`` restricted columns. For each column,
    ``borders`` are the quantiles and the scores between its codes, (L, S + 1) each, and ``spans``
    the runs of allowed codes of each group, (P, I, 2). ``allowed`` are the classes of groups, (P,
    L).
    """
    num_labels, num_components, width = part.means.shape
    num_pools, longest = len(allowed), max((each.shape[1] for each in spans), default=1)
    shape = num_pools, num_labels, width, longest, 2
    quantiles, edges = np.zeros(shape), np.zeros(shape)
    for at, (own, (cuts, scores)) in enumerate(zip(spans, borders, strict=True)):
        runs = own.shape[1]
        quantiles[:, :, at, :runs] = np.swapaxes(cuts[:, own], 0, 1)
        edges[:, :, at, :runs] = np.swapaxes(scores[:, own], 0, 1)
    low, high = edges[..., 0], edges[..., 1]
    has_mass = quantiles[..., 1] > quantiles[..., 0]
    # An interval with positive probability must have a positive length, however narrow it is.
    edges[..., 1] = np.where(has_mass, np.maximum(high, np.nextafter(low, np.inf)), low)
    possible = np.asarray(allowed & np.all(has_mass.any(axis=3), axis=2), dtype=np.bool_)
    # Impossible classes have weight zero, so any interval will do.
    edges[~possible] = np.array([-1.0, 1.0])
    count = num_pools * num_labels * num_components
    # All groups have the same places, each rotated by its own random number.
    places = spread(size, width, rng) + rng.random((count, 1, width))
    tiled, roots = (num_pools, 1, 1, 1), np.linalg.cholesky(part.covariances)
    draws = truncate(
        np.tile(part.means, tiled[:-1]).reshape(count, width),
        np.tile(roots, tiled).reshape(count, width, width),
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
    picked = draws.picked[found, draw], component // num_components
    ends = quantiles[group[:, None], picked[1][:, None], np.arange(width), picked[0]]
    return _Found(component, draws.normals[found, draw], ends)


def _complete(
    mixture: Mixture, labels: Wholes, columns: Wholes, drawn: _Found, rng: np.random.Generator
) -> tuple[Wholes, Floats]:
    """Draw all scores given those of the restricted columns; return classes and scores, (n, m)."""
    num_components, width = mixture.means.shape[1:]
    # Restricted columns come first, because the others are drawn given these.
    order = np.append(columns, np.setdiff1d(np.arange(width), columns))
    scores = np.empty((len(drawn.components), width))
    for at in np.unique(drawn.components):
        label, component = labels[at // num_components], at % num_components
        rows = np.flatnonzero(drawn.components == at)
        normals = rng.standard_normal((len(rows), width))
        normals[:, : len(columns)] = drawn.normals[rows]
        root = np.linalg.cholesky(mixture.covariances[label, component][np.ix_(order, order)])
        scores[rows[:, None], order] = mixture.means[label, component, order] + normals @ root.T
    return labels[drawn.components // num_components], scores


def _find_spans(asked: CodeCondition, order: Wholes) -> Wholes:
    """Return where runs of allowed codes start and end in order, shape (S + U, I, 2).

    Masks come last, in reverse, so that negative codes index them. Missing runs are empty.
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


def find_codes(scores: NormalScores, places: Floats, classes: Wholes) -> Wholes:
    """Return codes, shape (n, m), at quantiles; or at scores, if cuts are scores."""
    codes = np.empty(places.shape, dtype=np.int64, order='F')
    for at, column in enumerate(places.T):
        codes[:, at] = scores.codes(at, column, classes)
    return codes


def _cut_normals(mixture: Mixture, scores: NormalScores) -> NormalScores:
    """Return scores whose cuts are normals of a mixture, with which draws are compared directly."""
    labels = np.flatnonzero(mixture.weights.sum(axis=1))
    moved = []
    for at, cuts in enumerate(scores.cuts):
        places = mixture.marginal(labels, np.array([at])).invert(cuts[labels, None])[:, 0]
        cuts = cuts.copy()
        # Rounding must not make cuts descend.
        cuts[labels] = np.maximum.accumulate(places, axis=1)
        moved.append(cuts)
    return replace(scores, cuts=tuple(moved))
