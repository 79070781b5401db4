"""Tables whose law is known, and whose columns tell the class only together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2, norm
from sdv.metadata import Metadata
from tables import Split

#: Numerical columns.
WIDTH = 8

#: The laws whose columns tell the class only together; labels that are flipped; trees of a forest.
TOGETHER = ('xor', 'radial', 'trees', 'ratios')
FLIPPED, NUM_TREES = 0.1, 8

Draw = Callable[[int, np.random.Generator], tuple[NDArray[np.float64], NDArray[np.float64]]]


def together(kind: str) -> Draw:
    """Two classes of as many rows, which columns tell together and hardly one by one.

    ``'xor'``: whether two columns have the same sign. ``'radial'``: whether the distance of four
    from the origin is in the middle half of what it can be. ``'trees'``: whether the sum of eight
    trees of depth 3 over six columns is above its median. ``'ratios'``: whether the ratio of two
    log-normal columns is in the middle half of what it can be.

    The other columns have no say. A share ``FLIPPED`` of the labels is flipped, so the best of all
    models has an AUC of .9. Trained on 10,000 rows, LightGBM has .893 (xor), .868 (radial), .876
    (trees) and .889 (ratios); a sum of curves of single columns .506, .715, .767 and .735.
    """
    forest = _grow(np.random.default_rng(0))
    laws: dict[str, Callable[[NDArray[np.float64]], NDArray[np.bool_]]] = {
        'xor': lambda rows: rows[:, 0] * rows[:, 1] > 0,
        'radial': lambda rows: _in_the_middle(chi2(4).cdf(np.square(rows[:, :4]).sum(axis=1))),
        'trees': forest,
        'ratios': lambda rows: _in_the_middle(norm.cdf((rows[:, 0] - rows[:, 1]) / np.sqrt(2))),
    }

    def draw(num_rows: int, rng: np.random.Generator) -> tuple:
        rows = rng.normal(size=(num_rows, WIDTH))
        labels = laws[kind](rows) ^ (rng.random(num_rows) < FLIPPED)
        return np.exp(rows) if kind == 'ratios' else rows, labels.astype(np.int64)

    return draw


def _in_the_middle(quantiles: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.abs(quantiles - 0.5) < 0.25


def _grow(rng: np.random.Generator) -> Callable[[NDArray[np.float64]], NDArray[np.bool_]]:
    """Grow trees that ask in each node whether one of six columns is above a threshold."""
    columns = rng.integers(6, size=(NUM_TREES, 7))
    thresholds = rng.normal(0, 0.5, size=(NUM_TREES, 7))
    leaves = rng.normal(size=(NUM_TREES, 8))

    def add_up(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.zeros(len(rows))
        for asked, limits, values in zip(columns, thresholds, leaves, strict=True):
            node = np.zeros(len(rows), dtype=np.int64)
            for _ in range(3):  # the children of node i are 2 i + 1 and 2 i + 2
                node = 2 * node + 1 + (rows[np.arange(len(rows)), asked[node]] > limits[node])
            total += values[node - 7]
        return total

    middle = np.median(add_up(rng.normal(size=(100_000, WIDTH))))
    return lambda rows: add_up(rows) > middle


def make_split(kind: str, seed: int, num_rows: int) -> Split:
    """Draw a training and a test part, of as many rows each."""
    rows, targets = together(kind)(2 * num_rows, np.random.default_rng(seed))
    table = pd.DataFrame(rows, columns=[f'x{at}' for at in range(rows.shape[1])])
    table['y'] = np.array(['no', 'yes'], dtype=object)[targets]
    facts = {each: {'sdtype': 'numerical'} for each in table}
    facts['y'] = {'sdtype': 'categorical'}
    metadata = Metadata.load_from_dict({'tables': {kind: {'columns': facts}}})
    train, test = table[:num_rows], table[num_rows:].reset_index(drop=True)
    return Split(kind, 'y', train, test, metadata, numeric=False)
