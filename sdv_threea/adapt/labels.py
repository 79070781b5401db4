"""Adapt the labels: what the classes follow from, fitted to the loss of a classifier.

A mixture that is fitted class by class says which records occur, and says only in passing how their
classes follow from them. Here a model of just that, the
:class:`~sdv_threea.adapt.evidence.LabelModel`, is fitted to the logistic loss over the private
rows. For record ``i`` let ``e_ic`` in ``R^(m+1)`` be a one and the weights of evidence of its
``m`` codes for class ``c``, ``w_c`` in ``R^(m+1)`` the weights of class ``c``, and ``y_ic`` one if
its class is ``c``, else zero. Then::

    p_ic = softmax_c(w_c . e_ic)          the model
    L(w) = - sum_i sum_c y_ic log p_ic    the loss
    s_c  = sum_i (y_ic - p_ic) e_ic       its slope downhill in w_c, shape (m + 1,)

The weights start as what the mixture implies. Then come a few steps of Fisher scoring. The slope of
each is released with noise. The curvature, the radius that slopes are clipped to, and how far a
step goes are read off records that are drawn from earlier releases, which costs nothing.

A slope has one number for each class and column. The second moments that a least-squares solution
needs would have about the square of that, and each would need its share of the noise.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import EVIDENCE_UNITS, LabelModel, look_up, softmax
from sdv_threea.adapt.slopes import CHANCE_UNITS, Labelled, slope_sensitivity, sum_slopes
from sdv_threea.privacy.mechanism import Noise, add_noise
from sdv_threea.privacy.rows import Rows

#: Steps by which the start is fitted to draws: it has converged by then.
START_STEPS = 8

#: Radii are whole multiples of one over this.
RADII = 16

#: Records that are drawn to fit to. There are fewer where there are more columns and classes: the
#: array of their evidence has at most ``MOST_ENTRIES`` entries, unless records are the fewest.
LEAST_DRAWS, MOST_DRAWS, MOST_ENTRIES = 1000, 10_000, 2**23

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
    fitting = MOST_ENTRIES // (num_classes * (num_columns + 1))
    return min(max(fitting, LEAST_DRAWS), MOST_DRAWS)


def adapt_labels(  # noqa: PLR0913 (the private rows, the start, the constants and the price)
    rows: Rows[Chunk],
    evidence: tuple[NDArray[np.int64], ...],
    draws: Draws,
    constants: AdaptConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[LabelModel, tuple[Receipt, ...]]:
    """Fit the model of the labels to the loss over the private rows.

    Formal guarantees:
        * the rows are read ``T = constants.label_steps`` times, by
          :func:`~sdv_threea.adapt.slopes.sum_slopes`, whose sums move by at most
          :func:`~sdv_threea.adapt.slopes.slope_sensitivity`
        * each release is ``mu / sqrt(T)``-GDP, which composes to ``mu``; weights and radius of a
          step are functions of the releases before it

    Args:
        rows: Private records.
        evidence: Weights of evidence in units of ``1 / EVIDENCE_UNITS``, by column, each of shape
            (C, S).
        draws: Records drawn from what is released, all classes among them.
        constants: How far and how often to step.
        mu: The price, in GDP.
        neighbors: ``'add_remove'`` or ``'replace_one'``.
        noise: The source of noise.

    Returns:
        The model, and a receipt for each step.
    """
    fit, num_steps = _Fit(evidence, draws, constants), constants.label_steps
    weights, receipts = fit.start(), []
    for _ in range(num_steps):
        radius = fit.radius(weights)
        slopes, receipt = add_noise(
            rows.sum(partial(sum_slopes, evidence, _whole(evidence, weights), radius)),
            sensitivity=slope_sensitivity(radius, neighbors),
            mu=mu / math.sqrt(num_steps),
            stage='adapt',
            released=f'slopes of the logistic loss in {weights.size} weights',
            resolution=1 / (EVIDENCE_UNITS * CHANCE_UNITS),
            noise=noise,
        )
        receipts.append(receipt)
        weights = fit.step(weights, slopes.reshape(weights.shape), receipt.noise_scale)
    return _model(evidence, weights), tuple(receipts)


class _Fit:
    """Fisher scoring: curvature and radius are read off draws, so all of it is free of cost."""

    def __init__(
        self, evidence: tuple[NDArray[np.int64], ...], draws: Draws, constants: AdaptConstants
    ) -> None:
        self._constants = constants
        self._weights, self._labels = draws.weights, draws.labels
        found = [look_up(own, column) for own, column in zip(evidence, draws.codes.T, strict=True)]
        constant = np.full_like(found[0], EVIDENCE_UNITS) if found else np.empty((0, 0))
        #: A one and the weights of evidence of each draw, by class: shape (C, n, m + 1).
        self._features = np.stack([constant, *found], axis=-1).swapaxes(0, 1) / EVIDENCE_UNITS
        classes = np.eye(len(self._features))
        self._classes = classes[draws.labels]
        self._shares = draws.weights @ self._classes / draws.weights.sum()

    def start(self) -> NDArray[np.float64]:
        """Fit weights to the labels of the draws, with a normal prior: shape (C, m + 1)."""
        num_classes, _, width = self._features.shape
        smoothing = self._constants.smoothing
        weights = np.zeros((num_classes, width))
        weights[:, 0] = np.log(self._shares)
        expected = (1 - smoothing) * self._classes + smoothing * self._shares
        for _ in range(START_STEPS):
            chances = self._chances(weights)
            left = (expected - chances) * self._weights[:, None]
            slopes = np.einsum('nc,cnj->cj', left, self._features)
            ridge = np.eye(width) / self._constants.start_weight_spread**2
            moves = [
                np.linalg.solve(curvature + ridge, slope)
                for curvature, slope in zip(self._curvatures(chances), slopes, strict=True)
            ]
            weights = self._move(weights, np.stack(moves))
        return weights

    def radius(self, weights: NDArray[np.float64]) -> int:
        """Choose the norm that slopes are clipped to: most slopes of each class are shorter."""
        # The slope of a draw has the norm sqrt(sum_c (y_c - p_c)^2 ||e_c||^2).
        left = np.abs(self._classes - self._chances(weights))
        norms = np.sqrt(np.square(left * np.linalg.norm(self._features, axis=2).T).sum(axis=1))
        unclipped = self._constants.unclipped_slopes
        of_class = [norms[self._labels == label] for label in range(len(self._shares))]
        longest = max(float(np.quantile(own, unclipped)) for own in of_class if len(own))
        return math.ceil(longest * RADII) * (EVIDENCE_UNITS * CHANCE_UNITS // RADII)

    def step(
        self, weights: NDArray[np.float64], slopes: NDArray[np.float64], scale: float
    ) -> NDArray[np.float64]:
        """Go downhill, as far as slopes with noise of this scale tell the way."""
        constants = self._constants
        curvatures = self._curvatures(self._chances(weights))
        spread = constants.weight_spread / math.sqrt(weights.shape[1])
        spread = min(constants.most_weight_spread, spread)
        moves = [_damped(*each, scale, spread) for each in zip(curvatures, slopes, strict=True)]
        return self._move(weights, np.stack(moves))

    def _chances(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return softmax(np.einsum('cnj,cj->nc', self._features, weights))

    def _curvatures(self, chances: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Compute the curvature of the loss in each class's weights, shape (m + 1, m + 1) each.

        It is ``C / (C - 1) sum_i p_ic (1 - p_ic) e_ic e_ic^T``. The weights of the other classes
        move at the same time, so each class must take a part of the way only: half of it, of two.
        """
        others = len(self._shares) / (len(self._shares) - 1)
        least = self._constants.least_curvature * self._shares * (1 - self._shares)
        own = np.maximum(chances * (1 - chances), least) * self._weights[:, None] * others
        return [
            (features * weight[:, None]).T @ features
            for features, weight in zip(self._features, own.T, strict=True)
        ]

    def _move(
        self, weights: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Move the weights, less far where log odds would change too much."""
        change = np.einsum('cnj,cj->nc', self._features, moves)
        change -= change.mean(axis=1, keepdims=True)
        squares = self._weights @ np.square(change).sum(axis=1) / self._weights.sum()
        return weights + moves * min(
            1.0, self._constants.longest_step / max(math.sqrt(squares), 1e-9)
        )


def _damped(
    curvature: NDArray[np.float64], slope: NDArray[np.float64], scale: float, spread: float
) -> NDArray[np.float64]:
    """Find the likeliest way down, given a noisy slope: a Newton step that is shrunk.

    With ``H`` the curvature and ``d`` the way, ``slope = H d + noise``. The noise is that of the
    release, of variance ``scale^2``, and that of sampling, whose covariance is ``H``. The prior is
    ``d ~ N(0, spread^2 I)``. Then ``d = (H V H + I / spread^2)^-1 H V slope`` with
    ``V = (scale^2 I + H)^-1``: all of it is diagonal in the eigenvectors of ``H``.
    """
    values, vectors = np.linalg.eigh(curvature)
    values = np.maximum(values, 1e-9)  # rounding leaves eigenvalues a little below zero
    noises = scale**2 + values
    ways = values / noises * (vectors.T @ slope) / (values**2 / noises + 1 / spread**2)
    return np.asarray(vectors @ ways)


def _model(evidence: tuple[NDArray[np.int64], ...], weights: NDArray[np.float64]) -> LabelModel:
    """Multiply the weights with the evidence."""
    columns = zip(evidence, weights.T[1:], strict=True)
    return LabelModel(
        weights[:, 0], tuple(own / EVIDENCE_UNITS * each[:, None] for own, each in columns)
    )


def _whole(
    evidence: tuple[NDArray[np.int64], ...], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], ...]:
    """Round a model to units of ``1 / EVIDENCE_UNITS``: offsets, then what each column adds."""
    model = _model(evidence, weights)
    return tuple(
        np.rint(each * EVIDENCE_UNITS).astype(np.int64) for each in (model.offsets, *model.evidence)
    )
