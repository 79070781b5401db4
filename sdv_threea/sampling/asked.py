"""What rows are asked to have, each by itself: codes of some columns.

Rows that are asked for the same make a group. Groups are drawn from pools of their own, many pools
at a time: a call for each of 20,000 conditions takes an hour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class ImpossibleCondition(ValueError):
    """What was asked for has no probability at all in the released model."""


@dataclass(frozen=True)
class Asked:
    """The codes that ``n`` rows may have in one column.

    Args:
        codes: The code of each row, shape (n,). Of a row that may have one of several codes it is
            below zero: -1 for the first mask, -2 for the second.
        masks: Several codes that a row may have, shape (U, S).
        occurs: Which codes have probability, by class, shape (C, S).
    """

    codes: NDArray[np.int64]
    masks: NDArray[np.bool_]
    occurs: NDArray[np.bool_]

    def __getitem__(self, rows: NDArray[np.int64]) -> Asked:
        return replace(self, codes=self.codes[rows])

    @property
    def is_one(self) -> bool:
        """Whether each row may have a single code."""
        return bool((self.codes >= 0).all())

    def add_up(self, table: NDArray[np.floating]) -> NDArray[np.float64]:
        """Add a table of the codes, shape (C, S), up over those that rows may have: (C, n)."""
        found = np.asarray(table[:, np.maximum(self.codes, 0)], dtype=np.float64)
        several = self.codes < 0
        if several.any():
            found[:, several] = (table @ self.masks.T)[:, -1 - self.codes[several]]
        return found

    def list_classes(self) -> NDArray[np.bool_]:
        """List in which classes one of the codes that rows may have occurs, shape (C, n)."""
        return np.asarray(self.add_up(self.occurs.astype(np.float64)) > 0, dtype=np.bool_)

    def list_masks(self) -> NDArray[np.bool_]:
        """List the codes that rows may have, shape (n, S)."""
        found = np.zeros((len(self.codes), self.occurs.shape[1]), dtype=np.bool_)
        one = np.flatnonzero(self.codes >= 0)
        found[one, self.codes[one]] = True
        several = np.flatnonzero(self.codes < 0)
        if len(several):
            found[several] = self.masks[-1 - self.codes[several]]
        return found


class Pools(NamedTuple):
    """Some groups of rows that are drawn at once.

    Args:
        rows: The rows, group by group, shape (n,).
        first: A row of each group, by which it is known what is asked, shape (P,).
        counts: How many rows a group has, shape (P,).
    """

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    counts: NDArray[np.int64]


def cut_pools(
    keys: Sequence[NDArray[np.integer]],
    num_rows: int,
    most_rows: int,
    room: float,
    sizes: tuple[int, int],
) -> Iterator[Pools]:
    """Divide rows into groups that are asked for the same, and these among draws that fit.

    Args:
        keys: What rows are asked for, shape (n,) each.
        num_rows: How many rows there are.
        most_rows: The most rows of a group: larger ones are cut.
        room: How many records a draw has room for; a single group may take more.
        sizes: How many records a group takes at least, and for each row.
    """
    if not num_rows:
        return
    table = np.stack([np.zeros(num_rows, dtype=np.int64), *keys], axis=1)
    groups = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(groups, kind='stable')
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    within = np.arange(num_rows) - np.repeat(starts, np.diff(np.append(starts, num_rows)))
    starts = np.flatnonzero(within % most_rows == 0)
    counts = np.diff(np.append(starts, num_rows))
    # Groups of like size take like room, and are drawn together.
    by_size = np.argsort(counts, kind='stable')
    needed = np.cumsum(np.maximum(sizes[0], sizes[1] * counts[by_size]))
    draws = np.unique((needed - needed[0]) // room, return_index=True)[1]
    for some in np.split(by_size, draws[1:]):
        places = np.repeat(starts[some] - np.cumsum(counts[some]) + counts[some], counts[some])
        rows = order[places + np.arange(len(places))]
        yield Pools(rows, order[starts[some]], counts[some])


def pick(
    weights: NDArray[np.float64],
    pool: NDArray[np.int64],
    counts: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Pick records by weight, so many from each pool.

    Args:
        weights: Weights of the records, shape (R,).
        pool: The pool of each record, ascending from 0, shape (R,).
        counts: How many are picked from each pool, shape (P,).
        rng: Source of randomness; it needs no secrecy.

    Returns:
        Places of records, pool by pool, shape (sum of the counts,).

    Raises:
        ImpossibleCondition: If a pool has no record of any weight.
    """
    totals = np.bincount(pool, weights, len(counts))
    if not (totals > 0).all():
        raise ImpossibleCondition('The released model gives this condition no probability.')
    passed = np.cumsum(weights / totals[pool])
    ends = passed[np.cumsum(np.bincount(pool, minlength=len(counts))) - 1]
    low = np.repeat(np.append(0.0, ends[:-1]), counts)
    high = np.repeat(ends, counts)
    places = low + rng.random(len(low)) * (high - low)
    # Rounded up to the end, a place would be in the next pool.
    places = np.minimum(places, np.nextafter(high, 0))
    return np.asarray(np.searchsorted(passed, places, side='right'))


def even_out(weights: NDArray[np.float64], pool: NDArray[np.int64], size: int) -> None:
    """Scale the weights of each pool to a largest one of 1, in place: products would vanish."""
    most = np.zeros(size)
    np.maximum.at(most, pool, weights)
    weights /= np.where(most > 0, most, 1.0)[pool]
