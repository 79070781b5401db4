"""Labels: class probabilities of a record given its codes, fitted to the logistic loss.

Codes ``s_1 ... s_m`` have the probabilities
``softmax_c(b_c + sum_j w_cj e_cj(s_j) + sum_k v_ck phi_k)``. The first sum is a scorecard of
weights of evidence (naive Bayes if all ``w`` are one; smaller ``w`` correct for redundant columns).
The second sum is the joint effect of columns, in kernel features. The fit
(:mod:`~sdv_threea.adapt.fit`) takes steps with evidence alone, then with features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.design import TINY, Codes, look_up, scorecard
from sdv_threea.adapt.features import Interplay, plan_interplay
from sdv_threea.adapt.fit import Fit, Looks
from sdv_threea.adapt.link_functions import Classes, Draws, draw_by_chance, softmax
from sdv_threea.adapt.slopes import Seen, all_odds
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import AdaptConstants
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded

#: Largest number of entries of the features of all rows, unless ``mu n`` is large.
FEATURE_ENTRIES = 2**22

#: The most calibration steps: each removes a large part of the error.
CALIBRATION_STEPS = 50

#: Calibration stops at this relative error of the class shares.
CLOSE = 1e-9


@dataclass(frozen=True)
class LabelModel:
    """Released model of the class probabilities of a record given its codes.

    ``offsets`` are the prior log odds ``b``, (C,); ``evidence`` are the log odds ``w e`` that codes
    add, (C, S).
    """

    offsets: Floats
    evidence: tuple[Floats, ...]
    interplay: Interplay | None = None

    of_classes: ClassVar[bool] = True

    def log_odds(self, codes: Codes) -> Floats:
        """Return the log odds of records, (n, m) to (n, C); code -1 adds nothing."""
        found = np.tile(self.offsets, (len(codes), 1))
        for column, table in zip(codes.T, self.evidence, strict=True):
            found += look_up(table, column)
        return found if self.interplay is None else found + self.interplay(codes)

    def chances(self, codes: Codes) -> Floats:
        """Return the class probabilities of records, shape (n, C)."""
        return softmax(self.log_odds(codes))

    def draw(
        self, codes: Wholes, classes: Wholes, wanted: Bools | None, rng: np.random.Generator
    ) -> tuple[Wholes, Wholes, Floats]:
        """Draw the class of records among the ``wanted`` ones, shape (C,) or (n, C).

        Returns:
            Codes, shape (n, m), classes, shape (n,), and the chance of a wanted class, shape (n,).
        """
        chances = self.chances(codes)
        if wanted is not None:
            chances *= wanted
        return codes, draw_by_chance(chances, rng), chances.sum(axis=1)

    def adjusted(
        self, draws: Draws, shares: Floats, alpha: float, constants: AdaptConstants
    ) -> LabelModel:
        """Return the model with stretched log odds and with these class ``shares``, shape (C,).

        Models need many records to learn uncertain labels. Stretched log odds make labels more
        certain and keep their order (:mod:`~sdv_threea.adapt`). Offsets then restore the shares
        over the draws.
        """
        odds, weights = self.log_odds(draws.codes) - self.offsets, draws.weights
        wanted = constants.sure_odds / _root_mean_square(odds, weights)
        factor = alpha + (1 - alpha) * min(max(wanted, 1.0), constants.most_stretch)
        offsets = _calibrate(factor * odds, self.offsets, weights / weights.sum(), shares)
        evidence = tuple(factor * table for table in self.evidence)
        if self.interplay is None:
            return LabelModel(offsets, evidence)
        interplay = replace(self.interplay, weights=factor * self.interplay.weights)
        return LabelModel(offsets, evidence, interplay)


def adapt_labels(  # noqa: PLR0913 (the private rows, the start, the constants and the price)
    rows: Rows[Encoded],
    evidence: tuple[Wholes, ...],
    draws: Draws,
    pooled: NormalScores,
    kernel: Callable[..., Any] | None,
    constants: AdaptConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[LabelModel, tuple[Receipt, ...]]:
    """Fit the label model to the loss over the private rows; return it and all receipts.

    Formal guarantees:
        * the rows are read by :class:`~sdv_threea.adapt.fit.Looks` alone; before that each of them
          is mapped by itself, to its codes and its class
        * the prices of the looks are the roots of parts of ``mu^2`` that add up to it, so they
          compose to ``mu``; whether a look has features follows from the releases before it
    """
    num_odds = len(evidence[0]) if evidence else 0
    link = Classes(draws, num_odds, constants)
    fit = Fit(link, scorecard(evidence), draws.codes, constants)
    looks = Looks(fit, mu=mu, neighbors=neighbors, noise=noise)
    early = constants.early_share
    left = 1.0 - 2 * early
    known = mu * float(draws.weights.sum()) / len(link.shares)
    interplay = plan_interplay(
        draws,
        pooled,
        kernel,
        fit.squares(),
        known,
        constants.label_features,
        FEATURE_ENTRIES,
        constants,
    )
    if interplay is not None:
        unit = looks.noise_per_norm(left / constants.steps)
        if fit.promise(interplay.of_draws(draws.codes), unit) < constants.doubt:
            interplay = None
    alone = rows.map(_see)
    looks.step(alone, 1.0 if interplay is None else early, constants.steps)
    if interplay is not None:
        looks.step_with(interplay, alone, early, left, constants.steps)
    return _make_model(fit, interplay), tuple(looks.receipts)


def _see(chunk: Encoded) -> Seen:
    return Seen(*chunk, np.empty((len(chunk.codes), 0), dtype=np.int16))


def _make_model(fit: Fit, interplay: Interplay | None) -> LabelModel:
    tables, weights = fit.parts()
    constant, *evidence = (all_odds(table.T).T for table in tables)
    if interplay is None or not fit.num_features:
        return LabelModel(constant[:, 0], tuple(evidence))
    weighed = replace(interplay, weights=all_odds(weights.T).T)
    return LabelModel(constant[:, 0], tuple(evidence), weighed)


def _root_mean_square(odds: Floats, weights: Floats) -> float:
    odds = odds - odds.mean(axis=1, keepdims=True)
    centred = odds - np.average(odds, axis=0, weights=weights)
    squares = np.average(np.square(centred), axis=0, weights=weights)
    return max(float(np.sqrt(squares.mean())), TINY)


def _calibrate(odds: Floats, offsets: Floats, weights: Floats, shares: Floats) -> Floats:
    goal = np.log(np.maximum(shares, TINY))
    for _ in range(CALIBRATION_STEPS):
        missing = goal - np.log(np.maximum(weights @ softmax(odds + offsets), TINY))
        offsets = offsets + missing
        if np.abs(missing).max() < CLOSE:
            break
    return np.asarray(offsets - offsets.mean())
