"""Weights of evidence, and the scorecard that adds them up: what codes say of the classes.

The weight of evidence of code ``s`` in column ``j`` for class ``c`` is (Good 1950)::

    e_cj(s) = log p_j(s | c) / p_j(s)

and the chances of the classes of a record with the codes ``s_1 ... s_m`` are ::

    softmax_c(b_c + sum_j w_cj e_cj(s_j))

With all weights ``w`` one that is naive Bayes: columns are independent in each class. Weights below
one make up for what columns say twice. All of it is made of released numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.constants import AdaptConstants

Number = TypeVar('Number', np.int64, np.float64)

#: Units per one of evidence and of log odds: they are whole numbers where private rows are read.
EVIDENCE_UNITS = 2**8

#: Probabilities below this count as zero.
TINY = 1e-12

#: Each step of a calibration leaves a fraction of the error of the one before.
CALIBRATION_STEPS = 50


@dataclass(frozen=True)
class LabelModel:
    """A scorecard, which gives the chances of the classes of a record from its codes: publishable.

    Args:
        offsets: Log odds ``b`` of the classes before any evidence, shape (C,).
        evidence: What each code adds to them, ``w e``, by column, each of shape (C, S).
    """

    offsets: NDArray[np.float64]
    evidence: tuple[NDArray[np.float64], ...]

    def log_odds(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Add up the evidence of codes, shape (n, m) to (n, C); the code -1 is no evidence."""
        found = np.tile(self.offsets, (len(codes), 1))
        for column, table in zip(codes.T, self.evidence, strict=True):
            found += look_up(table, column)
        return found

    def chances(self, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """The chances of the classes, shape (n, C)."""
        return softmax(self.log_odds(codes))

    def draw(self, codes: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the class of each record, shape (n,)."""
        return draw_by_chance(self.chances(codes), rng)

    def surer(
        self,
        codes: NDArray[np.integer],
        weights: NDArray[np.float64],
        *,
        spread: float,
        most_stretch: float,
    ) -> LabelModel:
        """Stretch the log odds until those of the given records spread far enough.

        Classes that follow from the codes but loosely drown in chance, and a classifier needs many
        records to learn them. Surer classes keep their order, and are learnt from few records.

        Args:
            codes: Codes of records that stand for all, shape (n, m).
            weights: How many records each of them stands for, shape (n,).
            spread: The standard deviation that the log odds shall have, in the root mean square
                over classes; of two classes, half of that of the log odds between them.
            most_stretch: The largest factor. The smallest is one.

        Returns:
            The surer model.
        """
        odds = self.log_odds(codes) - self.offsets
        odds -= odds.mean(axis=1, keepdims=True)
        centred = odds - np.average(odds, axis=0, weights=weights)
        squares = np.average(np.square(centred), axis=0, weights=weights)
        factor = spread / max(float(np.sqrt(squares.mean())), TINY)
        factor = min(max(factor, 1.0), most_stretch)
        return LabelModel(self.offsets, tuple(factor * table for table in self.evidence))

    def calibrated(
        self, codes: NDArray[np.integer], weights: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> LabelModel:
        """Move the offsets until the classes of the given records have the given shares.

        Args:
            codes: Codes of records that stand for all, shape (n, m).
            weights: How many records each of them stands for, shape (n,).
            shares: The shares of the classes, shape (C,), which sum to one.

        Returns:
            The calibrated model.
        """
        odds = self.log_odds(codes) - self.offsets
        goal, offsets = np.log(np.maximum(shares, TINY)), self.offsets
        weights = weights / weights.sum()
        for _ in range(CALIBRATION_STEPS):
            offsets = offsets + goal - np.log(np.maximum(weights @ softmax(odds + offsets), TINY))
        return LabelModel(offsets - offsets.mean(), self.evidence)


def weigh_evidence(
    chances: Sequence[NDArray[np.float64]], totals: NDArray[np.float64], constants: AdaptConstants
) -> tuple[NDArray[np.int64], ...]:
    """Weigh the evidence of the codes of each column.

    Args:
        chances: Released probabilities of the codes by class, each of shape (C, S).
        totals: Number of records of each class, shape (C,).
        constants: How soon evidence is believed, and how far.

    Returns:
        Evidence in units of ``1 / EVIDENCE_UNITS``, each of shape (C, S).
    """
    records, shares = totals[:, None], totals / totals.sum()
    prior, largest = constants.prior_records, constants.largest_evidence
    tables = []
    for own in chances:
        common = shares @ own
        smoothed = (own * records + common * prior) / (records + prior)
        ratios = np.divide(smoothed, common, out=np.ones_like(own), where=common > TINY)
        logs = np.log(np.maximum(ratios, TINY))
        bounded = np.clip(logs, -largest, largest)
        tables.append(np.rint(bounded * EVIDENCE_UNITS).astype(np.int64))
    return tuple(tables)


def look_up(table: NDArray[Number], column: NDArray[np.integer]) -> NDArray[Number]:
    """Look the codes of a column up, shape (n,), in a table of shape (C, S): (n, C).

    A code of -1 finds zeros.
    """
    # The last place is that of code -1.
    padded = np.append(table.T, np.zeros((1, len(table)), table.dtype), axis=0)
    return np.asarray(padded[column], dtype=table.dtype)


def softmax(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn log odds into chances, shape (n, C)."""
    odds = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def draw_by_chance(chances: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a class for each row of chances, shape (n, C), that need not sum to one."""
    passed = np.cumsum(chances, axis=1)
    places = rng.random((len(chances), 1)) * passed[:, -1:]
    found = (passed <= places).sum(axis=1)
    return np.asarray(np.minimum(found, chances.shape[1] - 1), dtype=np.int64)
