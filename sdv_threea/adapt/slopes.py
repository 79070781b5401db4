"""Slopes of the loss of a target over private records, in whole numbers.

The slope of a record in the weights of a predictor is its residual times its inputs. Residuals,
``y_c - p_c`` of a class or ``t - g`` of a number, are multiples of ``1 / TARGET_UNITS``, and inputs
are multiples of ``1 / INPUT_UNITS``. Floats only hold whole numbers below ``2**53``, so sums are
exact in any order.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.adapt.design import Codes, Design, Number, add_up
from sdv_threea.arrays import Wholes

#: Targets, their predictions and residuals are whole multiples of one over this.
TARGET_UNITS = 2**12

#: Log odds of a class are whole multiples of one over this.
ODDS_UNITS = 2**8

#: Residuals of numbers are cut to two standard deviations of a number, so that the squared norm of
#: a slope fits into 63 bits.
LARGEST_RESIDUAL = 2 * TARGET_UNITS

#: Weights of features are whole multiples of ``1 / WEIGHT_UNITS``, and bounded.
WEIGHT_UNITS, LARGEST_WEIGHT = 2**12, 2**8

#: Rows per matrix product: few enough for the cache, and for whole numbers below ``2**53`` with
#: features of norm up to ``LARGEST_RADIUS``.
BLOCK_ROWS = 2**11

#: Entry ``k`` is ``2**20`` times the odds of a class whose log odds are ``k / ODDS_UNITS`` below
#: those of the likeliest class. Less likely classes use the last entry.
ODDS = np.rint(2.0**20 * np.exp(-np.arange(16 * ODDS_UNITS + 1) / ODDS_UNITS)).astype(np.int64)


class Seen(NamedTuple):
    """Private records: codes, (n, m), targets (classes or residuals), and features, (n, r)."""

    codes: Codes
    targets: Codes
    features: Codes


class Predictor(NamedTuple):
    """Linear predictors in whole numbers: tables, (K, S) per term, and feature weights, (K, r)."""

    tables: tuple[Wholes, ...]
    weights: Wholes


#: Maps predictions, (n, K), and targets, (n,), to residuals, (n, K), record by record.
Residuals = Callable[[Wholes, Codes], Wholes]


def sum_slopes(
    design: Design, predictor: Predictor, residuals: Residuals, radius: int, chunk: Seen
) -> Wholes:
    """Sum the slopes of the loss over records, (K D,), in whole numbers.

    ``radius`` is in units of ``1 / (INPUT_UNITS * TARGET_UNITS)``.

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a record adds a vector of whole numbers that depends on its codes, its target and its
          features alone, bit for bit: no fraction is summed, and odds come from a table
        * the norm of that vector is at most ``radius``, which is checked in whole numbers
    """
    num = len(predictor.weights)
    pairs = zip(predictor.tables, design.inputs, strict=True)
    both = [np.concatenate([table, own**2]) for table, own in pairs]
    found = add_up(design.terms, both, chunk.codes)
    predicted, squares = found[:, :num], found[:, num:]
    left, weights = np.empty_like(predicted), predictor.weights.T / WEIGHT_UNITS
    of_features = np.zeros(predictor.weights.shape, dtype=np.int64)
    for start in range(0, len(found), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        features = chunk.features[rows].astype(np.float64)
        predicted[rows] += np.rint(features @ weights).astype(np.int64)
        squares[rows] += np.einsum('ij,ij->i', features, features).astype(np.int64)[:, None]
        own = residuals(predicted[rows], np.asarray(chunk.targets[rows]))
        left[rows] = _shorten(own, squares[rows], radius)
        of_features += (left[rows].T.astype(np.float64) @ features).astype(np.int64)
    sums = []
    for term, table in zip(design.terms, design.inputs, strict=True):
        # Residuals are summed by bin first, as floats that are exact whole numbers. Entry zero sums
        # the records in no bin.
        places = term(chunk.codes) + 1
        by_bin = [np.bincount(places, each, term.size + 1)[1:] for each in left.T]
        own = np.stack(by_bin).astype(np.int64) * table
        sums.append(own if design.by_bin else own.sum(axis=1, keepdims=True))
    return np.concatenate([*sums, of_features], axis=1).ravel()


def class_residuals(odds: Wholes, labels: Codes) -> Wholes:
    """Return ``y - p`` of classes, shape (n, K), in whole numbers."""
    num_odds, odds = odds.shape[1], all_odds(odds)
    behind = odds.max(axis=1, keepdims=True) - odds
    chances = ODDS[np.minimum(behind, len(ODDS) - 1)]
    total = chances.sum(axis=1, keepdims=True)
    found: Wholes = -((2 * TARGET_UNITS * chances + total) // (2 * total))
    found[np.arange(len(found)), labels] += TARGET_UNITS
    return found[:, -num_odds:]


def number_residuals(predicted: Wholes, left: Codes) -> Wholes:
    """Return residuals of numbers, shape (n, 1), cut to the largest residual."""
    cut = np.clip(left[:, None] - predicted, -LARGEST_RESIDUAL, LARGEST_RESIDUAL)
    return np.asarray(cut, dtype=np.int64)


def all_odds(log_odds: NDArray[Number]) -> NDArray[Number]:
    """Return the log odds of all classes, shape (n, C), given the ``K`` that are not zero."""
    if log_odds.shape[1] > 1:
        return log_odds
    return np.concatenate([np.zeros_like(log_odds), log_odds], axis=1)


def _shorten(residuals: Wholes, squares: Wholes, radius: int) -> Wholes:
    """Return residuals, (n, K), scaled so that no slope exceeds the radius."""
    squared = (residuals**2 * squares).sum(axis=1)
    factors = radius * (1 - 2.0**-40) / np.sqrt(np.maximum(squared, 1).astype(np.float64))
    shortened = np.trunc(residuals * factors[:, None]).astype(np.int64)
    # Only float rounding can leave a slope too long. The proof relies on no float: such a slope
    # counts as zero.
    within = (shortened**2 * squares).sum(axis=1) <= radius**2
    shortened = np.where(within[:, None], shortened, 0)
    return np.where(squared[:, None] <= radius**2, residuals, shortened)
