"""Terms: bins of one or two columns that correct a number, and sums of residuals in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Place of codes without a bin: negative even after other codes are added.
NOWHERE = -(2**40)


@dataclass(frozen=True)
class Term:
    """Released map from records to bins, by one column or by two.

    Args:
        places: Summands of a bin's index by code, shape (S + 1,) per column; code -1 is last.
        size: The number of bins.
    """

    columns: tuple[int, ...]
    places: tuple[NDArray[np.int64], ...]
    size: int

    def __call__(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the bins of records, shape (n, m) to (n,); -1 for none."""
        pairs = zip(self.columns, self.places, strict=True)
        found = sum(places[codes[:, column]] for column, places in pairs)
        return np.asarray(np.maximum(found, -1))


class Residuals(NamedTuple):
    """Private records: codes, (n, m), and integer residuals of their numbers, (n,)."""

    codes: NDArray[np.integer]
    left: NDArray[np.int64]


def make_terms(
    bins: Sequence[NDArray[np.int64]], groups: Sequence[tuple[int, ...]]
) -> tuple[Term, ...]:
    """Return terms of groups of one or two columns, from the bin of each code, (S,), or -1."""
    sizes = [int(own.max(initial=-1)) + 1 for own in bins]
    terms = []
    for columns in groups:
        steps = [1, *np.cumprod([sizes[at] for at in columns[:0:-1]])][::-1]
        places = [
            np.append(np.where(bins[at] < 0, NOWHERE, step * bins[at]), NOWHERE)
            for at, step in zip(columns, steps, strict=True)
        ]
        terms.append(
            Term(tuple(columns), tuple(places), int(np.prod([sizes[at] for at in columns])))
        )
    return tuple(terms)


def add_terms(
    terms: Sequence[Term], values: Sequence[NDArray[np.int64]], codes: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return the sums of values over terms, (n, m) to (n,); a record in no bin gets zero."""
    found = np.zeros(len(codes), dtype=np.int64)
    for term, own in zip(terms, values, strict=True):
        found += np.append(own, 0)[term(codes)]
    return found


def sum_residuals(
    summed: tuple[Term, ...],
    terms: tuple[Term, ...],
    values: tuple[NDArray[np.int64], ...],
    largest: int,
    chunk: Residuals,
) -> NDArray[np.int64]:
    """Sum residuals, minus the values of ``terms``, in each bin of ``summed``, in whole numbers.

    Formal guarantees:
        * the sums of the chunks of a table add up to the sums of the table, bit for bit
        * a record adds one whole number, its residual cut to ``largest`` either way, to at most one
          sum of each term: a vector of norm at most ``largest sqrt(K)`` for ``K`` terms, which
          depends on its codes and its number alone
    """
    residuals = np.clip(chunk.left - add_terms(terms, values, chunk.codes), -largest, largest)
    # Floats hold these whole numbers exactly; records in no bin are in the first place.
    found = [np.bincount(term(chunk.codes) + 1, residuals, term.size + 1)[1:] for term in summed]
    return np.concatenate(found).astype(np.int64)
