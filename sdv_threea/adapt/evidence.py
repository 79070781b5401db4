"""Weights of evidence of single codes for the classes, from released numbers.

The weight of code ``s`` in column ``j`` for class ``c`` is ``e_cj(s) = log p_j(s | c) / p_j(s)``
(Good 1950). Two classes have ``K = 1`` weight, ``e_j(s) = log p_j(s | 1) / p_j(s | 0)``, and one
log odds: the first class has zero. More classes have ``K = C`` of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.constants import AdaptConstants

Number = TypeVar('Number', np.int64, np.float64)

#: Units per one of evidence and of log odds, which are whole numbers on private rows.
EVIDENCE_UNITS = 2**8

#: Probabilities below this count as zero.
TINY = 1e-12


def weigh_evidence(
    chances: Sequence[NDArray[np.float64]], totals: NDArray[np.float64], constants: AdaptConstants
) -> tuple[NDArray[np.int64], ...]:
    """Return evidence in units of ``1 / EVIDENCE_UNITS``, shape (K, S) per column."""
    shares, largest = totals / totals.sum(), constants.largest_evidence
    tables = []
    for own in chances:
        common = shares @ own
        ratios = np.divide(own, common, out=np.ones_like(own), where=common > TINY)
        logs = np.log(np.maximum(ratios, TINY))
        bounded = np.clip(logs, -largest, largest)
        if len(totals) == 2:
            bounded = np.diff(bounded, axis=0)
        tables.append(np.rint(bounded * EVIDENCE_UNITS).astype(np.int64))
    return tuple(tables)


def all_odds(log_odds: NDArray[Number]) -> NDArray[Number]:
    """Return the log odds of all classes, shape (n, C), given the ``K`` that are not zero."""
    if log_odds.shape[1] > 1:
        return log_odds
    return np.concatenate([np.zeros_like(log_odds), log_odds], axis=1)


def look_up(table: NDArray[Number], column: NDArray[np.integer]) -> NDArray[Number]:
    """Return the entries of a table, (K, S), at the codes of a column: (n, K), zero at code -1."""
    # Code -1 reads the last place.
    padded = np.append(table.T, np.zeros((1, len(table)), table.dtype), axis=0)
    return np.asarray(padded[column], dtype=table.dtype)


def softmax(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities from log odds, shape (n, C)."""
    odds = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def draw_by_chance(chances: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a class from each row of probabilities, (n, C), which need not sum to one."""
    passed = np.cumsum(chances, axis=1)
    places = rng.random((len(chances), 1)) * passed[:, -1:]
    found = (passed <= places).sum(axis=1)
    return np.asarray(np.minimum(found, chances.shape[1] - 1), dtype=np.int64)
