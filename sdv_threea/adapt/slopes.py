"""The sum over private rows that fits the labels: slopes of the logistic loss, in whole numbers.

The slope of a record in the weights of class ``c`` is ``(y_c - p_c) (e_c, phi)``, with a residual
``y_c - p_c`` in multiples of ``1 / CHANCE_UNITS`` and inputs in multiples of
``1 / EVIDENCE_UNITS``. Floats only hold whole numbers below ``2**53``, so sums are exact in any
order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.evidence import EVIDENCE_UNITS, all_odds, look_up

#: Units per one of a probability.
CHANCE_UNITS = 2**12

#: Weights of features are whole multiples of ``1 / WEIGHT_UNITS``, and bounded.
WEIGHT_UNITS, LARGEST_WEIGHT = 2**12, 2**8

#: Rows per matrix product: few enough for the cache, and for whole numbers below ``2**53`` with
#: features of norm up to ``LARGEST_RADIUS``.
BLOCK_ROWS = 2**11

#: Entry ``k``: odds relative to the likeliest class at log odds ``-k / EVIDENCE_UNITS``, times
#: ``2**20``. Less likely classes use the last entry.
ODDS = np.rint(2.0**20 * np.exp(-np.arange(16 * EVIDENCE_UNITS + 1) / EVIDENCE_UNITS)).astype(
    np.int64
)


class Featured(NamedTuple):
    """Private records: codes, (n, m), -1 for none, classes, (n,), and features, (n, r)."""

    codes: NDArray[np.integer]
    labels: NDArray[np.integer]
    features: NDArray[np.integer]


class WholeModel(NamedTuple):
    """A label model in whole numbers, with log odds in units of ``1 / EVIDENCE_UNITS``.

    Shapes: offsets (K,); tables (K, S) per column; feature weights (K, r), in ``1 / WEIGHT_UNITS``.
    """

    offsets: NDArray[np.int64]
    tables: tuple[NDArray[np.int64], ...]
    weights: NDArray[np.int64]


def sum_slopes(
    evidence: tuple[NDArray[np.int64], ...], model: WholeModel, radius: int, chunk: Featured
) -> NDArray[np.int64]:
    """Sum the slopes of the logistic loss over records, (K (m + 1 + r),), in whole numbers.

    ``radius`` is in units of ``1 / (EVIDENCE_UNITS * CHANCE_UNITS)``.

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a record adds a vector of whole numbers that depends on its codes, its class and its
          features alone, bit for bit: no fraction is summed, and odds come from a table
        * the norm of that vector is at most ``radius``, which is checked in whole numbers
    """
    num_odds, num_columns = len(model.offsets), len(evidence)
    num_rows, num_features = chunk.features.shape
    odds = np.tile(model.offsets, (num_rows, 1))
    squares = np.full_like(odds, EVIDENCE_UNITS**2)
    for column, table, own in zip(chunk.codes.T, model.tables, evidence, strict=True):
        found = look_up(np.concatenate([table, own**2]), column)
        odds += found[:, :num_odds]
        squares += found[:, num_odds:]
    residuals, weights = np.empty_like(odds), model.weights.T / WEIGHT_UNITS
    sums = np.zeros((num_odds, 1 + num_columns + num_features), dtype=np.int64)
    for start in range(0, num_rows, BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        features = chunk.features[rows].astype(np.float64)
        odds[rows] += np.rint(features @ weights).astype(np.int64)
        squares[rows] += np.einsum('ij,ij->i', features, features).astype(np.int64)[:, None]
        own = _shorten(_residuals(odds[rows], chunk.labels[rows]), squares[rows], radius)
        residuals[rows] = own
        sums[:, 1 + num_columns :] += (own.T.astype(np.float64) @ features).astype(np.int64)
    sums[:, 0] = EVIDENCE_UNITS * residuals.sum(axis=0)
    for at, (column, own) in enumerate(zip(chunk.codes.T, evidence, strict=True)):
        # Residuals are summed by code first, as floats that are exact whole numbers. Place zero is
        # code -1, without evidence.
        places = column.astype(np.intp) + 1
        by_code = [np.bincount(places, each, own.shape[1] + 1)[1:] for each in residuals.T]
        sums[:, at + 1] = (np.stack(by_code).astype(np.int64) * own).sum(axis=1)
    return sums.ravel()


def _residuals(odds: NDArray[np.int64], labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return ``y - p`` in units of ``1 / CHANCE_UNITS``, shape (n, K), in whole numbers."""
    num_odds, odds = odds.shape[1], all_odds(odds)
    behind = odds.max(axis=1, keepdims=True) - odds
    chances = ODDS[np.minimum(behind, len(ODDS) - 1)]
    total = chances.sum(axis=1, keepdims=True)
    found: NDArray[np.int64] = -((2 * CHANCE_UNITS * chances + total) // (2 * total))
    found[np.arange(len(found)), labels] += CHANCE_UNITS
    return found[:, -num_odds:]


def _shorten(
    residuals: NDArray[np.int64], squares: NDArray[np.int64], radius: int
) -> NDArray[np.int64]:
    """Return residuals, (n, K), scaled so that no slope exceeds the radius."""
    squared = (residuals**2 * squares).sum(axis=1)
    factors = radius * (1 - 2.0**-40) / np.sqrt(np.maximum(squared, 1).astype(np.float64))
    shortened = np.trunc(residuals * factors[:, None]).astype(np.int64)
    # Only float rounding can leave a slope too long. The proof relies on no float: such a slope
    # counts as zero.
    within = (shortened**2 * squares).sum(axis=1) <= radius**2
    shortened = np.where(within[:, None], shortened, 0)
    return np.where(squared[:, None] <= radius**2, residuals, shortened)
