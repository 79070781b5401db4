"""Trees that predict a numerical column as the released density does, in whole numbers.

The trees are grown on draws by scikit-learn's gradient boosting (Friedman 2001): post-processing. A
prediction for a private row is a whole number that depends on the row alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sdv_threea.adapt.design import Codes
from sdv_threea.adapt.slopes import TARGET_UNITS
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.arrays import Floats, Wholes

#: Units of predictions per unit of a score.
UNITS_PER_SCORE = TARGET_UNITS // SCORE_UNITS

#: Number of trees, learning rate, largest depth, most leaves, and fewest draws in a leaf.
NUM_TREES, RATE, DEPTH, LEAVES, LEAF_DRAWS = 80, 0.1, 6, 15, 40

#: Rows per block, few enough for the cache.
BLOCK_ROWS = 2**14


@dataclass(frozen=True)
class Trees:
    """Released trees: ``T`` trees of ``N`` nodes each.

    Args:
        ranks: For each column, the rank of each code, and of code -1 in the last place, (S + 1,).
        columns: The column compared at a node, shape (T, N).
        cuts: The largest rank that goes left, shape (T, N).
        ways: The next node, left and right, shape (2, T, N); a leaf leads to itself.
        values: The value of each leaf, in units of ``1 / TARGET_UNITS``, shape (T, N).
    """

    ranks: tuple[Wholes, ...]
    columns: Wholes
    cuts: Wholes
    ways: Wholes
    values: Wholes
    depth: int

    def __call__(self, codes: Codes) -> Wholes:
        """Return the summed predictions of all trees, shape (n, m) to (n,).

        Formal guarantees: the prediction for a record is a whole number that depends on its codes
        alone.
        """
        found = np.zeros(len(codes), dtype=np.int64)
        for start in range(0, len(codes), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            columns = zip(self.ranks, codes[rows].T, strict=True)
            self._add(np.stack([own[column] for own, column in columns]), found[rows])
        return found

    def _add(self, ranks: Wholes, found: Wholes) -> None:
        points, size = ranks.ravel(), ranks.shape[1]
        rows, (left, right) = np.arange(size), self.ways
        for at, values in enumerate(self.values):
            places = np.zeros(size, dtype=np.int64)
            firsts, cuts = self.columns[at] * size, self.cuts[at]
            for _ in range(self.depth):
                goes_left = points[firsts[places] + rows] <= cuts[places]
                places = np.where(goes_left, left[at][places], right[at][places])
            found += values[places]


def grow_trees(  # noqa: PLR0913 (draws, columns, and how to grow)
    codes: Wholes,
    scores: Wholes,
    weights: Floats,
    columns: Sequence[int],
    sizes: Sequence[int],
    ordered: Sequence[bool],
    seed: int,
) -> Trees:
    """Return trees that predict the scores of draws, in score units, (n,), from ``columns``."""
    from sklearn.ensemble import HistGradientBoostingRegressor  # takes a while to load

    ranks = tuple(
        _rank(codes[:, at], scores, weights, size, is_ordered)
        for at, (size, is_ordered) in enumerate(zip(sizes, ordered, strict=True))
    )
    points = np.column_stack([ranks[at][codes[:, at]] for at in columns])
    forest = HistGradientBoostingRegressor(
        max_iter=NUM_TREES,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        max_depth=DEPTH,
        min_samples_leaf=LEAF_DRAWS,
        early_stopping=False,
        random_state=seed,
    )
    # On a busy machine several threads wait for each other longer than they work.
    with threadpool_limits(1, 'openmp'):
        forest.fit(points, scores / SCORE_UNITS, sample_weight=weights / weights.mean())
    grown = [predictor.nodes for (predictor,) in forest._predictors]
    trees = _flatten(grown, ranks, np.asarray(columns), DEPTH)
    trees.values[0] += round(float(forest._baseline_prediction.item()) * TARGET_UNITS)
    return trees


def _rank(column: Wholes, scores: Wholes, weights: Floats, size: int, is_ordered: bool) -> Wholes:
    """Rank codes by their order or, for categories, by the mean score; code -1 comes first."""
    ranks = np.arange(1, size + 1)
    if not is_ordered:
        sums = np.bincount(column, weights * scores, size)
        means = sums / (np.bincount(column, weights, size) + weights.mean())
        ranks = np.argsort(np.argsort(means, kind='stable'), kind='stable') + 1
    return np.append(ranks, 0)


def _flatten(
    grown: Sequence[NDArray[Any]], ranks: tuple[Wholes, ...], columns: Wholes, depth: int
) -> Trees:
    shape = len(grown), max(map(len, grown))
    asked, cuts, values = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    ways = np.tile(np.arange(shape[1]), (2, shape[0], 1))
    for at, nodes in enumerate(grown):
        inner = np.flatnonzero(nodes['is_leaf'] == 0)
        asked[at, inner] = columns[nodes['feature_idx'][inner]]
        cuts[at, inner] = np.floor(nodes['num_threshold'][inner])
        ways[0, at, inner], ways[1, at, inner] = nodes['left'][inner], nodes['right'][inner]
        leaves = np.flatnonzero(nodes['is_leaf'])
        values[at, leaves] = np.rint(nodes['value'][leaves] * TARGET_UNITS)
    return Trees(ranks, asked, cuts, ways, values, depth)
