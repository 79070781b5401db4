"""Adapt the labels: what the classes follow from, fitted to the classifier's loss.

A mixture fitted class by class says which records occur, and only by the way how classes follow
from them. Here a model of just that, :class:`~sdv_threea.adapt.evidence.LabelModel`, is fitted to
the logistic loss over the private rows. It starts as what the mixture implies and takes a few steps
of Fisher scoring: the slope of the loss is released with noise, its curvature is that of records
drawn from what is released, and each step goes as far as the noise lets it.

With weights and classes as they are, the slope is a sum of as many numbers as the model has
weights; second moments, which a least-squares solution would need, are their square.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.evidence import GRID, LabelModel, look_up, softmax
from sdv_threea.adapt.slopes import UNITS, Labelled, slope_sensitivity, sum_slopes
from sdv_threea.privacy.mechanism import Noise, add_noise
from sdv_threea.privacy.rows import Rows

#: Steps on the private rows, and those from nothing to what the mixture implies.
STEPS, START_STEPS = 3, 8

#: How far weights are expected to lie from where they start: all together, and one at most. And
#: from zero, at the start.
SPREAD, MOST_SPREAD = 2.0, 0.5
START_SPREAD = 1.0

#: No step changes log odds by more than this, in the mean square.
LONGEST_STEP = 1.0

#: A drawn label counts as another class by this much: evidence that is certain in the draws is not
#: so in the private rows.
SMOOTHING = 0.05

#: Of the records of each class, so many have slopes that are not clipped.
UNCLIPPED = 0.9

#: Radii are whole multiples of one over this.
RADII = 16

#: The least curvature, as a share of what it is before any evidence.
LEAST_CURVATURE = 0.02

#: Records that are drawn to fit to: fewer where there are more columns and classes.
LEAST_DRAWS, MOST_DRAWS, MOST_CELLS = 1000, 10_000, 2**23


Chunk = TypeVar('Chunk', bound=Labelled)


class Draws(NamedTuple):
    """Records drawn from what is released, and how many private ones each stands for.

    Shapes: codes (n, m), labels (n,), weights (n,).
    """

    codes: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]


def num_draws(num_classes: int, num_columns: int) -> int:
    """Choose how many records to draw for a fit."""
    fitting = MOST_CELLS // (num_classes * (num_columns + 1))
    return min(max(fitting, LEAST_DRAWS), MOST_DRAWS)


def adapt_labels(
    rows: Rows[Chunk],
    evidence: tuple[NDArray[np.int64], ...],
    draws: Draws,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[LabelModel, tuple[Receipt, ...]]:
    """Fit the model of the labels to the loss over the private rows.

    Formal guarantees:
        * the rows are read ``STEPS`` times, by :func:`~sdv_threea.adapt.slopes.sum_slopes`, whose
          sums move by at most :func:`~sdv_threea.adapt.slopes.slope_sensitivity`
        * each release is ``mu / sqrt(STEPS)``-GDP, which composes to ``mu``; weights and radius of
          a step are functions of the releases before it

    Args:
        rows: Private records.
        evidence: Weights of evidence in units of ``1 / GRID``, by column, each of shape (C, S).
        draws: Records drawn from what is released, all classes among them.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The model, and a receipt for each step.
    """
    fit = _Fit(evidence, draws)
    weights, receipts = fit.start(), []
    for _ in range(STEPS):
        radius = fit.radius(weights)
        slopes, receipt = add_noise(
            rows.sum(partial(sum_slopes, evidence, _whole(evidence, weights), radius)),
            sensitivity=slope_sensitivity(radius, neighbors),
            mu=mu / math.sqrt(STEPS),
            stage='adapt',
            released=f'slopes of the logistic loss in {weights.size} weights',
            resolution=1 / (GRID * UNITS),
            noise=noise,
        )
        receipts.append(receipt)
        weights = fit.step(weights, slopes.reshape(weights.shape), receipt.noise_scale)
    return _model(evidence, weights), tuple(receipts)


class _Fit:
    """Fisher scoring: curvature and radius are read off draws, so all of it is free of cost."""

    def __init__(self, evidence: tuple[NDArray[np.int64], ...], draws: Draws) -> None:
        self._weights, self._labels = draws.weights, draws.labels
        found = [look_up(own, column) for own, column in zip(evidence, draws.codes.T, strict=True)]
        constant = np.full_like(found[0], GRID) if found else np.empty((0, 0))
        #: By class, shape (C, n, m + 1).
        self._features = np.stack([constant, *found], axis=-1).swapaxes(0, 1) / GRID
        classes = np.eye(len(self._features))
        self._classes = classes[draws.labels]
        self._shares = draws.weights @ self._classes / draws.weights.sum()

    def start(self) -> NDArray[np.float64]:
        """Fit the labels of the draws, shape (C, m + 1)."""
        num_classes, _, width = self._features.shape
        weights = np.zeros((num_classes, width))
        weights[:, 0] = np.log(self._shares)
        expected = (1 - SMOOTHING) * self._classes + SMOOTHING * self._shares
        for _ in range(START_STEPS):
            chances = self._chances(weights)
            left = (expected - chances) * self._weights[:, None]
            slopes = np.einsum('nc,cnj->cj', left, self._features)
            ridge = np.eye(width) / START_SPREAD**2
            moves = [
                np.linalg.solve(curvature + ridge, slope)
                for curvature, slope in zip(self._curvatures(chances), slopes, strict=True)
            ]
            weights = self._move(weights, np.stack(moves))
        return weights

    def radius(self, weights: NDArray[np.float64]) -> int:
        """Choose the norm of a slope to clip to: most of each class's are shorter."""
        left = np.abs(self._classes - self._chances(weights))
        norms = np.sqrt(np.square(left * np.linalg.norm(self._features, axis=2).T).sum(axis=1))
        of_class = [norms[self._labels == label] for label in range(len(self._shares))]
        longest = max(float(np.quantile(own, UNCLIPPED)) for own in of_class if len(own))
        return math.ceil(longest * RADII) * (GRID * UNITS // RADII)

    def step(
        self, weights: NDArray[np.float64], slopes: NDArray[np.float64], scale: float
    ) -> NDArray[np.float64]:
        """Go downhill, as far as noise of this scale lets one see."""
        curvatures = self._curvatures(self._chances(weights))
        spread = min(MOST_SPREAD, SPREAD / math.sqrt(weights.shape[1]))
        moves = [_damped(*each, scale, spread) for each in zip(curvatures, slopes, strict=True)]
        return self._move(weights, np.stack(moves))

    def _chances(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return softmax(np.einsum('cnj,cj->nc', self._features, weights))

    def _curvatures(self, chances: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Curvature of the loss in the weights of each class, shape (m + 1, m + 1) each.

        Beside it, weights of other classes move: of two classes, each takes half of the way.
        """
        others = len(self._shares) / (len(self._shares) - 1)
        least = LEAST_CURVATURE * self._shares * (1 - self._shares)
        own = np.maximum(chances * (1 - chances), least) * self._weights[:, None] * others
        return [
            (features * weight[:, None]).T @ features
            for features, weight in zip(self._features, own.T, strict=True)
        ]

    def _move(
        self, weights: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        change = np.einsum('cnj,cj->nc', self._features, moves)
        change -= change.mean(axis=1, keepdims=True)
        squares = self._weights @ np.square(change).sum(axis=1) / self._weights.sum()
        return weights + moves * min(1.0, LONGEST_STEP / max(math.sqrt(squares), 1e-9))


def _damped(
    curvature: NDArray[np.float64], slope: NDArray[np.float64], scale: float, spread: float
) -> NDArray[np.float64]:
    """Find the likeliest way down, if ways are normal around zero, and slopes noisy.

    ``slope = curvature way + noise``, where the noise is that of the release and of sampling, whose
    covariance is the curvature.
    """
    values, vectors = np.linalg.eigh(curvature)
    values = np.maximum(values, 1e-9)
    noises = scale**2 + values
    ways = values / noises * (vectors.T @ slope) / (values**2 / noises + 1 / spread**2)
    return np.asarray(vectors @ ways)


def _model(evidence: tuple[NDArray[np.int64], ...], weights: NDArray[np.float64]) -> LabelModel:
    columns = zip(evidence, weights.T[1:], strict=True)
    return LabelModel(weights[:, 0], tuple(own / GRID * each[:, None] for own, each in columns))


def _whole(
    evidence: tuple[NDArray[np.int64], ...], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], ...]:
    """Round a model to whole units of ``1 / GRID``: offsets, then what each column adds."""
    model = _model(evidence, weights)
    return tuple(np.rint(each * GRID).astype(np.int64) for each in (model.offsets, *model.evidence))
