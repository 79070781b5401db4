"""Weights of evidence: what the code of one column says of the classes.

The weight of evidence of code ``s`` in column ``j`` for class ``c`` is (Good 1950)::

    e_cj(s) = log p_j(s | c) / p_j(s)

Of two classes one weight says all, that of the second against the first::

    e_j(s) = log p_j(s | 1) / p_j(s | 0)

So there are ``K`` weights: one of two classes, and ``C`` of more. Log odds are ``K`` as well: those
of the first of two classes are zero. All of it is made of released numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.constants import AdaptConstants

Number = TypeVar('Number', np.int64, np.float64)

#: Units per one of evidence and of log odds: they are whole numbers where private rows are read.
EVIDENCE_UNITS = 2**8

#: Probabilities below this count as zero.
TINY = 1e-12


def weigh_evidence(
    chances: Sequence[NDArray[np.float64]], totals: NDArray[np.float64], constants: AdaptConstants
) -> tuple[NDArray[np.int64], ...]:
    """Weigh the evidence of the codes of each column.

    Args:
        chances: Released probabilities of the codes by class, each of shape (C, S).
        totals: Number of records of each class, shape (C,).
        constants: How far evidence may go.

    Returns:
        Evidence in units of ``1 / EVIDENCE_UNITS``, each of shape (K, S).
    """
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
    """Look the codes of a column up, shape (n,), in a table of shape (K, S): (n, K).

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
