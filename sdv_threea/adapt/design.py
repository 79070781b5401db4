"""Designs: the inputs of a linear predictor, by the codes of a record.

A *term* puts records into bins: by one column, by two, or all records into one. For labels, the
*input* of a bin is its weight of evidence, and a term has one weight. For numbers, the input of a
bin is one, and each bin has a weight. The weight of evidence of code ``s`` in column ``j`` for
class ``c`` is ``e_cj(s) = log p_j(s | c) / p_j(s)`` (Good 1950). With ``C > 2`` classes there are
``K = C`` weights of evidence and predictors. Two classes have ``K = 1`` predictor, with
``e_j(s) = log p_j(s | 1) / p_j(s | 0)``: the first class has log odds of zero. A numerical target
has ``K = 1``, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.arrays import Floats, Wholes

#: An array of whole numbers of any width.
Codes = NDArray[np.integer]

Number = TypeVar('Number', np.int64, np.float64)

#: Inputs are whole multiples of one over this on private rows.
INPUT_UNITS = SCORE_UNITS

#: Probabilities below this count as zero.
TINY = 1e-12

#: Place of codes without a bin: negative even after other codes are added.
NOWHERE = -(2**40)


@dataclass(frozen=True)
class Term:
    """Released map from records to bins, by no column, by one or by two.

    Args:
        places: Summands of a bin's index by code, shape (S + 1,) per column; code -1 is last.
        size: The number of bins.
    """

    columns: tuple[int, ...]
    places: tuple[Wholes, ...]
    size: int

    def __call__(self, codes: Codes) -> Wholes:
        """Return the bins of records, shape (n, m) to (n,); -1 for none."""
        found = np.zeros(len(codes), dtype=np.int64)
        for column, places in zip(self.columns, self.places, strict=True):
            found += places[codes[:, column]]
        return np.maximum(found, -1, out=found)


def make_terms(bins: Sequence[Wholes], groups: Sequence[tuple[int, ...]]) -> tuple[Term, ...]:
    """Return terms of groups of columns, from the bin of each code, (S,) per column, or -1."""
    sizes = [int(own.max(initial=-1)) + 1 for own in bins]
    terms = []
    for columns in groups:
        size, places = 1, list[Wholes]()
        for at in reversed(columns):
            places.append(np.append(np.where(bins[at] < 0, NOWHERE, size * bins[at]), NOWHERE))
            size *= sizes[at]
        terms.append(Term(tuple(columns), tuple(reversed(places)), size))
    return tuple(terms)


@dataclass(frozen=True)
class Design:
    """Terms, and the inputs of their bins, (K, S), in units of ``1 / INPUT_UNITS``.

    With ``by_bin`` each bin has a weight, otherwise each term.
    """

    terms: tuple[Term, ...]
    inputs: tuple[Wholes, ...]
    by_bin: bool

    @property
    def sizes(self) -> list[int]:
        """The number of weights of each term."""
        return [term.size if self.by_bin else 1 for term in self.terms]

    def __add__(self, other: Design) -> Design:
        return Design((*self.terms, *other.terms), (*self.inputs, *other.inputs), self.by_bin)

    def matrix(self, codes: Codes) -> Floats:
        """Return the inputs of records by weight, shape (n, m) to (K, n, D)."""
        if not self.by_bin:
            pairs = zip(self.terms, self.inputs, strict=True)
            found = [look_up(table, term(codes)) for term, table in pairs]
            return np.stack(found, axis=-1).swapaxes(0, 1) / INPUT_UNITS
        blocks = [np.eye(term.size + 1)[term(codes), :-1] for term in self.terms]
        return np.concatenate(blocks, axis=1)[None]

    def tables(self, weights: Floats) -> tuple[Floats, ...]:
        """Return the effects of bins on the predictors, (K, S) per term, from weights, (K, D)."""
        own = np.split(weights, np.cumsum(self.sizes)[:-1], axis=1)
        pairs = zip(own, self.inputs, strict=True)
        return tuple(each * (table / INPUT_UNITS) for each, table in pairs)


def scorecard(evidence: Sequence[Wholes]) -> Design:
    """Return the design of labels: a constant, and the evidence of each column, (K, S)."""
    groups = [(), *((at,) for at in range(len(evidence)))]
    terms = make_terms([np.arange(table.shape[1]) for table in evidence], groups)
    one = np.full((len(evidence[0]) if evidence else 0, 1), INPUT_UNITS)
    return Design(terms, (one, *evidence), by_bin=False)


def indicators(terms: tuple[Term, ...]) -> Design:
    """Return the design of a numerical target: one in the bin of the record, zero elsewhere."""
    ones = (np.full((1, term.size), INPUT_UNITS) for term in terms)
    return Design(terms, tuple(ones), by_bin=True)


def weigh_evidence(chances: Sequence[Floats], totals: Floats, largest: float) -> tuple[Wholes, ...]:
    """Return evidence up to ``largest`` in units of ``1 / INPUT_UNITS``, (K, S) per column."""
    shares, tables = totals / totals.sum(), []
    for own in chances:
        common = shares @ own
        ratios = np.divide(own, common, out=np.ones_like(own), where=common > TINY)
        bounded = np.clip(np.log(np.maximum(ratios, TINY)), -largest, largest)
        if len(totals) == 2:
            bounded = np.diff(bounded, axis=0)
        tables.append(np.rint(bounded * INPUT_UNITS).astype(np.int64))
    return tuple(tables)


def look_up(table: NDArray[Number], places: Codes) -> NDArray[Number]:
    """Return the entries of a table, (K, S), at places, (n,): shape (n, K), zero at -1."""
    # Place -1 reads the last row.
    padded = np.append(table.T, np.zeros((1, len(table)), table.dtype), axis=0)
    return np.asarray(padded[places], dtype=table.dtype)


def add_up(
    terms: Sequence[Term], tables: Sequence[NDArray[Number]], codes: Codes
) -> NDArray[Number]:
    """Return the sums over terms of what their bins add, (K, S) each: (n, m) to (n, K)."""
    found = np.zeros((len(codes), len(tables[0])), tables[0].dtype)
    for term, table in zip(terms, tables, strict=True):
        found += look_up(table, term(codes))
    return found


@dataclass(frozen=True)
class Span:
    """Bases ``Q`` of weights of evidence, (m, k) per class, if columns outnumber draws.

    The evidence of ``n`` draws spans ``n`` of ``m`` dimensions, which contain all steps of a fit.
    With an orthonormal basis the fit of ``Q^T w`` equals that of ``w``, because the prior is
    isotropic, and takes seconds instead of minutes at 5,000 columns. Without bases, coordinates are
    the weights.
    """

    bases: tuple[Floats, ...] = ()

    def restrict(self, slopes: Floats) -> Floats:
        """Return slopes in the weights, shape (K, D), as slopes in the coordinates."""
        return self._turn(slopes, [basis.T for basis in self.bases])

    def lift(self, coordinates: Floats) -> Floats:
        """Return the weights, shape (K, D), that have the coordinates."""
        return self._turn(coordinates, self.bases)

    def _turn(self, values: Floats, turns: Sequence[Floats]) -> Floats:
        if not turns:
            return values
        # The constant comes first, and features come last.
        end = turns[0].shape[1] + 1
        moved = [turn @ own[1:end] for turn, own in zip(turns, values, strict=True)]
        return np.concatenate([values[:, :1], np.stack(moved), values[:, end:]], axis=1)


def span_of(inputs: Floats) -> tuple[Span, Floats]:
    """Return the span of inputs, (K, n, 1 + m), and inputs in it, (K, n, 1 + min(n, m))."""
    if inputs.shape[1] >= inputs.shape[2] - 1:
        return Span(), inputs
    bases, triangles = zip(*(np.linalg.qr(own[:, 1:].T) for own in inputs), strict=True)
    turned = np.stack([triangle.T for triangle in triangles])
    return Span(bases), np.concatenate([inputs[:, :, :1], turned], axis=2)
