"""The fit of a noisy generalised linear model to the private rows: one for labels and for numbers.

A *link* defines the target of a linear predictor, a *design* its inputs, and a *belief* is the
posterior of its weights::

    L(w)  = - sum_i log p(y_i | x_i w)       the loss: p is a softmax, or normal
    s     = sum_i (y_i - E[y_i]) x_i         its slope over private rows, released with noise
    H     = sum_i Var[y_i] x_i x_i^T         its curvature, from draws of the density

Each step releases a slope and updates the belief. Radii of slopes come from draws, too. Features of
a kernel are the last inputs. Their second moments over private rows are released, and features of
draws are adjusted to them: in some direction private rows may vary forty times as much as draws,
and curvatures from draws would then make steps forty times too long. This is the label solve of
kernel inducing points (Nguyen, Chen, Lee 2020, arXiv 2011.00050), where targets ``Y_S`` of
synthetic records minimise a kernel machine's loss on the private rows: ``K_XS (K_SS + c I)^-1 Y_S =
Phi W``, a ridge regression on features. Here the fitted machine itself predicts the target of all
samples.
"""

import math
from functools import partial

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.accounting.sensitivities import slope_sensitivity
from sdv_threea.adapt.belief import Added, update
from sdv_threea.adapt.design import INPUT_UNITS, Design, Span, Term, indicators, span_of
from sdv_threea.adapt.features import MOST_FEATURED, Interplay, match_moments
from sdv_threea.adapt.link_functions import Classes, Numbers, weigh
from sdv_threea.adapt.slopes import (
    LARGEST_WEIGHT,
    TARGET_UNITS,
    WEIGHT_UNITS,
    Predictor,
    Seen,
    all_odds,
    sum_slopes,
)
from sdv_threea.approximate.moments import ScoreMoments, release_score_moments
from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import COUNT_WEIGHT, SPREADS, AdaptConstants
from sdv_threea.maths.tracking import track
from sdv_threea.privacy.door import release
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Grouped
from sdv_threea.statistics import registry

#: Radii are whole multiples of one over this.
RADII = 16

#: Largest root mean square change of predictions in a step: curvatures hold only near the weights.
LONGEST_STEP = 2.0

#: Floor of squared lengths and of information, which are divisors.
LEAST_VARIANCE = 1e-9

Link = Classes | Numbers


