"""The one pass over private rows that labels are fitted by: slopes of the logistic loss, summed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdv_threea.accounting import SQUARED_DISTANCE
from sdv_threea.adapt.evidence import GRID, look_up

#: Units per one of a probability.
UNITS = 2**12

#: Odds of classes that are so many units of ``1 / GRID`` behind the likeliest: whole numbers, from
#: a table, so that no rounding depends on where a record stands.
ODDS = np.rint(2.0**20 * np.exp(-np.arange(16 * GRID + 1) / GRID)).astype(np.int64)


class Labelled(Protocol):
    """Private records as codes of the columns, -1 for none, (n, m), and classes, (n,)."""

    @property
    def codes(self) -> NDArray[np.integer]: ...  # noqa: D102
    @property
    def labels(self) -> NDArray[np.integer]: ...  # noqa: D102


def sum_slopes(
    evidence: tuple[NDArray[np.int64], ...],
    model: Sequence[NDArray[np.int64]],
    radius: int,
    chunk: Labelled,
) -> NDArray[np.int64]:
    """Sum the slopes of the logistic loss over private records, in whole numbers.

    A record's slope is ``(y_c - p_c) (1, e_c)``: how far its class is from what is expected, for
    each class, times the evidence.

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a record adds a vector of whole numbers that depends on its codes and its class alone, bit
          for bit: no float is summed, and odds come from a table
        * the norm of that vector is at most ``radius``, which is checked in whole numbers

    Args:
        evidence: Weights of evidence in units of ``1 / GRID``, by column, each of shape (C, S).
        model: Log odds in the same units: the offsets, (C,), then those of each column, (C, S).
        radius: The norm that slopes are clipped to, in units of ``1 / (GRID * UNITS)``.
        chunk: Private records.

    Returns:
        The sums, of the constant and then of each column, by class, shape (C * (m + 1),).
    """
    offsets, *tables = model
    odds = np.tile(offsets, (len(chunk.codes), 1))
    squares = np.full_like(odds, GRID**2)
    for column, table, own in zip(chunk.codes.T, tables, evidence, strict=True):
        odds += look_up(table, column)
        squares += look_up(own**2, column)
    residuals = _shorten(_residuals(odds, chunk.labels), squares, radius)
    sums = np.empty((len(offsets), len(evidence) + 1), dtype=np.int64)
    sums[:, 0] = GRID * residuals.sum(axis=0)
    for at, (column, own) in enumerate(zip(chunk.codes.T, evidence, strict=True)):
        # Whole numbers that are exact as floats: residuals by code.
        places = column.astype(np.intp) + 1
        by_code = [np.bincount(places, each, own.shape[1] + 1)[1:] for each in residuals.T]
        sums[:, at + 1] = (np.stack(by_code).astype(np.int64) * own).sum(axis=1)
    return sums.ravel()


def slope_sensitivity(radius: float, neighbors: str = 'add_remove') -> float:
    """Bound the L2 distance of the slopes of neighbouring tables, for :func:`sum_slopes`.

    Formal guarantees:
        * a record moves the sums by at most ``radius``; two records may pull opposite ways, so
          replacing one by another moves them by at most ``2 radius``

    Args:
        radius: Bound on the norm of every record's slope.
        neighbors: ``'add_remove'`` or ``'replace_one'``.

    Returns:
        The sensitivity, in units of the radius.
    """
    # One record, or two of them that add up at worst.
    return radius * SQUARED_DISTANCE[neighbors]


def _residuals(odds: NDArray[np.int64], labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """How far each record's class is from what is expected, in units of ``1 / UNITS``, (n, C)."""
    behind = odds.max(axis=1, keepdims=True) - odds
    chances = ODDS[np.minimum(behind, len(ODDS) - 1)]
    total = chances.sum(axis=1, keepdims=True)
    found: NDArray[np.int64] = -((2 * UNITS * chances + total) // (2 * total))
    found[np.arange(len(found)), labels] += UNITS
    return found


def _shorten(
    residuals: NDArray[np.int64], squares: NDArray[np.int64], radius: int
) -> NDArray[np.int64]:
    """Clip slopes, whose evidence has these squared norms by class, (n, C), to the radius."""
    squared = (residuals**2 * squares).sum(axis=1)
    factors = radius * (1 - 2.0**-40) / np.sqrt(np.maximum(squared, 1).astype(np.float64))
    shortened = np.trunc(residuals * factors[:, None]).astype(np.int64)
    # Short enough but for the rounding of floats; the proof leans on no float.
    within = (shortened**2 * squares).sum(axis=1) <= radius**2
    shortened = np.where(within[:, None], shortened, 0)
    return np.where(squared[:, None] <= radius**2, residuals, shortened)
