"""Numbers: the model of a numerical target given a record's other columns, and its private fit.

The number of a drawn record has the normal score ``t``. The density predicts ``f``
(:mod:`~sdv_threea.adapt.trees`). The model predicts ``g``: ``f`` plus effects of bins of columns
and of pairs, and of kernel features. The new score is ``g + kept (t - f) + jitter z``, with a
standard normal ``z``; cuts turn it into a code of released frequency.

The fit (:mod:`~sdv_threea.adapt.fit`) releases slopes for columns first, then also for pairs, if
the budget allows; likely pairs stay. The last release has all terms again, and kernel features
unless terms alone promise a larger gain. The prior of weights correlates neighbouring bins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import block_diag
from scipy.special import ndtr

from sdv_threea.accounting import Receipt
from sdv_threea.adapt.belief import Added, choose_spread, gain
from sdv_threea.adapt.design import Codes, Term, add_up, indicators, make_terms
from sdv_threea.adapt.features import Interplay, plan_interplay
from sdv_threea.adapt.fit import Fit, Looks
from sdv_threea.adapt.link_functions import Draws, Numbers, draw_by_chance
from sdv_threea.adapt.slopes import TARGET_UNITS, Seen
from sdv_threea.adapt.trees import UNITS_PER_SCORE, Trees
from sdv_threea.approximate.scores import NormalScores
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import RECORDS_PER_NOISE, SPREADS, AdaptConstants
from sdv_threea.privacy.mechanism import Noise
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded

#: Largest number of entries of the features of all rows, unless ``mu n`` is large.
FEATURE_ENTRIES = 2**24

#: Most weights of bins, and most draws and inputs of draws for curvatures: bounds of time and
#: memory.
MOST_WEIGHTS, MOST_DRAWS, MOST_INPUTS = 900, 10_000, 2**25

#: Standard deviation of the normal part of residuals, relative to that of residuals. The normal
#: part gives conditions on the target a smooth likelihood.
JITTER = 0.5

#: Smallest relative probability of a released number.
LEAST_CHANCE = 1e-9

#: Rows per block of probabilities in memory.
BLOCK_ROWS = 2**12


@dataclass(frozen=True)
class Expectation:
    """Released prediction of a record's number from its other codes.

    Args:
        scores: The scores of the target's codes, in score units, (S,); code 0 is the missing value.
        trees: The prediction ``f`` of the density.
        values: Corrections by the bins of ``terms``, in units of ``1 / TARGET_UNITS``.
        interplay: Correction by features of other columns, in scores, if any.
    """

    target: int
    scores: Wholes
    trees: Trees
    terms: tuple[Term, ...] = ()
    values: tuple[Wholes, ...] = ()
    interplay: Interplay | None = None

    def start(self, codes: Codes) -> Wholes:
        """Return the residuals of the density, ``t - f``, shape (n, m) to (n,).

        Formal guarantees: the result for a record is a whole number that depends on its codes
        alone.
        """
        return np.asarray(self.scores[codes[:, self.target]] * UNITS_PER_SCORE - self.trees(codes))

    def expect(self, codes: Codes) -> Wholes:
        """Return the prediction ``g`` for records, (n, m) to (n,)."""
        found = self.trees(codes)
        if self.terms:
            found = found + add_up(self.terms, [own[None] for own in self.values], codes)[:, 0]
        if self.interplay is None:
            return found
        return found + np.rint(TARGET_UNITS * self.interplay(codes)[:, 0]).astype(np.int64)

    def adjusted(
        self,
        draws: Draws,
        shares: Floats,
        alpha: float,
        constants: AdaptConstants,
        rng: np.random.Generator,
    ) -> NumberModel:
        """Return the model with stretched predictions and these code shares of the target, (S,)."""
        codes = draws.codes[draws.codes[:, self.target] > 0]
        expected, residuals = self.expect(codes), self.start(codes)
        own = self.scores[codes[:, self.target]] * UNITS_PER_SCORE
        whole = max(float(own.var()), 1.0)
        told = min(float(expected.var()) / whole, 1.0)
        factor = alpha + (1 - alpha) * constants.number_stretch
        left = max(1 / factor**2 - told, constants.least_left**2) * whole
        kept = math.sqrt(left * (1 - JITTER**2) / max(float(residuals.var()), 1.0))
        jitter = JITTER * math.sqrt(left) / TARGET_UNITS
        places = (expected + kept * residuals) / TARGET_UNITS
        places += jitter * rng.standard_normal(len(codes))
        shares = shares[1:] / shares[1:].sum()
        passed = np.cumsum(shares)
        cuts = np.quantile(places, np.minimum(passed[:-1] / passed[-1], 1.0))
        # Codes without records at either end get no interval.
        cuts[passed[:-1] <= 0], cuts[passed[:-1] >= passed[-1]] = -np.inf, np.inf
        return NumberModel(self, kept, jitter, cuts, shares)


@dataclass(frozen=True)
class NumberModel:
    """Released model that draws the number of a record from its codes.

    Args:
        kept: Factor on a record's own residual.
        jitter: Standard deviation of the added normal, in scores.
        cuts: Scores that separate the codes from 1 on, (S - 2,), which have ``shares``, (S - 1,).
    """

    expectation: Expectation
    kept: float
    jitter: float
    cuts: Floats
    shares: Floats

    of_classes: ClassVar[bool] = False

    def draw(
        self, codes: Wholes, classes: Wholes, wanted: Bools | None, rng: np.random.Generator
    ) -> tuple[Wholes, Wholes, Floats]:
        """Draw the number of records among the ``wanted`` codes, (n, S); missing ones stay missing.

        Returns:
            Codes, shape (n, m), classes, shape (n,), and the chance of a wanted number, shape (n,).
        """
        chances, own = np.ones(len(codes)), codes[:, self.expectation.target]
        if wanted is None:
            places = self._places(codes) + self.jitter * rng.standard_normal(len(codes))
            found = np.searchsorted(self.cuts, places, side='right') + 1
        else:
            found, chances = self._draw_among(wanted, codes, rng)
            chances = np.where(own == 0, wanted[:, 0], chances)
        codes[:, self.expectation.target] = np.where(own == 0, 0, found)
        return codes, classes, chances

    def _draw_among(
        self, wanted: Bools, codes: Wholes, rng: np.random.Generator
    ) -> tuple[Wholes, Floats]:
        found, masses = np.zeros(len(codes), dtype=np.int64), np.empty(len(codes))
        for start in range(0, len(codes), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            own = wanted[rows, 1:]
            some = np.flatnonzero(own.any(axis=0))
            # Compute chances of the wanted codes only: they are few if all rows have the same
            # condition.
            ends = np.concatenate([[-np.inf], self.cuts, [np.inf]])[np.stack([some, some + 1])]
            places = self._places(codes[rows])[:, None]
            low, high = (ndtr((each - places) / self.jitter) for each in ends)
            chances = (high - low + LEAST_CHANCE * self.shares[some]) * own[:, some]
            found[rows] = some[draw_by_chance(chances, rng)] + 1 if len(some) else 0
            masses[rows] = np.minimum(chances.sum(axis=1), 1.0)
        return found, masses

    def _places(self, codes: Codes) -> Floats:
        expected = self.expectation.expect(codes)
        residuals = self.expectation.start(codes)
        return np.asarray((expected + self.kept * residuals) / TARGET_UNITS)


def count_for_noise(num_records: float, num_terms: int, mu: float) -> float:
    """Return the records per noise scale in sums of residuals that are cut to one."""
    return num_records * mu / math.sqrt(max(num_terms, 1))


def carries_number(num_records: float, num_columns: int, mu: float) -> bool:
    """Return whether counts exceed the noise enough to fit terms of single columns."""
    return count_for_noise(num_records, num_columns - 1, mu) >= RECORDS_PER_NOISE


def adapt_number(  # noqa: PLR0913 (the private rows, the start, the constants and the price)
    rows: Rows[Encoded],
    start: Expectation,
    draws: Draws,
    single: Sequence[Wholes],
    coarse: Sequence[Wholes],
    ordered: Sequence[bool],
    pooled: NormalScores,
    kernel: Callable[..., Any] | None,
    constants: AdaptConstants,
    *,
    mu: float,
    neighbors: str,
    noise: Noise,
) -> tuple[Expectation | None, tuple[Receipt, ...]]:
    """Fit the prediction of the target to the private rows; return it and all receipts.

    The prediction is ``None`` if no term is likely. ``single`` and ``coarse`` are the bin of each
    code, (S,), per column, for terms of columns and of pairs; -1 for none.

    Formal guarantees:
        * the rows are read by :class:`~sdv_threea.adapt.fit.Looks` alone; before that each of them
          is mapped by itself, to its codes and its residual
        * the prices of the looks are the roots of parts of ``mu^2`` that add up to it, so they
          compose to ``mu``; terms, features and values of a look are functions of the releases
          before it
    """
    columns = [at for at in range(len(single)) if at != start.target]
    fit, draws = _begin(start, draws, make_terms(single, [(at,) for at in columns]), constants)
    roots = [_root(single[at], ordered[at], constants.reach) for at in columns]
    fit.unopened = Added(slice(0, sum(map(len, roots))), block_diag(*roots))
    looks = Looks(fit, mu=mu, neighbors=neighbors, noise=noise)
    left = rows.map(partial(_see, start)).keep()
    pairs = make_terms(coarse, list(combinations(columns, 2)))
    known, num_terms = float(draws.weights.sum()), len(columns) + len(pairs)
    if count_for_noise(known, num_terms, mu / math.sqrt(3)) < RECORDS_PER_NOISE:
        pairs = ()
    share = 1 / 3 if pairs else 1 / 2
    looks.step(left, share)
    if pairs:
        roots = [_root(*each, constants.reach) for each in zip(coarse, ordered, strict=True)]
        _add_pairs(fit, pairs, roots, *looks.slopes(left, share, indicators(pairs)), constants)
    blind = tuple(own * (at != start.target) for at, own in enumerate(pooled.scores))
    interplay = plan_interplay(
        draws,
        replace(pooled, scores=blind),
        kernel,
        fit.squares(),
        mu * known,
        constants.number_features,
        FEATURE_ENTRIES,
        constants,
    )
    if interplay is not None:
        again = fit.promise_again(looks.noise_per_norm(share))
        interplay = interplay if again < constants.features_worth else None
    if interplay is None:
        looks.step(left, share)
    else:
        early = constants.early_share * share
        looks.step_with(interplay, left, early, share - early, constants.steps)
    return _expect(start, fit, interplay) if fit.belief.covariances.any() else None, tuple(
        looks.receipts
    )


def _begin(
    start: Expectation, draws: Draws, terms: tuple[Term, ...], constants: AdaptConstants
) -> tuple[Fit, Draws]:
    """Return the fit with zero weights, and the draws with a number that it uses."""
    design = indicators(terms)
    most = MOST_INPUTS // (sum(design.sizes) + MOST_WEIGHTS + constants.most_features)
    draws = draws.among(draws.codes[:, start.target] > 0).first(min(MOST_DRAWS, most))
    link = Numbers(draws.weights, start.start(draws.codes))
    return Fit(link, design, draws.codes, constants), draws


def _see(start: Expectation, chunk: Encoded) -> Seen:
    """Return the residuals of private records that have a number."""
    codes = chunk.codes[chunk.codes[:, start.target] > 0]
    return Seen(codes, start.start(codes), np.empty((len(codes), 0), dtype=np.int16))


def _add_pairs(
    fit: Fit,
    pairs: tuple[Term, ...],
    roots: Sequence[Floats],
    slopes: Floats,
    scale: float,
    constants: AdaptConstants,
) -> None:
    """Add the pairs that are likely, each by itself, given slopes of all terms; take a step."""
    own, *parts = np.split(
        slopes, np.cumsum([fit.belief.means.size, *(term.size for term in pairs[:-1])])
    )
    likely = []
    for term, part in zip(pairs, parts, strict=True):
        one, other = term.columns
        root = np.asarray(np.kron(roots[one], roots[other]), dtype=np.float64)
        slope, noise = part / fit.link.unit, scale / fit.link.unit
        flat = np.zeros(root.shape)
        gains = gain(fit.count(term), slope, noise, flat, root, SPREADS)
        spread, best = choose_spread(gains, SPREADS)
        if best > constants.doubt + math.log(len(pairs)):
            likely.append((best, term, part, spread**2 * root @ root.T))
    likely.sort(key=lambda each: -each[0])
    widths = fit.belief.means.size + np.cumsum([len(part) for _, _, part, _ in likely])
    kept = likely[: int((widths <= MOST_WEIGHTS).sum())]
    if kept:
        fit.add_terms(tuple(each[1] for each in kept), block_diag(*(each[3] for each in kept)))
    fit.step(np.concatenate([own, *(each[2] for each in kept)]), scale)


def _expect(start: Expectation, fit: Fit, interplay: Interplay | None) -> Expectation:
    values = tuple(table[0] for table in fit.predictor().tables)
    kept = interplay and fit.num_features and replace(interplay, weights=fit.parts()[1])
    return replace(start, terms=fit.design.terms, values=values, interplay=kept or None)


def _root(bins: Wholes, is_ordered: bool, reach: float) -> Floats:
    """Return the root of the prior covariance of the weights of a column's bins, (G, G)."""
    size = int(bins.max(initial=-1)) + 1
    if not is_ordered:
        return np.eye(size)
    places = np.arange(size)
    alike = np.exp(-np.abs(places[:, None] - places) / (reach * size))
    return np.asarray(np.linalg.cholesky(alike))
