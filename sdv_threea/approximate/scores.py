"""Normal scores: whole numbers that place the codes of a column, by class, on a standard normal.

The codes, in order, divide the standard normal into intervals of their probabilities. The *score*
of a code is the mean of the normal on its interval; between cumulative probabilities ``a`` and
``b`` it is ``(phi(Phi^-1(a)) - phi(Phi^-1(b))) / (b - a)``. Scores have mean zero and a variance
below one. The inverse map takes quantiles to codes, so samples of a column have exactly its
released distribution.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.rows.score_moments import look_up_scores

#: Bound of scores, in standard deviations.
LARGEST_SCORE = 4.0

#: Probabilities below this count as zero.
TINY = 1e-12


@dataclass(frozen=True)
class NormalScores:
    """Normal scores of ``m`` columns in ``C`` classes: functions of released histograms.

    Args:
        scores: For each column, the score of each code by class in score units, shape (C, S).
        cuts: For each column, cumulative probabilities in order, by class, from 0 to 1, (C, S + 1).
        orders: For each column, its codes in order, shape (S,).
        variances: Variance of the scores, relative to the standard normal, shape (C, m).
    """

    scores: tuple[Wholes, ...]
    cuts: tuple[Floats, ...]
    orders: tuple[Wholes, ...]
    variances: Floats

    def __call__(
        self, codes: NDArray[np.integer], classes: NDArray[np.integer]
    ) -> NDArray[np.int16]:
        """Return the scores of records in score units, (n, m); code -1 has score zero, the mean."""
        return look_up_scores(self.scores, codes, classes)

    def codes(self, at: int, quantiles: Floats, classes: NDArray[np.integer]) -> Wholes:
        """Return the codes of one column at quantiles in their classes, shape (n,) each."""
        found = np.empty(len(quantiles), dtype=np.int64)
        # Each class has its own cuts.
        by_class = np.argsort(classes, kind='stable')
        starts = np.searchsorted(classes[by_class], np.arange(1, len(self.cuts[at])))
        for cuts, rows in zip(self.cuts[at], np.split(by_class, starts), strict=True):
            if len(rows):
                # A quantile may round up to one: use the last code with mass.
                last = int(np.flatnonzero(cuts[1:] > cuts[:-1])[-1])
                places = np.searchsorted(cuts, quantiles[rows], side='right') - 1
                found[rows] = self.orders[at][np.minimum(places, last)]
        return found

    def chances(self, at: int) -> Floats:
        """Return the probabilities of the codes of one column by class, shape (C, S)."""
        found = np.empty_like(self.scores[at], dtype=np.float64)
        found[:, self.orders[at]] = np.diff(self.cuts[at], axis=1)
        return found


def normal_scores(
    histograms: tuple[Floats, ...], orders: tuple[Wholes, ...], num_classes: int
) -> NormalScores:
    """Return the normal scores of columns from code orders (S,) and histograms (C, S)."""
    tables, cuts = [], []
    variances = np.zeros((num_classes, len(histograms)))
    for at, (histogram, order) in enumerate(zip(histograms, orders, strict=True)):
        borders = _cumulate(histogram[:, order])
        scores = np.empty(histogram.shape, dtype=np.int64)
        # Scores are rounded before any record is read.
        scores[:, order] = np.rint(_interval_means(borders) * SCORE_UNITS)
        tables.append(scores)
        cuts.append(borders)
        # The mean is zero, so the variance is the mean square.
        variances[:, at] = (histogram * np.square(scores / SCORE_UNITS)).sum(axis=1)
    return NormalScores(tuple(tables), tuple(cuts), orders, variances)


def target_order(histogram: Floats, totals: Floats) -> Wholes:
    """Return the codes of a category, (S,), ordered by their class probabilities.

    The order is by log odds for two classes, by the first axis of a correspondence analysis for
    more, and by frequency for one.
    """
    joint = histogram * totals[:, None]
    mass = joint.sum(axis=0)  # the number of records of each code
    if len(totals) == 1:
        return np.argsort(-mass, kind='stable')
    # Excess class probabilities of a code, shrunk by one average record.
    lean = (joint + totals[:, None] / totals.sum()) / (mass + 1) - totals[:, None] / totals.sum()
    axis = np.linalg.svd(lean * np.sqrt(mass), full_matrices=False)[0][:, 0]
    # The sign of a singular vector is arbitrary.
    axis = axis * (1 if axis[-1] >= 0 else -1)
    return np.argsort(axis @ lean, kind='stable')


def _cumulate(probabilities: Floats) -> Floats:
    borders = np.zeros((len(probabilities), probabilities.shape[1] + 1))
    np.cumsum(probabilities, axis=1, out=borders[:, 1:])
    return np.asarray(borders / borders[:, -1:])


def _interval_means(borders: Floats) -> Floats:
    """Return the mean of the normal between neighbouring quantiles, (C, S + 1) to (C, S)."""
    mass = np.diff(borders, axis=1)
    # The integral of z phi(z) between two scores is the difference of their densities.
    density = np.exp(-np.square(ndtri(borders)) / 2) / math.sqrt(2 * math.pi)
    middle = ndtri(np.clip((borders[:, 1:] + borders[:, :-1]) / 2, TINY, 1 - TINY))
    # An interval without mass is a point, and division by its mass would lose all digits.
    means = np.where(mass > TINY, -np.diff(density, axis=1) / np.maximum(mass, TINY), middle)
    return np.asarray(np.clip(means, -LARGEST_SCORE, LARGEST_SCORE))
