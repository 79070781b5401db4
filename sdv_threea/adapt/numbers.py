"""The model of a numerical target: how its number follows from the other columns.

A record of the released density has a number of its own, whose normal score is ``t``. Of that, the
density expects ``f`` of the other columns (:mod:`~sdv_threea.adapt.trees`), and the model fitted to
private rows expects ``g``: ``f``, and what is added by the :mod:`~sdv_threea.adapt.terms` of single
columns and of pairs, and by features of a kernel (:mod:`~sdv_threea.adapt.ridge`). The record gets
the number at ::

    g + kept (t - f) + jitter z         z a standard normal

So its residual is that of the density, made as small or large as what the model leaves open. Cuts
between codes turn it into a number, such that all numbers are as frequent as released.
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
from sdv_threea.adapt.trade import stretch
from sdv_threea.adapt.trees import NUMBER_UNITS, UNITS_PER_SCORE, Trees

#: The chance with which a number is any of the released ones: none is impossible.
LEAST_CHANCE = 1e-9

#: Rows whose chances of all numbers are in memory at once.
BLOCK_ROWS = 2**12


@dataclass(frozen=True)
class Expectation:
    """What is expected of the number of a record, by its other codes: publishable.

    Args:
        target: The column of the number.
        scores: The scores of its codes, in score units, shape (S,); code 0 is the missing value.
        trees: What the density expects.
        terms: What the model expects beside it, by the bins of columns.
        values: What their bins add, in units of ``1 / NUMBER_UNITS``.
        interplay: What features of other columns add beside it, in scores; ``None`` for nothing.
    """

    target: int
    scores: NDArray[np.int64]
    trees: Trees
    terms: tuple[Term, ...] = ()
    values: tuple[NDArray[np.int64], ...] = ()
    interplay: Interplay | None = None

    def start(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how far numbers are from what the density expects, (n, m) to (n,): ``t - f``.

        Formal guarantees:
            * what is returned of a record is a whole number that depends on its codes alone
        """
        return np.asarray(self.scores[codes[:, self.target]] * UNITS_PER_SCORE - self.trees(codes))

    def expect(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return what the model expects of records, (n, m) to (n,): ``g``."""
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
        """Leave as much open as wanted, and make numbers as frequent as they are known to be.

        What is expected varies less than numbers do. With less left open, the difference is made up
        for by stretching expectations, and what follows from the columns is learned from fewer
        records.

        Args:
            codes: Codes of drawn records, shape (n, m).
            shares: The shares of the target's codes, shape (S,).
            alpha: The weight of the density against the loss, in [0, 1].
            constants: How far expectations may be stretched.
            rng: Source of randomness.

        Returns:
            The model.
        """
        codes = codes[codes[:, self.target] > 0]
        expected, residuals = self.expect(codes), self.start(codes)
        own = self.scores[codes[:, self.target]] * UNITS_PER_SCORE
        whole = max(float(own.var()), 1.0)
        told = min(float(expected.var()) / whole, 1.0)
        factor = stretch(alpha, constants.number_stretch)
        left = max(1 / factor**2 - told, constants.least_left**2) * whole
        jitter = constants.number_jitter
        kept = math.sqrt(left * (1 - jitter**2) / max(float(residuals.var()), 1.0))
        jitter *= math.sqrt(left) / NUMBER_UNITS
        places = (expected + kept * residuals) / NUMBER_UNITS
        places += jitter * rng.standard_normal(len(codes))
        shares = shares[1:] / shares[1:].sum()
        passed = np.cumsum(shares)
        cuts = np.quantile(places, np.minimum(passed[:-1] / passed[-1], 1.0))
        # Codes at the ends that nobody has get no interval.
        cuts[passed[:-1] <= 0], cuts[passed[:-1] >= passed[-1]] = -np.inf, np.inf
        return NumberModel(self, kept, jitter, cuts, shares)


@dataclass(frozen=True)
class NumberModel:
    """Gives the number of a record from its codes: publishable.

    Args:
        expectation: What is expected of it.
        kept: What is kept of a record's own residual.
        jitter: Standard deviation of a normal beside it.
        cuts: Between the intervals of the codes from 1 on, shape (S - 2,).
        shares: Shares of these codes, shape (S - 1,).
    """

    expectation: Expectation
    kept: float
    jitter: float
    cuts: NDArray[np.float64]
    shares: NDArray[np.float64]

    def draw(self, codes: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the codes of the number, (n, m) to (n,); those that are missing stay so."""
        places = self._places(codes) + self.jitter * rng.standard_normal(len(codes))
        found = np.searchsorted(self.cuts, places, side='right') + 1
        return np.where(self._is_missing(codes), 0, found)

    def draw_among(
        self, wanted: NDArray[np.bool_], codes: NDArray[np.integer], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw the codes of the number among some.

        Args:
            wanted: Which codes may occur, shape (S,), or of each record, shape (n, S).
            codes: Codes of records, shape (n, m).
            rng: Source of randomness.

        Returns:
            The codes of the number, shape (n,), and the chances that they are wanted ones, (n,).
        """
        found, masses = np.zeros(len(codes), dtype=np.int64), np.empty(len(codes))
        wanted = np.broadcast_to(wanted, (len(codes), wanted.shape[-1]))
        for start in range(0, len(codes), BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            places = self._places(codes[rows])[:, None]
            below = ndtr((self.cuts - places) / self.jitter)
            chances = np.diff(below, axis=1, prepend=0.0, append=1.0)
            chances = (chances + LEAST_CHANCE * self.shares) * wanted[rows, 1:]
            found[rows] = draw_by_chance(chances, rng) + 1
            masses[rows] = np.minimum(chances.sum(axis=1), 1.0)
        missing = self._is_missing(codes)
        return np.where(missing, 0, found), np.where(missing, wanted[:, 0], masses)

    def _is_missing(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        return np.asarray(codes[:, self.expectation.target] == 0)

    def _places(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return ``g + kept (t - f)`` of records, shape (n,)."""
        expected = self.expectation.expect(codes)
        residuals = self.expectation.start(codes)
        return np.asarray((expected + self.kept * residuals) / NUMBER_UNITS)