class Fit:
    """A linear predictor, fitted step by step; the next slope sets the prior of ``unopened``."""

    def __init__(
        self, link: Link, design: Design, codes: Wholes, constants: AdaptConstants
    ) -> None:
        self.link, self.design, self._constants = link, design, constants
        self.codes, self.records = codes, link.records
        inputs = design.matrix(codes)
        #: The inputs are what coordinates are multiplied with, by predictor and draw: (K, n, D).
        self._span, self._inputs = (Span(), inputs) if design.by_bin else span_of(inputs)
        self.belief = link.begin(self._inputs, inputs.shape[2])
        self.unopened: Added | None = None
        #: Number of features, and the share of the rows behind the slopes.
        self.num_features, self._share = 0, 1.0

    def add_terms(self, terms: tuple[Term, ...], covariance: Floats) -> None:
        """Add terms with a weight per bin, of zero weight and this prior covariance."""
        more = indicators(terms)
        self.design = self.design + more
        self._inputs = np.concatenate([self._inputs, more.matrix(self.codes)], axis=2)
        self.belief.widen(covariance)

    def count(self, term: Term) -> Floats:
        """Return the curvature of a term's weights: the records of each bin, on the diagonal."""
        return np.diag(np.bincount(term(self.codes) + 1, self.records, term.size + 1)[1:])

    def add_features(self, features: Floats, moments: ScoreMoments, share: float) -> None:
        """Add features of draws, (n, r), of zero weight; later slopes use ``share`` of the rows."""
        self._share, self.records = share, self.records * share
        matched = match_moments(features, self.records, moments)
        num, self.num_features = len(self._inputs), features.shape[1]
        self._inputs = np.concatenate([self._inputs, np.tile(matched, (num, 1, 1))], axis=2)
        self.belief.widen(np.zeros((self.num_features,) * 2))
        self.unopened = Added(slice(-self.num_features, None), np.eye(self.num_features))

    def promise(self, features: Floats, noise: float) -> float:
        """Return the expected information of a slope about feature weights, in nats."""
        squares = np.square(features).sum(axis=1)
        scale = noise * self._longest(self.squares() + squares[:, None])
        variance = self.records.sum() / max(float(self.records @ squares), LEAST_VARIANCE)
        found = 0.0
        for own in self._variances().T:
            roots = features * np.sqrt(own)[:, None]
            values = np.maximum(np.linalg.eigvalsh(roots.T @ roots), LEAST_VARIANCE)
            found += float(np.log1p(variance * values**2 / (values + scale**2)).sum()) / 2
        return found

    def promise_again(self, noise: float) -> float:
        """Return the share of the variance that another slope without features would remove."""
        scale, less = noise * self._longest(self.squares()), 0.0
        for curvature, prior in zip(self._curvatures(), self.belief.covariances, strict=True):
            after = update(curvature, np.zeros(len(prior)), scale, prior)[1]
            less += float(np.vdot(curvature, prior - after))
        return less / float(self.records.sum())

    def radius(self, added: int = 0) -> int:
        """Return the norm to which slopes are clipped: most slopes of each class are shorter.

        Each of the ``added`` terms adds an input of one. The norm is positive, even without slopes.
        """
        longest = self._longest(self.squares() + added) * self.link.unit
        return max(math.ceil(longest * RADII), 1) * (INPUT_UNITS * TARGET_UNITS // RADII)

    def squares(self) -> Floats:
        """Return the squared norms of the inputs, by draw and predictor, shape (n, K)."""
        return np.asarray(np.square(self._inputs).sum(axis=2).T)

    def _longest(self, squares: Floats) -> float:
        """Return a norm that most slopes ``sqrt(sum_c (y_c - p_c)^2 ||x_c||^2)`` do not exceed."""
        left = self.link.miss(self._predict(self.belief.means))
        norms = np.sqrt((np.square(left) * squares).sum(axis=1))
        of_group = [norms[self.link.groups == group] for group in np.unique(self.link.groups)]
        return max(float(np.quantile(own, self._constants.unclipped_slopes)) for own in of_group)

    def step(self, slopes: Floats, scale: float) -> None:
        """Move the weights along released slopes, (K D,), as far as their noise allows.

        The first slope with new weights sets their prior by maximum likelihood. Features that are
        probably useless are dropped, because slopes without them need less noise.
        """
        own = self._span.restrict(slopes.reshape(len(self._inputs), -1)) / self.link.unit
        curvatures, noise = self._curvatures(), scale / self.link.unit
        useless = self.unopened and not self.belief.open(
            curvatures, own, noise, self.unopened, SPREADS, self._constants.doubt
        )
        self._move(self.belief.step(curvatures, own, noise))
        if useless and self.num_features:
            kept = self.belief.means.shape[1] - self.num_features
            self.belief.narrow(kept)
            self._inputs, self.num_features = self._inputs[:, :, :kept], 0
            self.records, useless = self.records / self._share, False
        self.unopened = self.unopened if useless else None

    def predictor(self, added: Design | None = None) -> Predictor:
        """Return the predictor in whole numbers, with weights of zero for terms ``added``."""
        tables, weights = self.parts()
        largest = LARGEST_WEIGHT * WEIGHT_UNITS
        # A feature is in units of 1 / INPUT_UNITS, a prediction in those of the link.
        weights = np.rint(weights * WEIGHT_UNITS * self.link.units / INPUT_UNITS)
        whole = [np.rint(table * self.link.units).astype(np.int64) for table in tables]
        whole += [np.zeros_like(own) for own in (added.inputs if added else ())]
        return Predictor(tuple(whole), np.clip(weights, -largest, largest).astype(np.int64))

    def parts(self) -> tuple[tuple[Floats, ...], Floats]:
        """Return the effects of bins on predictors, (K, S) per term, and the feature weights."""
        weights = self._span.lift(self.belief.means) * self.link.unit
        width = sum(self.design.sizes)
        return self.design.tables(weights[:, :width]), weights[:, width:]

    def _predict(self, means: Floats) -> Floats:
        return weigh(self._inputs, means)

    def _variances(self) -> Floats:
        return self.link.curve(self._predict(self.belief.means), self.records)

    def _curvatures(self) -> list[Floats]:
        # A matrix times its transpose takes half of the time of a general product.
        roots = self._inputs * np.sqrt(self._variances()).T[:, :, None]
        return [root.T @ root for root in roots]

    def _move(self, moves: Floats) -> None:
        change = all_odds(self._predict(moves))
        change -= change.mean(axis=1, keepdims=True)
        squares = self.records @ np.square(change).sum(axis=1) / self.records.sum()
        factor = min(1.0, LONGEST_STEP / max(math.sqrt(squares), 1e-9))
        self.belief.means = self.belief.means + moves * factor


class Looks:
    """Releases of slopes and moments for a fit, each for a share of ``mu^2``, with ``receipts``.

    Formal guarantees:
        * two functions read the rows: :func:`~sdv_threea.adapt.slopes.sum_slopes`, of sensitivity
          :func:`~sdv_threea.accounting.sensitivities.slope_sensitivity`; and once, if there are
          features, :func:`~sdv_threea.approximate.moments.release_score_moments`
        * weights and radius of a look are functions of the releases before it
    """

    def __init__(self, fit: Fit, *, mu: float, neighbors: str, noise: Noise) -> None:
        self._fit, self._mu = fit, mu
        self._neighbors, self._noise = neighbors, noise
        self.receipts: list[Receipt] = []

    def noise_per_norm(self, share: float) -> float:
        """Return the noise of slopes of norm one for a share of the price."""
        return slope_sensitivity(radius=1.0, neighbors=self._neighbors) / self._price(share)

    def slopes(
        self, rows: Rows[Seen], share: float, added: Design | None = None
    ) -> tuple[Floats, float]:
        """Release slopes, (K D,), also of terms ``added``; return them and their noise scale."""
        fit, design = self._fit, self._fit.design + added if added else self._fit.design
        predictor, radius = fit.predictor(added), fit.radius(len(added.terms) if added else 0)
        weights = len(predictor.weights) * sum(design.sizes) + predictor.weights.size
        statistic = registry.SLOPES.state(
            partial(sum_slopes, design, predictor, fit.link.residuals, radius),
            neighbors=self._neighbors,
            resolution=1 / (INPUT_UNITS * TARGET_UNITS),
            weights=weights,
            radius=radius,
        )
        slopes, receipt = release(rows, statistic, mu=self._price(share), noise=self._noise)
        self.receipts.append(receipt)
        return slopes, receipt.noise_scale

    def step(self, rows: Rows[Seen], share: float, times: int = 1) -> None:
        """Release slopes and move the weights, ``times`` times, for a share of the price."""
        for _ in track(range(times), 'slope'):
            self._fit.step(*self.slopes(rows, share / times))

    def step_with(
        self, interplay: Interplay, rows: Rows[Seen], moments: float, share: float, times: int
    ) -> None:
        """Release moments of features, and take steps with features while they are useful."""
        some = self._add_features(rows, interplay, moments)
        for _ in range(times):
            self.step(some if self._fit.num_features else rows, share / times)

    def _add_features(self, rows: Rows[Seen], interplay: Interplay, share: float) -> Rows[Seen]:
        # More rows would only take time.
        part = min(1.0, MOST_FEATURED / float(self._fit.records.sum()))
        some = rows.thin(part).map(partial(see_features, interplay)).keep()
        moments, receipt = release_score_moments(
            some.map(_group),
            1,
            interplay.features.radius,
            COUNT_WEIGHT,
            kind=registry.FEATURES,
            mu=self._price(share),
            neighbors=self._neighbors,
            noise=self._noise,
        )
        self.receipts.append(receipt)
        self._fit.add_features(interplay.of_draws(self._fit.codes), moments, part)
        return some

    def _price(self, share: float) -> float:
        return self._mu * math.sqrt(share)


def see_features(interplay: Interplay, chunk: Seen) -> Seen:
    """Return records with their features, computed row by row."""
    return chunk._replace(features=interplay.see(chunk.codes))


def _group(chunk: Seen) -> Grouped:
    return Grouped(chunk.features, np.zeros(len(chunk.features), dtype=np.int64))
