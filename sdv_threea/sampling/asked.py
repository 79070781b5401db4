"""Conditions on the rows to draw: the codes that each row may have in some columns.

A condition on one row, equal conditions on many rows, and the context of a row in a database have
this form. Rows with the same condition form a group with its own pool of draws. Many pools are
drawn at once, because 20,000 separate calls would take an hour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdv_threea.arrays import Bools, Floats, Wholes


class ImpossibleCondition(ValueError):
    """A condition has probability zero in the released model."""


@dataclass(frozen=True)
class CodeCondition:
    """The codes that ``n`` rows may have in one column.

    Args:
        codes: The only code of each row, shape (n,); or -1 for the codes of the first mask, -2 for
            those of the second, and so on.
        masks: Sets of codes that a row may have, shape (U, S).
        occurs: Which codes have positive probability, by class, shape (C, S).
    """

    codes: Wholes
    masks: Bools
    occurs: Bools

    @classmethod
    def of(cls, codes: NDArray[np.integer], occurs: Bools) -> CodeCondition:
        """Return the condition of known codes, shape (n,); negative ones allow any code."""
        anything = np.ones((1, occurs.shape[1]), dtype=np.bool_)
        return cls(np.maximum(codes.astype(np.int64), -1), anything, occurs)

    def __getitem__(self, rows: Wholes) -> CodeCondition:
        return replace(self, codes=self.codes[rows])

    @property
    def is_one(self) -> bool:
        """Whether each row may have only a single code."""
        return bool((self.codes >= 0).all())

    def add_up(self, table: NDArray[np.floating]) -> Floats:
        """Sum a table, shape (C, S), over the codes that each row may have: shape (C, n)."""
        found = np.asarray(table[:, np.maximum(self.codes, 0)], dtype=np.float64)
        several = self.codes < 0
        if several.any():
            found[:, several] = (table @ self.masks.T)[:, -1 - self.codes[several]]
        return found

    def list_classes(self) -> Bools:
        """Return the classes in which an allowed code of the row occurs, shape (C, n)."""
        return np.asarray(self.add_up(self.occurs.astype(np.float64)) > 0, dtype=np.bool_)

    def list_masks(self) -> Bools:
        """Return the codes that rows may have, shape (n, S)."""
        found = np.zeros((len(self.codes), self.occurs.shape[1]), dtype=np.bool_)
        one = np.flatnonzero(self.codes >= 0)
        found[one, self.codes[one]] = True
        several = np.flatnonzero(self.codes < 0)
        if len(several):
            found[several] = self.masks[-1 - self.codes[several]]
        return found


class RowConditions(NamedTuple):
    """Conditions on ``n`` rows: allowed codes by scored column, and allowed classes, (n, C)."""

    asked: Mapping[int, CodeCondition]
    classes: Bools

    def take(self, rows: Wholes) -> RowConditions:
        """Choose rows by their positions."""
        return RowConditions({at: own[rows] for at, own in self.asked.items()}, self.classes[rows])

    @property
    def keys(self) -> list[NDArray[np.integer]]:
        """Arrays, shape (n,) each: rows with the same condition are equal in all of them."""
        return [*(own.codes for own in self.asked.values()), *self.classes.astype(np.int64).T]


class Pools(NamedTuple):
    """Groups of rows that are drawn at once.

    ``rows`` are the rows, group by group, shape (n,), and ``counts`` the sizes of the groups, shape
    (P,). ``first`` is the first row of each group, shape (P,), whose condition all its rows share.
    """

    rows: Wholes
    first: Wholes
    counts: Wholes


def group(keys: Sequence[NDArray[np.integer]], num_rows: int) -> Wholes:
    """Number the rows, shape (n,): rows whose ``keys`` are equal have the same number."""
    table = np.stack([np.zeros(num_rows, dtype=np.int64), *keys])
    order = np.lexsort(table[::-1])
    starts = np.diff(table[:, order], axis=1, prepend=table[:, order[:1]]).any(axis=0)
    found = np.empty(num_rows, dtype=np.int64)
    found[order] = np.cumsum(starts)
    return found


def deal(
    offered: Wholes, weights: Floats, wanted: Wholes, rng: np.random.Generator
) -> tuple[Wholes, Wholes]:
    """Give drawn rows to conditions that they meet, preferably rows of large weight.

    ``offered`` is the group of equal conditions that each drawn row meets, and ``weights`` its
    positive importance weight, shape (n,). ``wanted`` is the group of each condition without a row,
    shape (q,). Return the positions of some drawn rows and those of their conditions, each at most
    once.
    """
    # Weighted sampling without replacement (Efraimidis and Spirakis 2006).
    order = np.lexsort((rng.exponential(size=len(offered)) / weights, offered))
    waiting = np.argsort(wanted, kind='stable')
    ranks = np.arange(len(order)) - np.searchsorted(offered[order], offered[order])
    first = np.searchsorted(wanted[waiting], offered[order])
    end = np.searchsorted(wanted[waiting], offered[order], side='right')
    serves = ranks < end - first
    return order[serves], waiting[first[serves] + ranks[serves]]


def cut_pools(
    keys: Sequence[NDArray[np.integer]],
    num_rows: int,
    most_rows: int,
    room: float,
    sizes: tuple[int, int],
) -> Iterator[Pools]:
    """Group rows by their condition, and yield as many groups as one draw serves.

    ``keys`` are the conditions of rows, shape (n,) each. Groups of more than ``most_rows`` are cut.
    A draw has at most ``room`` records, or a single group that exceeds it. ``sizes`` are the least
    number of records of a group, and the number per row.
    """
    if not num_rows:
        return
    groups = group(keys, num_rows)
    order = np.argsort(groups, kind='stable')
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    within = np.arange(num_rows) - np.repeat(starts, np.diff(np.append(starts, num_rows)))
    starts = np.flatnonzero(within % most_rows == 0)
    counts = np.diff(np.append(starts, num_rows))
    # Groups of similar size need similar room, and are drawn together.
    by_size = np.argsort(counts, kind='stable')
    needed = np.cumsum(np.maximum(sizes[0], sizes[1] * counts[by_size]))
    parts = np.stack([(needed - needed[0]) // room, np.frexp(counts[by_size])[1]])
    for some in np.split(by_size, np.flatnonzero(np.diff(parts).any(axis=0)) + 1):
        places = np.repeat(starts[some] - np.cumsum(counts[some]) + counts[some], counts[some])
        rows = order[places + np.arange(len(places))]
        yield Pools(rows, order[starts[some]], counts[some])


def pick(weights: Floats, pool: Wholes, counts: Wholes, rng: np.random.Generator) -> Wholes:
    """Pick ``counts`` records from each pool by weight; return their places, pool by pool."""
    totals = np.bincount(pool, weights, len(counts))
    if not (totals > 0).all():
        raise ImpossibleCondition('The released model gives this condition no probability.')
    passed = np.cumsum(weights / totals[pool])
    ends = passed[np.cumsum(np.bincount(pool, minlength=len(counts))) - 1]
    low = np.repeat(np.append(0.0, ends[:-1]), counts)
    high = np.repeat(ends, counts)
    places = low + rng.random(len(low)) * (high - low)
    # A number that is rounded up to the end would be in the next pool.
    places = np.minimum(places, np.nextafter(high, 0))
    return np.asarray(np.searchsorted(passed, places, side='right'))


def even_out(weights: Floats, pool: Wholes, size: int) -> None:
    """Scale the weights of each pool to maximum 1, in place, to avoid underflow of products."""
    most = np.zeros(size)
    np.maximum.at(most, pool, weights)
    weights /= np.where(most > 0, most, 1.0)[pool]
