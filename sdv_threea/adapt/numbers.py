"""The model of a numerical target: a record's number given its other columns.

A drawn record has a number of normal score ``t``. The density predicts ``f``
(:mod:`~sdv_threea.adapt.trees`); the model predicts ``g``, which adds
:mod:`~sdv_threea.adapt.terms` and kernel features (:mod:`~sdv_threea.adapt.ridge`) to ``f``. The
new score is ``g + kept (t - f) + jitter z``, with a standard normal ``z``; cuts turn it into a code
of released frequency.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.evidence import draw_by_chance
from sdv_threea.adapt.model import Interplay
from sdv_threea.adapt.terms import Term, add_terms
from sdv_threea.adapt.trees import NUMBER_UNITS, UNITS_PER_SCORE, Trees

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
        values: Corrections by the bins of ``terms``, in units of ``1 / NUMBER_UNITS``.
        interplay: Correction by features of other columns, in scores; ``None`` for none.
    """

    target: int
    scores: NDArray[np.int64]
    trees: Trees
    terms: tuple[Term, ...] = ()
    values: tuple[NDArray[np.int64], ...] = ()
    interplay: Interplay | None = None

    def start(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the residuals of the density, ``t - f``, shape (n, m) to (n,).

        Formal guarantees:
            * the result for a record is a whole number that depends on its codes alone
        """
        return np.asarray(self.scores[codes[:, self.target]] * UNITS_PER_SCORE - self.trees(codes))

    def expect(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the prediction ``g`` for records, (n, m) to (n,)."""
        found = self.trees(codes) + add_terms(self.terms, self.values, codes)
        if self.interplay is None:
            return found
        return found + np.rint(NUMBER_UNITS * self.interplay(codes)[:, 0]).astype(np.int64)

    def adjusted(
        self,
        codes: NDArray[np.integer],
        shares: NDArray[np.float64],
        alpha: float,
        constants: AdaptConstants,
        rng: np.random.Generator,
    ) -> NumberModel:
        """Return the model with stretched predictions and these code shares of the target, (S,)."""
        codes = codes[codes[:, self.target] > 0]
        expected, residuals = self.expect(codes), self.start(codes)
        own = self.scores[codes[:, self.target]] * UNITS_PER_SCORE
        whole = max(float(own.var()), 1.0)
        told = min(float(expected.var()) / whole, 1.0)
        factor = alpha + (1 - alpha) * constants.number_stretch
        left = max(1 / factor**2 - told, constants.least_left**2) * whole
        jitter = constants.number_jitter
        kept = math.sqrt(left * (1 - jitter**2) / max(float(residuals.var()), 1.0))
        jitter *= math.sqrt(left) / NUMBER_UNITS
        places = (expected + kept * residuals) / NUMBER_UNITS
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
        cuts: Scores between the codes from 1 on, shape (S - 2,), of shares ``shares``, (S - 1,).
    """

    expectation: Expectation
    kept: float
    jitter: float
    cuts: NDArray[np.float64]
    shares: NDArray[np.float64]

    def draw(
        self,
        codes: NDArray[np.int64],
        classes: NDArray[np.int64],
        wanted: NDArray[np.bool_] | None,
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
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
        self, wanted: NDArray[np.bool_], codes: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
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

    def _places(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return ``g + kept (t - f)`` of records, shape (n,)."""
        expected = self.expectation.expect(codes)
        residuals = self.expectation.start(codes)
        return np.asarray((expected + self.kept * residuals) / NUMBER_UNITS)
