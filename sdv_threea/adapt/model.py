"""The model of the labels: how the class of a record follows from its codes.

The chances of the classes of a record with the codes ``s_1 ... s_m`` are ::

    softmax_c(b_c + sum_j w_cj e_cj(s_j) + sum_k v_ck phi_k)

The first sum is a scorecard: what columns say one by one, in weights of evidence ``e``
(:mod:`~sdv_threea.adapt.evidence`). With all weights ``w`` one it is naive Bayes; weights below one
make up for what columns say twice. The second sum is what columns say only together: the
:mod:`features <sdv_threea.adapt.features>` ``phi`` of a neural tangent kernel. All of it is made of
released numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import TINY, draw_by_chance, look_up, softmax
from sdv_threea.adapt.features import FEATURE_UNITS, KernelFeatures, whole_features
from sdv_threea.adapt.trade import stretch
from sdv_threea.approximate.scores import NormalScores

#: Each step of a calibration leaves a fraction of the error of the one before.
CALIBRATION_STEPS = 50

#: It ends when no share of a class is off by more than this part of itself.
CLOSE = 1e-9


@dataclass(frozen=True)
class Interplay:
    """What columns say of a target only together: publishable.

    Args:
        scores: The normal scores of codes among all classes.
        features: The features ``phi`` of scores.
        weights: What a unit of each feature adds to the log odds of the classes, ``v``, shape
            (C, r); of a number, to what is expected of it, shape (1, r).
    """

    scores: NormalScores
    features: KernelFeatures
    weights: NDArray[np.float64]

    def __call__(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return what the codes of records, shape (n, m), add, shape (n, C)."""
        return self.see(codes) / FEATURE_UNITS @ self.weights.T

    def see(self, codes: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the features of records, shape (n, m) to (n, r), whole, each by itself."""
        scores = self.scores(codes, np.zeros(len(codes), dtype=np.int64))
        return whole_features(scores, self.features)


@dataclass(frozen=True)
class LabelModel:
    """Gives the chances of the classes of a record from its codes: publishable.

    Args:
        offsets: Log odds ``b`` of the classes before anything is known, shape (C,).
        evidence: What each code adds to them, ``w e``, by column, each of shape (C, S).
        interplay: What codes add together; ``None`` where the budget carries no features.
    """

    offsets: NDArray[np.float64]
    evidence: tuple[NDArray[np.float64], ...]
    interplay: Interplay | None = None

    def log_odds(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Add up what codes say, shape (n, m) to (n, C); the code -1 is no evidence."""
        found = np.tile(self.offsets, (len(codes), 1))
        for column, table in zip(codes.T, self.evidence, strict=True):
            found += look_up(table, column)
        return found if self.interplay is None else found + self.interplay(codes)

    def chances(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """The chances of the classes, shape (n, C)."""
        return softmax(self.log_odds(codes))

    def draw(self, codes: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the class of each record, shape (n,)."""
        return draw_by_chance(self.chances(codes), rng)

    def adjusted(
        self,
        codes: NDArray[np.integer],
        weights: NDArray[np.float64],
        shares: NDArray[np.float64],
        alpha: float,
        constants: AdaptConstants,
    ) -> LabelModel:
        """Make labels sure enough, and classes as frequent as they are known to be.

        Classes that follow from the codes but loosely drown in chance, and a classifier needs many
        records to learn them. Surer classes keep their order, and are learnt from few records. So
        log odds are stretched (:mod:`~sdv_threea.adapt.trade`); then the offsets move until the
        classes of these records have the given shares.

        Args:
            codes: Codes of records that stand for all, shape (n, m).
            weights: How many records each of them stands for, shape (n,).
            shares: The shares of the classes, shape (C,), which sum to one.
            alpha: The weight of the density against the loss, in [0, 1].
            constants: How far log odds may be stretched.

        Returns:
            The adjusted model.
        """
        odds = self.log_odds(codes) - self.offsets
        wanted = constants.log_odds_spread / _root_mean_square(odds, weights)
        factor = stretch(alpha, min(max(wanted, 1.0), constants.most_stretch))
        offsets = _calibrate(factor * odds, self.offsets, weights / weights.sum(), shares)
        evidence = tuple(factor * table for table in self.evidence)
        if self.interplay is None:
            return LabelModel(offsets, evidence)
        interplay = replace(self.interplay, weights=factor * self.interplay.weights)
        return LabelModel(offsets, evidence, interplay)


def _root_mean_square(odds: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return how far log odds, shape (n, C), spread around their means, over all classes."""
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
    """Return the offsets, shape (C,), with which classes have the given shares."""
    goal = np.log(np.maximum(shares, TINY))
    for _ in range(CALIBRATION_STEPS):
        missing = goal - np.log(np.maximum(weights @ softmax(odds + offsets), TINY))
        offsets = offsets + missing
        if np.abs(missing).max() < CLOSE:
            break
    return np.asarray(offsets - offsets.mean())
