"""The model of the labels: class probabilities of a record given its codes, from released numbers.

For codes ``s_1 ... s_m`` they are ``softmax_c(b_c + sum_j w_cj e_cj(s_j) + sum_k v_ck phi_k)``. The
first sum is a scorecard of weights of evidence (naive Bayes if all ``w`` are one; smaller ``w``
correct for redundant columns). The second is the joint effect of columns, in kernel features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import TINY, draw_by_chance, look_up, softmax
from sdv_threea.adapt.features import FEATURE_UNITS, KernelFeatures, whole_features
from sdv_threea.approximate.scores import NormalScores

#: Calibration steps at most: each removes a large part of the error.
CALIBRATION_STEPS = 50

#: Calibration stops at this relative error of the class shares.
CLOSE = 1e-9


@dataclass(frozen=True)
class Interplay:
    """Released joint effect of columns: ``weights`` of features, (C, r), or (1, r) for a number."""

    scores: NormalScores
    features: KernelFeatures
    weights: NDArray[np.float64]

    def __call__(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the joint effect for records of codes, shape (n, m) to (n, C)."""
        return self.see(codes) / FEATURE_UNITS @ self.weights.T

    def see(self, codes: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the integer features of records, (n, m) to (n, r), computed row by row."""
        scores = self.scores(codes, np.zeros(len(codes), dtype=np.int64))
        return whole_features(scores, self.features)


@dataclass(frozen=True)
class LabelModel:
    """Released model of the class probabilities of a record given its codes.

    Args:
        offsets: Prior log odds ``b`` of the classes, shape (C,).
        evidence: Log odds that each code adds, ``w e``, shape (C, S) per column.
    """

    offsets: NDArray[np.float64]
    evidence: tuple[NDArray[np.float64], ...]
    interplay: Interplay | None = None

    def log_odds(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the log odds of records, (n, m) to (n, C); code -1 adds nothing."""
        found = np.tile(self.offsets, (len(codes), 1))
        for column, table in zip(codes.T, self.evidence, strict=True):
            found += look_up(table, column)
        return found if self.interplay is None else found + self.interplay(codes)

    def chances(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """The class probabilities of records, shape (n, C)."""
        return softmax(self.log_odds(codes))

    def draw(
        self,
        codes: NDArray[np.int64],
        classes: NDArray[np.int64],
        wanted: NDArray[np.bool_] | None,
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Draw the class of records among the ``wanted`` ones, shape (C,) or (n, C).

        Returns:
            Codes, shape (n, m), classes, shape (n,), and the chance of a wanted class, shape (n,).
        """
        chances = self.chances(codes)
        if wanted is not None:
            chances *= wanted
        return codes, draw_by_chance(chances, rng), chances.sum(axis=1)

    def adjusted(
        self,
        codes: NDArray[np.integer],
        weights: NDArray[np.float64],
        shares: NDArray[np.float64],
        alpha: float,
        constants: AdaptConstants,
    ) -> LabelModel:
        """Return the model with stretched log odds and with these class ``shares``, shape (C,).

        Models need many records to learn uncertain labels; stretched log odds make labels more
        certain and keep their order (:mod:`~sdv_threea.adapt`). Offsets then restore the shares
        over ``codes``.
        """
        odds = self.log_odds(codes) - self.offsets
        wanted = constants.log_odds_spread / _root_mean_square(odds, weights)
        factor = alpha + (1 - alpha) * min(max(wanted, 1.0), constants.most_stretch)
        offsets = _calibrate(factor * odds, self.offsets, weights / weights.sum(), shares)
        evidence = tuple(factor * table for table in self.evidence)
        if self.interplay is None:
            return LabelModel(offsets, evidence)
        interplay = replace(self.interplay, weights=factor * self.interplay.weights)
        return LabelModel(offsets, evidence, interplay)


def _root_mean_square(odds: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return the standard deviation of log odds, shape (n, C), pooled over classes."""
    odds = odds - odds.mean(axis=1, keepdims=True)
    centred = odds - np.average(odds, axis=0, weights=weights)
    squares = np.average(np.square(centred), axis=0, weights=weights)
    return max(float(np.sqrt(squares.mean())), TINY)


def _calibrate(
    odds: NDArray[np.float64],
    offsets: NDArray[np.float64],
    weights: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the offsets, shape (C,), that give the classes these shares."""
    goal = np.log(np.maximum(shares, TINY))
    for _ in range(CALIBRATION_STEPS):
        missing = goal - np.log(np.maximum(weights @ softmax(odds + offsets), TINY))
        offsets = offsets + missing
        if np.abs(missing).max() < CLOSE:
            break
    return np.asarray(offsets - offsets.mean())
