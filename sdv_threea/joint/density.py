"""A joint density: bins from a chain, and codes inside the bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdv_threea.joint.bins import Pair, count_bins
from sdv_threea.joint.chain import Chain, choose_order, fit_chain
from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.tables import estimate_tables, mutual_information, pool_margins


@dataclass(frozen=True)
class Joint:
    """What all columns say together: publishable.

    The class, if there are several, is one more column of the chain, the last.

    Args:
        bins: For each column, the bin of each code, shape (S,); -1 for codes that do not occur.
        histograms: For each column, probabilities of the codes by class, shape (C, S).
        margins: Counts of the bins of each column, shape (G,).
        tables: Probabilities of pairs, the most telling first, shape (G_i, G_j).
        chain: A distribution over the bins that has these tables, the class first.
        constants: The constants of the room.
    """

    bins: tuple[NDArray[np.int64], ...]
    histograms: tuple[NDArray[np.float64], ...]
    margins: tuple[NDArray[np.float64], ...]
    tables: dict[Pair, NDArray[np.float64]]
    chain: Chain
    constants: JointConstants
    _chains: dict[tuple[int, ...], Chain] = field(default_factory=dict, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the chains out that were fitted for samples: they are fitted again."""
        return {**self.__dict__, '_chains': {}}

    @property
    def class_column(self) -> int | None:
        """The place of the class among the columns, if there are several."""
        return len(self.bins) if len(self.margins) > len(self.bins) else None

    def chain_from(self, first: Sequence[int]) -> Chain:
        """Return a chain in which these columns come first, after the class.

        It is the same each time, so that samples do not depend on what was sampled before.
        """
        lead = () if self.class_column is None else (self.class_column,)
        key = (*lead, *first)
        if key not in self._chains:
            rng = np.random.default_rng(key)
            self._chains[key] = _fit(self.margins, self.tables, key, self.constants, rng)
        return self._chains[key]


def fit_joint(  # noqa: PLR0913 (all that is known)
    bins: Sequence[NDArray[np.int64]],
    histograms: Sequence[NDArray[np.float64]],
    totals: NDArray[np.float64],
    scale: float,
    pairs: PairCounts,
    expected: Mapping[Pair, NDArray[np.float64]],
    constants: JointConstants,
    rng: np.random.Generator,
) -> Joint:
    """Fit a distribution over all columns.

    Args:
        bins: For each column, the bin of each code, shape (S,).
        histograms: For each column, probabilities of the codes by class, shape (C, S).
        totals: Number of records of each class, shape (C,).
        scale: Standard deviation of the noise of a count of a code.
        pairs: The released counts of pairs.
        expected: Counts of pairs as far as they are known from elsewhere.
        constants: The constants of the room.
        rng: Source of randomness; it needs no secrecy.
    """
    sizes = count_bins(bins)
    by_class = [
        totals[:, None] * np.stack([_add_up(row, own, size) for row in table])
        for table, own, size in zip(histograms, bins, sizes, strict=True)
    ]
    counts = [table.sum(axis=0) for table in by_class]
    # Histograms are smoothed, so a count is off by no more than itself where noise would drown it.
    variances = [
        np.minimum(scale**2 * _add_up(np.ones(len(own)), own, size), np.square(count))
        for count, own, size in zip(counts, bins, sizes, strict=True)
    ]
    known = list(zip(counts, variances, strict=True))
    margins = pool_margins(known, pairs, float(totals.sum()))
    tables = estimate_tables(pairs, margins, expected, constants)
    first: tuple[int, ...] = ()
    if len(totals) > 1:
        first = (len(bins),)
        margins = [*margins, totals]
        for at, table in enumerate(by_class):
            tables[at, len(bins)] = table.T / table.sum()
    information = {pair: mutual_information(table) for pair, table in tables.items()}
    telling = [pair for pair in tables if information[pair] > constants.least_information]
    telling.sort(key=lambda pair: -information[pair])
    tables = {pair: tables[pair] for pair in keep_strongest(telling, constants.most_partners)}
    chain = _fit(margins, tables, first, constants, rng)
    return Joint(tuple(bins), tuple(histograms), tuple(margins), tables, chain, constants)


def keep_strongest(pairs: Iterable[Pair], most_partners: int) -> list[Pair]:
    """Keep the pairs that are among the first ones of either of their columns.

    Args:
        pairs: Pairs of columns, the most telling first.
        most_partners: How many of them a column keeps for its own sake.
    """
    partners: Counter[int] = Counter()
    kept = []
    for i, j in pairs:
        if min(partners[i], partners[j]) < most_partners:
            kept.append((i, j))
            partners.update((i, j))
    return kept


def _fit(
    margins: Sequence[NDArray[np.float64]],
    tables: Mapping[Pair, NDArray[np.float64]],
    first: Sequence[int],
    constants: JointConstants,
    rng: np.random.Generator,
) -> Chain:
    information = np.zeros((len(margins), len(margins)))
    for (i, j), table in tables.items():
        information[i, j] = information[j, i] = mutual_information(table)
    return fit_chain(margins, tables, choose_order(information, first), constants, rng)


def _add_up(values: NDArray[np.float64], bins: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Add the values of codes up by bin, shape (G,)."""
    counted = bins >= 0
    return np.bincount(bins[counted], values[counted], size).astype(np.float64)
