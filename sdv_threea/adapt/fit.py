"""Fisher scoring for the labels: post-processing of released slopes and moments, with draws."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from sdv_threea.adapt.belief import choose_spread, log_likelihoods, update
from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import EVIDENCE_UNITS, all_odds, look_up, softmax
from sdv_threea.adapt.features import FEATURE_UNITS, KernelFeatures
from sdv_threea.adapt.model import Interplay, LabelModel
from sdv_threea.adapt.moments import match_moments
from sdv_threea.adapt.slopes import CHANCE_UNITS, LARGEST_WEIGHT, WEIGHT_UNITS, WholeModel
from sdv_threea.adapt.span import span_of
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.approximate.scores import NormalScores

#: L-BFGS steps of the start, enough to come near the least loss.
START_STEPS = 40

#: Floor of curvatures and squared lengths, which are divisors.
LEAST_VARIANCE = 1e-9

#: Radii are whole multiples of one over this.
RADII = 16


class Draws(NamedTuple):
    """Draws: codes (n, m), labels (n,), and how many private records each draw represents, (n,)."""

    codes: NDArray[np.int64]
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]

    def first(self, most: int) -> Draws:
        """Return at most the first ``most`` draws, reweighted to represent all records."""
        weights = self.weights[:most]
        each = self.weights.sum() / weights.sum()
        return Draws(self.codes[:most], self.labels[:most], weights * each)


class Fit:
    """Fisher scoring of the label weights, ``coordinates``, shape (K, D), from released slopes."""

    def __init__(
        self, evidence: tuple[NDArray[np.int64], ...], draws: Draws, constants: AdaptConstants
    ) -> None:
        self.evidence = evidence
        self._constants = constants
        self._records, self._labels = draws.weights, draws.labels
        found = [look_up(own, column) for own, column in zip(evidence, draws.codes.T, strict=True)]
        constant = np.full_like(found[0], EVIDENCE_UNITS) if found else np.empty((0, 0))
        inputs = np.stack([constant, *found], axis=-1).swapaxes(0, 1) / EVIDENCE_UNITS
        width = inputs.shape[2]
        #: Inputs of the linear model, to be multiplied with coordinates, by class and draw: (K, n,
        #: D).
        self._span, self._inputs = span_of(np.asarray(inputs, dtype=np.float64))
        num_odds, _, reduced = self._inputs.shape
        self._classes = np.eye(max(num_odds, 2))[draws.labels]
        self._shares = draws.weights @ self._classes / draws.weights.sum()
        logs = np.log(self._shares)
        self.coordinates = np.zeros((num_odds, reduced))
        self.coordinates[:, 0] = logs if num_odds > 1 else np.diff(logs)
        spread = min(constants.most_weight_spread, constants.weight_spread / math.sqrt(width))
        self._covariances = np.tile(spread**2 * np.eye(reduced), (num_odds, 1, 1))
        #: Number of features; True until a slope has set their prior spread; share of rows in
        #: slopes.
        self.num_features, self._new, self._share = 0, False, 1.0

    def start(self) -> None:
        """Fit the weights to the labels of the draws, with a normal prior."""
        smoothing, shape = self._constants.smoothing, self.coordinates.shape
        expected = (1 - smoothing) * self._classes + smoothing * self._shares
        precision = 1 / self._constants.start_weight_spread**2

        def lose(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            """Return the penalised loss over draws and its gradient."""
            weights = flat.reshape(shape)
            logs = log_softmax(all_odds(self._weigh(weights)), axis=1)
            missing = self._own((np.exp(logs) - expected) * self._records[:, None]).T
            loss = -float(self._records @ (expected * logs).sum(axis=1))
            gradient = (missing[:, None, :] @ self._inputs)[:, 0] + precision * weights
            return loss + precision / 2 * float(flat @ flat), gradient.ravel()

        limits = {'maxiter': START_STEPS}
        found = minimize(
            lose, self.coordinates.ravel(), jac=True, method='L-BFGS-B', options=limits
        )
        self.coordinates = found.x.reshape(shape)

    def add_features(
        self,
        features: NDArray[np.float64],
        moments: ScoreMoments,
        share: float,
    ) -> None:
        """Add features of draws, (n, r), of zero weight; later slopes use ``share`` of the rows."""
        self._share, self._records = share, self._records * share
        matched = match_moments(features, self._records, moments)
        num_odds, self.num_features = len(self.coordinates), features.shape[1]
        self._inputs = np.concatenate([self._inputs, np.tile(matched, (num_odds, 1, 1))], axis=2)
        more = (0, self.num_features)
        self.coordinates = np.pad(self.coordinates, ((0, 0), more))
        self._covariances = np.pad(self._covariances, ((0, 0), more, more))
        self._new = True

    def promise(self, features: NDArray[np.float64], noise: float) -> float:
        """Return the expected information of a slope about feature weights, in nats."""
        squares = np.square(features).sum(axis=1)
        scale = noise * self._longest(self._squares() + squares[:, None])
        variance = self._records.sum() / max(float(self._records @ squares), LEAST_VARIANCE)
        found = 0.0
        for own in self._variances(self._chances()).T:
            roots = features * np.sqrt(own)[:, None]
            values = np.maximum(np.linalg.eigvalsh(roots.T @ roots), LEAST_VARIANCE)
            found += float(np.log1p(variance * values**2 / (values + scale**2)).sum()) / 2
        return found

    def radius(self) -> int:
        """Return the norm to which slopes are clipped: most slopes of each class are shorter."""
        longest = self._longest(self._squares())
        return math.ceil(longest * RADII) * (EVIDENCE_UNITS * CHANCE_UNITS // RADII)

    def _squares(self) -> NDArray[np.float64]:
        """Return the squared norms of the inputs, by draw and class, shape (n, K)."""
        return np.asarray(np.square(self._inputs).sum(axis=2).T)

    def _longest(self, squares: NDArray[np.float64]) -> float:
        """Return a norm that most slopes ``sqrt(sum_c (y_c - p_c)^2 ||x_c||^2)`` do not exceed."""
        left = self._own(self._classes - self._chances())
        norms = np.sqrt((np.square(left) * squares).sum(axis=1))
        unclipped = self._constants.unclipped_slopes
        of_class = [norms[self._labels == label] for label in range(len(self._shares))]
        return max(float(np.quantile(own, unclipped)) for own in of_class if len(own))

    def step(self, slopes: NDArray[np.float64], scale: float) -> None:
        """Move the weights along released slopes, shape (K, D), as far as their noise allows.

        The first slope with features sets the prior spread of their weights by maximum likelihood.
        Spread zero drops the features, because slopes without them need less noise.
        """
        slopes = self._span.restrict(slopes)
        curvatures = self._curvatures(self._chances())
        useless = self._new and not self._open_features(curvatures, slopes, scale)
        known = zip(curvatures, slopes, self._covariances, strict=True)
        found = [update(curvature, slope, scale, prior) for curvature, slope, prior in known]
        self._covariances = np.stack([each.covariance for each in found])
        self._move(np.stack([each.way for each in found]))
        self._new = False
        if useless:
            self._drop_features()

    def _open_features(
        self, curvatures: list[NDArray[np.float64]], slopes: NDArray[np.float64], scale: float
    ) -> bool:
        """Set the likeliest prior spread of feature weights; return whether it is positive."""
        spreads, width = self._constants.feature_spreads, self.coordinates.shape[1]
        places = np.arange(width - self.num_features, width)
        more = np.eye(width)[:, places]
        likelihoods = np.zeros(len(spreads))
        for curvature, slope, prior in zip(curvatures, slopes, self._covariances, strict=True):
            likelihoods += log_likelihoods(curvature, slope, scale, prior, more, spreads)
        spread, gain = choose_spread(likelihoods, spreads)
        spread *= gain > self._constants.feature_doubt
        self._covariances[:, places, places] = spread**2
        return spread > 0

    def _drop_features(self) -> None:
        """Drop the features: later steps use evidence alone, and all rows."""
        kept = self.coordinates.shape[1] - self.num_features
        self._inputs, self.coordinates = self._inputs[:, :, :kept], self.coordinates[:, :kept]
        self._covariances, self.num_features = self._covariances[:, :kept, :kept], 0
        self._records = self._records / self._share

    def whole_model(self) -> WholeModel:
        """Return the model rounded to whole numbers."""
        offsets, tables, weights = self._parts()
        largest = LARGEST_WEIGHT * WEIGHT_UNITS
        # A feature is in units of 1 / FEATURE_UNITS, its effect in units of 1 / EVIDENCE_UNITS.
        weights = np.rint(weights * WEIGHT_UNITS * EVIDENCE_UNITS / FEATURE_UNITS)
        return WholeModel(
            np.rint(offsets * EVIDENCE_UNITS).astype(np.int64),
            tuple(np.rint(table * EVIDENCE_UNITS).astype(np.int64) for table in tables),
            np.clip(weights, -largest, largest).astype(np.int64),
        )

    def model(self, pooled: NormalScores, features: KernelFeatures | None) -> LabelModel:
        """Return the fitted model."""
        offsets, tables, weights = self._parts()
        offsets, weights = all_odds(offsets[None])[0], all_odds(weights.T).T
        tables = tuple(all_odds(table.T).T for table in tables)
        if features is None or not self.num_features:
            return LabelModel(offsets, tables)
        return LabelModel(offsets, tables, Interplay(pooled, features, weights))

    def _parts(
        self,
    ) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], ...], NDArray[np.float64]]:
        """Return offsets, weights of evidence times evidence, and the weights of features."""
        weights, width = self._span.lift(self.coordinates), len(self.evidence) + 1
        columns = zip(self.evidence, weights.T[1:width], strict=True)
        tables = tuple(own / EVIDENCE_UNITS * each[:, None] for own, each in columns)
        return weights[:, 0], tables, weights[:, width:]

    def _chances(self) -> NDArray[np.float64]:
        return softmax(all_odds(self._weigh(self.coordinates)))

    def _own(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the classes whose log odds are not zero, shape (n, C) to (n, K)."""
        return values[:, -len(self.coordinates) :]

    def _weigh(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of the draws for these coordinates, shape (n, K)."""
        return np.asarray((self._inputs @ coordinates[:, :, None])[:, :, 0].T)

    def _curvatures(self, chances: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return each class's curvature, (D, D), increased because all classes step at once."""
        own = self._variances(chances)
        # A matrix times its transpose takes half of the time of a general product.
        roots = self._inputs * np.sqrt(own).T[:, :, None]
        return [root.T @ root for root in roots]

    def _variances(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the curvature of the loss of each draw in the log odds of a class, (n, K)."""
        others = len(self.coordinates) / max(len(self.coordinates) - 1, 1)
        least = self._constants.least_curvature * self._shares * (1 - self._shares)
        own = np.maximum(chances * (1 - chances), least) * self._records[:, None] * others
        return self._own(own)

    def _move(self, moves: NDArray[np.float64]) -> None:
        """Move the weights, with a limit on the change of log odds."""
        change = all_odds(self._weigh(moves))
        change -= change.mean(axis=1, keepdims=True)
        squares = self._records @ np.square(change).sum(axis=1) / self._records.sum()
        longest = self._constants.longest_step
        factor = min(1.0, longest / max(math.sqrt(squares), 1e-9))
        self.coordinates = self.coordinates + moves * factor
