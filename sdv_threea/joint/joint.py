"""Joint densities, step by step: bins, one release, tables, a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdv_threea.approximate.counts import Counts
from sdv_threea.joint.bins import count_bins
from sdv_threea.joint.chain import Chain, choose_order, fit_chain
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.pairs import Pair, PairCounts
from sdv_threea.joint.tables import estimate_tables, mutual_information, pool_margins


@dataclass(frozen=True)
class Joint:
    """What the bins of all columns say together: publishable.

    The class, if there are several, is one more column, the last.

    Args:
        bins: For each column, the bin of each code, shape (S,).
        margins: Counts of the bins of each column, shape (K,).
        tables: Probabilities of pairs, the most telling first, shape (K_i, K_j).
        chain: A distribution that has these tables, the class first.
        constants: The constants of the room.
    """

    bins: tuple[NDArray[np.int64], ...]
    margins: tuple[NDArray[np.float64], ...]
    tables: dict[Pair, NDArray[np.float64]]
    chain: Chain
    constants: JointConstants
    _chains: dict[tuple[int, ...], Chain] = field(default_factory=dict, compare=False, repr=False)

    @property
    def class_column(self) -> int | None:
        """The place of the class among the columns, if there are several."""
        return len(self.bins) if len(self.margins) > len(self.bins) else None

    def chain_from(self, first: Sequence[int], rng: np.random.Generator) -> Chain:
        """Fit a chain in which these columns come first, after the class."""
        key = tuple(first)
        if key not in self._chains:
            self._chains[key] = _fit(self.margins, self.tables, key, self.constants, rng)
        return self._chains[key]


def fit_joint(
    bins: Sequence[NDArray[np.int64]],
    histograms: Sequence[NDArray[np.float64]],
    counts: Counts,
    pairs: PairCounts,
    constants: JointConstants,
    rng: np.random.Generator,
) -> Joint:
    """Fit a distribution over the bins of all columns.

    Args:
        bins: For each column, the bin of each code, shape (S,).
        histograms: For each column, probabilities of the codes by class, shape (C, S).
        counts: The released counts of codes and classes.
        pairs: The released counts of pairs.
        constants: The constants of the room.
        rng: Source of randomness; it needs no secrecy.
    """
    num_records, sizes = float(counts.totals.sum()), count_bins(bins)
    by_class = [
        counts.totals[:, None] * np.stack([_add_up(row, own, size) for row in table])
        for table, own, size in zip(histograms, bins, sizes, strict=True)
    ]
    known = [
        (table.sum(axis=0), counts.scale**2 * np.bincount(own[own >= 0], minlength=size))
        for table, own, size in zip(by_class, bins, sizes, strict=True)
    ]
    margins = pool_margins(known, pairs, num_records)
    tables = estimate_tables(pairs, margins, constants)
    first = ()
    if len(counts.totals) > 1:
        first = (len(bins),)
        for at, table in enumerate(by_class):
            tables[at, len(bins)] = table.T / table.sum()
        margins = [*margins, counts.totals]
    information = {pair: mutual_information(table) for pair, table in tables.items()}
    kept = sorted(tables, key=lambda pair: -information[pair])
    kept = [pair for pair in kept if information[pair] > constants.least_information]
    tables = {pair: tables[pair] for pair in kept[: constants.most_tables]}
    chain = _fit(margins, tables, first, constants, rng)
    return Joint(tuple(bins), tuple(margins), tables, chain, constants)


def _fit(
    margins: Sequence[NDArray[np.float64]],
    tables: dict[Pair, NDArray[np.float64]],
    first: Sequence[int],
    constants: JointConstants,
    rng: np.random.Generator,
) -> Chain:
    information = np.zeros((len(margins), len(margins)))
    for (i, j), table in tables.items():
        information[i, j] = information[j, i] = mutual_information(table)
    return fit_chain(margins, tables, choose_order(information, first), constants, rng)


def _add_up(values: NDArray[np.float64], bins: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    counted = bins >= 0
    return np.bincount(bins[counted], values[counted], size)
