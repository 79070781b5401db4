"""Links: targets of a linear predictor, with residuals on draws and on private rows."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from sdv_threea.adapt.belief import Belief
from sdv_threea.adapt.design import TINY
from sdv_threea.adapt.slopes import (
    ODDS_UNITS,
    TARGET_UNITS,
    all_odds,
    class_residuals,
    number_residuals,
)
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import AdaptConstants

#: The least number of weights that their prior assumes.
FEWEST_WEIGHTS = 16

#: Bounds of the number of draws for a fit. The number falls with columns and classes, because the
#: array of evidence has at most ``MOST_ENTRIES`` entries, but not below the least.
LEAST_DRAWS, MOST_DRAWS, MOST_ENTRIES = 1000, 10_000, 2**23


class Draws(NamedTuple):
    """Draws: codes (n, m), labels (n,), and the records that each draw represents, (n,)."""

    codes: Wholes
    labels: Wholes
    weights: Floats

    def among(self, kept: Bools) -> Draws:
        """Return some of the draws."""
        return Draws(self.codes[kept], self.labels[kept], self.weights[kept])

    def first(self, most: int) -> Draws:
        """Return at most the first ``most`` draws, reweighted to represent all records."""
        weights = self.weights[:most]
        each = self.weights.sum() / weights.sum()
        return Draws(self.codes[:most], self.labels[:most], weights * each)


def num_draws(num_classes: int, num_columns: int) -> int:
    """Return the number of records to draw for a fit."""
    fitting = MOST_ENTRIES // (num_classes * (num_columns + 1))
    return min(max(fitting, LEAST_DRAWS), MOST_DRAWS)


class Classes:
    """The target is a class: predictors are log odds, and their softmax is the probabilities."""

    #: Units per one on private rows, and the unit of predictors.
    units, unit = ODDS_UNITS, 1.0
    residuals = staticmethod(class_residuals)

    def __init__(self, draws: Draws, num_odds: int, constants: AdaptConstants) -> None:
        self.records, self.groups = draws.weights, draws.labels
        self._constants, self._num = constants, num_odds
        self._classes = np.eye(max(num_odds, 2))[draws.labels]
        self.shares = draws.weights @ self._classes / draws.weights.sum()

    def begin(self, inputs: Floats, num_weights: int) -> Belief:
        """Return weights fitted to the labels of the draws, from inputs (K, n, D)."""
        smoothing, shape = self._constants.overconfidence, (self._num, inputs.shape[2])
        expected = (1 - smoothing) * self._classes + smoothing * self.shares

        def lose(flat: Floats) -> tuple[float, Floats]:
            """Return the penalised loss over draws and its gradient."""
            weights = flat.reshape(shape)
            logs = log_softmax(all_odds(weigh(inputs, weights)), axis=1)
            missing = self._own((np.exp(logs) - expected) * self.records[:, None]).T
            loss = -float(self.records @ (expected * logs).sum(axis=1))
            gradient = (missing[:, None, :] @ inputs)[:, 0] + weights
            return loss + float(flat @ flat) / 2, gradient.ravel()

        means = np.zeros(shape)
        # A class without draws would have infinite log odds.
        logs = np.log(np.maximum(self.shares, TINY))
        means[:, 0] = logs if self._num > 1 else np.diff(logs)
        found = minimize(lose, means.ravel(), jac=True, method='L-BFGS-B')
        # The root of the number helps tables of many columns; spreads of half and twice as much,
        # and of four times as much, are as good.
        covariance = np.eye(shape[1]) / max(num_weights, FEWEST_WEIGHTS)
        return Belief(found.x.reshape(shape), np.tile(covariance, (self._num, 1, 1)))

    def miss(self, predicted: Floats) -> Floats:
        """Return the residuals of the draws, shape (n, K)."""
        return self._own(self._classes - softmax(all_odds(predicted)))

    def curve(self, predicted: Floats, records: Floats) -> Floats:
        """Return the curvature of each draw's loss in each predictor, shape (n, K)."""
        chances, others = softmax(all_odds(predicted)), self._num / max(self._num - 1, 1)
        least = self._constants.overconfidence * self.shares * (1 - self.shares)
        # The curvature is raised by this factor because the predictors of all classes move at once.
        own = np.maximum(chances * (1 - chances), least) * records[:, None] * others
        return self._own(own)

    def _own(self, values: Floats) -> Floats:
        """Return the classes that have a predictor, shape (n, C) to (n, K)."""
        return values[:, values.shape[1] - self._num :]


class Numbers:
    """The target is a number; ``unit`` is the standard deviation of the density's residuals."""

    units = TARGET_UNITS
    residuals = staticmethod(number_residuals)

    def __init__(self, records: Floats, left: Wholes) -> None:
        self.records, self.groups = records, np.zeros(len(records), dtype=np.int64)
        squares = np.square(left / TARGET_UNITS)
        # Scores are whole multiples of a score unit, so less than that is rounding.
        self.unit = max(math.sqrt(float(np.average(squares, weights=records))), 1 / ODDS_UNITS)
        self._left = left[:, None] / TARGET_UNITS / self.unit

    def begin(self, inputs: Floats, num_weights: int) -> Belief:
        """Return weights of zero, because the draws follow the density's prediction."""
        return Belief(np.zeros((1, num_weights)), np.zeros((1, num_weights, num_weights)))

    def miss(self, predicted: Floats) -> Floats:
        """Return the residuals of the density, (n, 1), for any predictions."""
        return self._left

    def curve(self, predicted: Floats, records: Floats) -> Floats:
        """Return the curvature of the loss of each draw, (n, 1); residuals have variance one."""
        return records[:, None]


def weigh(inputs: Floats, weights: Floats) -> Floats:
    """Return the predictors of draws, (n, K), from inputs, (K, n, D), and weights, (K, D)."""
    return np.asarray((inputs @ weights[:, :, None])[:, :, 0].T)


def softmax(log_odds: Floats) -> Floats:
    """Return probabilities from log odds, shape (n, C)."""
    odds = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def draw_by_chance(chances: Floats, rng: np.random.Generator) -> Wholes:
    """Draw a class from each row of probabilities, (n, C), which need not sum to one."""
    passed = np.cumsum(chances, axis=1)
    places = rng.random((len(chances), 1)) * passed[:, -1:]
    found = (passed <= places).sum(axis=1)
    return np.asarray(np.minimum(found, chances.shape[1] - 1), dtype=np.int64)
