"""References to rows of other units: private, one of each unit."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.units.membership import (
    LEFT_OUT,
    NOBODY,
    bound_rows,
    find_previous,
    shuffle_ranks,
)

#: Codes of values at both ends of references: of the rows, shape (n,), and of the parent's, (P,).
Codes = tuple[NDArray[np.int64], NDArray[np.int64]]


def number_values(ours: pd.Series, theirs: pd.Series) -> Codes:
    """Return the same code for the same value in two columns; -1 for a missing value."""
    both = [each.astype(object).to_numpy() for each in (ours, theirs)]
    codes, _ = pd.factorize(np.concatenate(both))
    first, second = np.split(codes.astype(np.int64), [len(ours)])
    return first, second


class Referred(NamedTuple):
    """Rows of a parent that rows of other units refer to: private.

    Args:
        references: The number of references to each row, shape (P,).
        compared: How many of them are compared with the row, shape (P,).
        alike: How many of these have the same value at both ends, shape (P, r).
    """

    references: NDArray[np.int64]
    compared: NDArray[np.int64]
    alike: NDArray[np.int64]


class Repeated(NamedTuple):
    """Whether two rows of one owner refer to the same row of another unit, shape (Q,): private."""

    same: NDArray[np.bool_]


def compare_ends(
    ours: pd.Series, theirs: pd.Series, referred: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether each row has the value of the row that it refers to, shape (n,)."""
    codes, other = number_values(ours, theirs)
    led = np.append(other, -1)[np.maximum(referred, NOBODY)]
    return np.asarray((codes >= 0) & (codes == led))


def find_away(
    units: NDArray[np.int64], theirs: NDArray[np.int64], referred: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return true for rows that refer to a row of another unit, even a removed one; shape (n,)."""
    led = np.append(theirs, LEFT_OUT)[np.maximum(referred, NOBODY)]
    return np.asarray((referred != NOBODY) & (led != units))


def read_references(
    units: NDArray[np.int64],
    theirs: NDArray[np.int64],
    referred: NDArray[np.int64],
    alike: NDArray[np.bool_],
    bound: int | None,
    rng: np.random.Generator,
) -> Referred:
    """Count the references to rows of other units, ``bound`` of each unit at most.

    ``units`` and ``theirs`` are the units of the child and of the parent, ``referred`` the row of
    the parent, and ``alike`` true where both ends have the same value, shape (n, r).

    The rows of a unit are chosen without looking at their references.

    Formal guarantees:
        * an added unit has at most ``bound`` references, here one. The new reference raises the
          count of one row of the parent by one, and may replace another reference to that row in
          the comparison
        * the unit's own row of the parent adds one number, and the comparisons with that row
        * together numbers move by at most ``sqrt(5)``, and comparisons by at most two each; by one
          each if the unit has only one of both effects
    """
    away = find_away(units, theirs, referred)
    here = bound_rows(np.where(away, units, LEFT_OUT), bound, rng) & (referred >= 0)
    here[here] = bound_rows(theirs, bound, rng)[referred[here]]
    rows, size = referred[here], len(theirs)
    first = bound_rows(rows, bound, rng)
    same = [np.bincount(rows[first], each[here][first], size) for each in alike.T]
    compared = np.bincount(rows[first], minlength=size)
    counted = [
        np.bincount(rows, minlength=size),
        compared,
        np.array(same).reshape(alike.shape[1], size).T,
    ]
    seen = counted[0] > 0
    return Referred(*(each[seen].astype(np.int64) for each in counted))


def read_repeats(
    owners: NDArray[np.int64],
    units: NDArray[np.int64],
    referred: NDArray[np.int64],
    bound: int | None,
    rng: np.random.Generator,
) -> Repeated:
    """Compare the references of two rows of one owner, ``bound`` pairs of each unit at most.

    ``owners`` is -1 for rows that refer to no row of another unit.

    Formal guarantees:
        * a pair depends only on the keys of two rows of one unit, even if no row has these keys
    """
    previous = find_previous(owners, shuffle_ranks(owners, rng))
    kept = bound_rows(np.where(previous >= 0, units, LEFT_OUT), bound, rng)
    return Repeated(np.asarray(referred[kept] == referred[previous[kept]]))


def count_references(first: NDArray[np.int64], chunk: Referred) -> NDArray[np.int64]:
    """Count rows by their number of references, then all comparisons, then equal values by column.

    ``first`` is the smallest number of references in each bin of numbers (a *magnitude*).
    """
    magnitudes = np.searchsorted(first, chunk.references, side='right') - 1
    numbers = np.bincount(magnitudes, minlength=len(first))
    return np.concatenate([numbers, [chunk.compared.sum()], chunk.alike.sum(axis=0)])


def count_repeats(chunk: Repeated) -> NDArray[np.int64]:
    """Count the pairs, and those that refer to the same row."""
    return np.array([len(chunk.same), chunk.same.sum()], dtype=np.int64)
