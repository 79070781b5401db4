"""Estimate distributions of columns and pairs from released counts: the input of the chain.

The whole module is post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.joint.chain import Column
from sdv_threea.joint.code_tables import CodeCounts, estimate_codes
from sdv_threea.joint.column_order import choose_order, list_neighbours
from sdv_threea.joint.determined_values import (
    ValueCounts,
    estimate_values,
    find_single,
    keep_one_code,
)
from sdv_threea.joint.inside import add_up
from sdv_threea.joint.interactions import Interactions
from sdv_threea.joint.joint_constants import SLACK, JointConstants
from sdv_threea.joint.missing_together import bind_missing
from sdv_threea.joint.pair_bins import Pair, count_bins
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import (
    LEAST_LEFT,
    complete,
    estimate_tables,
    inform,
    is_settled,
    pool_margins,
    rake,
)


@dataclass(frozen=True)
class Singles:
    """Released facts of single columns: publishable.

    Args:
        bins: For each column, the bin of each code, shape (S,); -1 for codes that do not occur.
        histograms: For each column, probabilities of the codes by class, shape (C, S).
        ordered: For each column, whether the order of its codes means something.
        totals: Number of records of each class, shape (C,).
        scale: Noise scale of a count of a code.
        edges: For each column, the borders of its codes, without the missing value, shape (S,);
            ``None`` for columns other than numbers. By default no column is numerical.
        unlisted: For each column, the code of all unlisted values, -1 for none.
        given: Codes of the first columns in drawn records, shape (P, q), if these columns are known
            in every sample; otherwise ``None``.
    """

    bins: tuple[Wholes, ...]
    histograms: tuple[Floats, ...]
    ordered: tuple[bool, ...]
    totals: Floats
    scale: float
    edges: tuple[Floats | None, ...] = ()
    unlisted: tuple[int, ...] = ()
    given: Wholes | None = None

    @property
    def num_given(self) -> int:
        """Number of given columns."""
        return 0 if self.given is None else self.given.shape[1]

    @property
    def num_records(self) -> float:
        """Number of records."""
        return float(self.totals.sum())

    @property
    def columns(self) -> list[Floats]:
        """Probabilities of the codes of each column, of all classes together, shape (S,)."""
        return [self.totals @ table / self.totals.sum() for table in self.histograms]

    @property
    def codes(self) -> tuple[Wholes, ...]:
        """For each column, a bin for each code that occurs, shape (S,); -1 for the others."""
        return tuple(np.where(own >= 0, np.arange(len(own)), -1) for own in self.bins)

    @property
    def missing(self) -> list[int]:
        """The bin of each column that has the missing value alone, -1 for none."""
        return [int(own[0]) if np.count_nonzero(own == own[0]) == 1 else -1 for own in self.bins]

    @property
    def by_class(self) -> list[Floats]:
        """Counts of the bins of each column by class, shape (C, G)."""
        each = zip(self.histograms, self.bins, count_bins(self.bins), strict=True)
        return [add_up(self.totals[:, None] * table, own, size) for table, own, size in each]

    def leave_listed(self, at: int, table: Floats) -> Floats:
        """Return a table, shape (S, ...), with zeros for the unlisted values of column ``at``."""
        code = self.unlisted[at] if self.unlisted else -1
        return np.where((np.arange(len(table)) == code)[:, None], 0.0, table) if code > 0 else table

    def margins(self, interactions: Interactions) -> list[Floats]:
        """Return counts of the bins of each column, shape (G,), from all its releases."""
        counts = [table.sum(axis=0) for table in self.by_class]
        # Histograms are smoothed, so the error of a count below the noise is at most the count.
        variances = [
            np.minimum(self.scale**2 * np.bincount(own[own >= 0], minlength=len(count)), count**2)
            for count, own in zip(counts, self.bins, strict=True)
        ]
        known = list(zip(counts, variances, strict=True))
        return pool_margins(known, interactions, self.num_records)

    def limit(self, at: int, occurs: Bools, margin: Floats) -> tuple[Singles, Floats]:
        """Return the facts without impossible codes of a column, and its new bin counts, (G,)."""
        whole, bins = self.histograms[at], self.bins[at]
        shares = np.where(occurs, whole, 0.0)
        sums = shares.sum(axis=1, keepdims=True)
        tables = list(self.histograms)
        tables[at] = np.where(sums > 0, shares / np.maximum(sums, 1e-300), whole)
        before, after = (add_up(each, bins, len(margin)).sum(axis=0) for each in (whole, shares))
        left = margin * np.divide(after, before, out=np.zeros_like(after), where=before > 0)
        if not left.sum() > 0:
            return self, margin
        return replace(self, histograms=tuple(tables)), left * margin.sum() / left.sum()


@dataclass(frozen=True)
class Estimates:
    """Estimates of columns and pairs: publishable.

    If there are several classes, the class is one more column, the last.

    Args:
        tables: Probabilities of pairs, shape (G_i, G_j).
        functions: Probabilities of pairs that are known code by code, shape (S_i, S_j): a forest.
        numbers: The place of a category's number in the interval of its code, by pair of category
            and number, shape (S,); NaN for categories that determine no number.
        ordered: As in :class:`Singles`, like ``edges`` and ``given``.
    """

    columns: tuple[Column, ...]
    tables: dict[Pair, Floats]
    functions: dict[Pair, Floats]
    numbers: dict[Pair, Floats]
    ordered: tuple[bool, ...]
    edges: tuple[Floats | None, ...]
    given: Wholes | None = None

    @property
    def first(self) -> tuple[int, ...]:
        """The columns that come first in a chain: given ones, then the class, if any."""
        num_given = 0 if self.given is None else self.given.shape[1]
        return (*range(num_given), *range(len(self.ordered), len(self.columns)))

    @cached_property
    def information(self) -> Floats:
        """Mutual information of all pairs of columns, in nats, shape (m, m)."""
        return inform(len(self.columns), self.tables)

    def list_settled(self, constants: JointConstants) -> list[int]:
        """Return the columns that depend on a single column before them, and on no other."""
        neighbours = list_neighbours(self.functions)
        order = choose_order(self.information, self.first, neighbours)
        settled = []
        for (i, j), table in self.functions.items():
            if order.index(i) > order.index(j):
                i, j, table = j, i, table.T
            settled += [j] if is_settled(table, SLACK) else []
        return settled


def estimate(
    singles: Singles,
    interactions: Interactions,
    functions: PairCounts,
    expected: Mapping[Pair, Floats],
    constants: JointConstants,
    values: ValueCounts | None = None,
) -> Estimates:
    """Estimate the distributions of columns and pairs.

    ``functions`` are the counts, code by code, of functional pairs, which form a forest.
    ``expected`` are pair counts that follow from other releases. ``values`` are the released digits
    of numbers that categories determine.
    """
    num_records, num_classes = singles.num_records, len(singles.totals)
    margins = singles.margins(interactions)
    pairs = complete(interactions, margins, num_records)
    tables = estimate_tables(pairs, margins, expected, singles.ordered, constants)
    tables = bind_missing(tables, pairs, margins, singles.missing, singles.scale)
    found = estimate_functions(singles, functions, tables)
    numbers: dict[Pair, Floats] = {}
    if values is not None:
        numbers, alone = _settle_values(values, found, singles)
        for at, occurs in alone.items():
            singles, margins[at] = singles.limit(at, occurs, margins[at])
    shares = singles.columns
    found = {(i, j): _fill_gaps(own, shares[i], shares[j]) for (i, j), own in found.items()}
    for pair, table in found.items():
        tables[pair] = _add_up_table(table, *(singles.bins[at] for at in pair))
    key = len(margins) if num_classes > 1 else None
    columns = [_make_column(singles, at, margin, key) for at, margin in enumerate(margins)]
    if key is not None:
        classes = singles.totals / num_records
        columns.append(Column(np.arange(num_classes), classes[None], classes))
        for at, table in enumerate(singles.by_class):
            tables[at, key] = table.T / table.sum()
    return Estimates(
        tuple(columns), tables, found, numbers, singles.ordered, singles.edges, singles.given
    )


def estimate_functions(
    singles: Singles, functions: PairCounts, tables: Mapping[Pair, Floats]
) -> dict[Pair, Floats]:
    """Return probabilities of functional pairs with records, code by code, shape (S_i, S_j)."""
    found = {}
    for pair, counts in functions.tables.items():
        known = CodeCounts(counts, functions.scales[pair], singles.scale)
        table = _estimate_function(known, singles, pair, singles.num_records * tables[pair])
        if table.any():  # without noise, a pair may have no records
            found[pair] = table / table.sum()
    return found


def _make_column(singles: Singles, at: int, margin: Floats, key: int | None) -> Column:
    of_code, table, by_class = singles.bins[at], singles.histograms[at], singles.by_class[at]
    raked = rake(np.maximum(by_class, LEAST_LEFT), singles.totals, margin)
    inside = _share_inside(table, of_code, by_class.shape[1])
    shares = np.where(of_code >= 0, raked[:, of_code] * inside, 0.0)
    return Column(of_code, shares / shares.sum(axis=1, keepdims=True), margin / margin.sum(), key)


def _share_inside(weights: Floats, of_code: Wholes, size: int) -> Floats:
    """Divide weights of codes, shape (R, S), by those of their bins; evenly in empty bins."""
    sums, even = add_up(weights, of_code, size)[:, of_code], np.ones((1, len(of_code)))
    counts = add_up(even, of_code, size)[:, of_code]
    return np.asarray(np.where(sums > 0, weights / np.maximum(sums, 1e-300), even / counts))


def _settle_values(
    counts: ValueCounts, functions: dict[Pair, Floats], singles: Singles
) -> tuple[dict[Pair, Floats], dict[int, Bools]]:
    """Return the numbers that categories determine, and the codes that these numbers can have."""
    occur: dict[int, Bools] = {}
    by_category = {
        (i, j): functions[i, j] if (i, j) in functions else functions[j, i].T
        for i, j in counts.digits
        if (i, j) in functions or (j, i) in functions
    }
    known = {pair: own for pair, own in counts.digits.items() if pair in by_category}
    counts = replace(counts, digits=known)
    listed = {pair: singles.leave_listed(pair[0], own) for pair, own in by_category.items()}
    values = estimate_values(counts, listed, singles.num_records)
    for i, j in find_single(counts, listed, singles.num_records):
        settled = keep_one_code(by_category[i, j], ~np.isnan(values[i, j]))
        if (i, j) in functions:
            functions[i, j] = settled
        else:
            functions[j, i] = settled.T
        occur[j] = np.asarray(settled.any(axis=0))
    return values, occur


def _estimate_function(known: CodeCounts, singles: Singles, pair: Pair, coarse: Floats) -> Floats:
    bins = [singles.bins[at] for at in pair]
    inside = [
        _share_inside(singles.columns[at][None], own, size)[0] * (own >= 0)
        for at, own, size in zip(pair, bins, coarse.shape, strict=True)
    ]
    expected = coarse[bins[0]][:, bins[1]] * inside[0][:, None] * inside[1]
    in_order = singles.ordered[pair[0]], singles.ordered[pair[1]]
    unlisted = (
        (singles.unlisted[pair[0]], singles.unlisted[pair[1]]) if singles.unlisted else (-1, -1)
    )
    return estimate_codes(known, expected, in_order, unlisted)


def _fill_gaps(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """Make codes without records in a table independent, as frequent as in their column."""
    lone = (table.sum(axis=1) <= 0)[:, None], table.sum(axis=0) <= 0
    filled = np.where(lone[0] | lone[1], np.outer(rows, columns), table)
    return np.asarray(filled / filled.sum())


def _add_up_table(table: Floats, rows: Wholes, columns: Wholes) -> Floats:
    sizes = count_bins([rows, columns])
    return add_up(add_up(table, columns, sizes[1]).T, rows, sizes[0]).T
