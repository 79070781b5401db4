"""Private rows, read in chunks. Nothing can be learned of them but sums over all of them.

A statistic maps a chunk of rows to exact sums. The sums of all chunks add up to those of the table,
bit for bit, however the table is cut and in any order. So memory is bounded by a chunk, and chunks
may lie on other machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.privacy.guard import UnreadableRowsError, guarded

#: A chunk of rows: a table, or a named tuple of arrays with a row each.
Chunk = TypeVar('Chunk')
New = TypeVar('New')

#: What statistics return: integer arrays, what has a ``+`` of its own, or tuples of them.
Sums = TypeVar('Sums')

#: A chunk of a table has about this many cells, and at least this many rows.
CHUNK_CELLS = 2**20
LEAST_ROWS = 2**13

#: Bytes of mapped chunks that are kept for the next pass; what does not fit is mapped again.
KEPT_BYTES = 2**28

#: Magnitude that no sum may reach: far below where whole numbers of 64 bits wrap around.
LARGEST_SUM = 2**62


class Source(Protocol):
    """Where rows come from."""

    def sum(self, statistic: Callable[[Any], Sums]) -> Sums:
        """Add a statistic up over all chunks."""

    def keep(self, steps: tuple[Callable[[Any], Any], ...]) -> Source | None:
        """Map every chunk once, if the source can; ``None`` if it cannot."""


@dataclass(frozen=True)
class Rows(Generic[Chunk]):
    """Private rows of which nothing but sums is read.

    Formal guarantees:
        * all that is done to chunks and to their sums is done inside
          :func:`~sdv_threea.privacy.guard.guarded`, wherever they lie: no warning, log, print or
          error of a library shows a cell

    Args:
        source: Where they come from.
        steps: What is done to each chunk, in order.
    """

    source: Source
    steps: tuple[Callable[[Any], Any], ...] = ()

    def map(self, step: Callable[[Chunk], New]) -> Rows[New]:
        """Map the rows.

        Args:
            step: A function of a chunk that maps its rows one by one, whatever the others hold;
                it can be pickled. It may leave rows out.

        Returns:
            The mapped rows; nothing is computed yet.
        """
        return cast('Rows[New]', replace(self, steps=(*self.steps, step)))

    def keep(self) -> Rows[Chunk]:
        """Return rows that remember mapped chunks for further passes, up to :data:`KEPT_BYTES`."""
        kept = self.source.keep(self.steps)
        return self if kept is None else Rows(kept)

    def thin(self, share: float) -> Rows[Chunk]:
        """Return some of the rows, each chosen by a coin of its own, to save time.

        Formal guarantees:
            * the coins do not depend on the rows, so a sum over the rows that are left is as
              private as the same sum over all of them

        Args:
            share: The chance to stay, a public or released number; from 1 on, all stay.

        Returns:
            The rows that are left.
        """
        return self if share >= 1 else replace(self, steps=(partial(_toss, share), *self.steps))

    def sum(self, statistic: Callable[[Chunk], Sums]) -> Sums:
        """Return the sums of a statistic over all rows, in one pass.

        Args:
            statistic: A function of a chunk that returns exact sums over its rows; it can be
                pickled.

        Returns:
            The sums over all rows.

        Raises:
            UnreadableRowsError: If they do not fit into 64 bits, or something fails.
        """
        with guarded():
            return cast(Sums, self.source.sum(partial(_apply, (*self.steps, statistic))))


def chunk_table(table: pd.DataFrame, chunk_rows: int | None = None) -> Rows[pd.DataFrame]:
    """Return the rows of a table, to be read in chunks.

    Args:
        table: The table.
        chunk_rows: Rows per chunk; by default about :data:`CHUNK_CELLS` cells.

    Returns:
        Its rows.
    """
    fitting = max(CHUNK_CELLS // max(table.shape[1], 1), LEAST_ROWS)
    return Rows(Slices(table.iloc, len(table), chunk_rows or fitting))


def chunk_arrays(arrays: Chunk, chunk_rows: int = 2**16) -> Rows[Chunk]:
    """Return the rows of a named tuple of arrays, to be read in chunks."""
    columns = cast(tuple[NDArray[Any], ...], arrays)
    return Rows(Slices(_Sliced(columns), len(columns[0]), chunk_rows))


@dataclass(frozen=True)
class Slices:
    """Rows in memory, cut into slices.

    Args:
        rows: What slices are taken of.
        num_rows: How many rows there are.
        chunk_rows: How many a slice has.
    """

    rows: Any
    num_rows: int
    chunk_rows: int

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, max(self.num_rows, 1), self.chunk_rows):
            yield self.rows[start : start + self.chunk_rows]

    def sum(self, statistic: Callable[[Any], Sums]) -> Sums:
        """Add a statistic up, slice by slice."""
        return reduce(add, map(statistic, self))

    def keep(self, steps: tuple[Callable[[Any], Any], ...]) -> Source:
        """Map the slices once, as far as there is room."""
        return Kept(self, steps, [])


@dataclass(frozen=True)
class Kept:
    """Chunks in memory whose first ones are mapped once and remembered.

    Args:
        chunks: The chunks.
        steps: What is done to each of them.
        kept: The mapped ones that are remembered so far.
    """

    chunks: Slices | Kept
    steps: tuple[Callable[[Any], Any], ...]
    kept: list[Any]

    def __iter__(self) -> Iterator[Any]:
        known = len(self.kept)
        yield from self.kept[:known]
        room = True
        for each in islice(self.chunks, known, None):
            mapped = _apply(self.steps, each)
            # Those that are kept come first, so after one that does not fit none is kept.
            room = room and _measure([*self.kept, mapped]) <= KEPT_BYTES
            if room:
                self.kept.append(mapped)
            yield mapped

    def sum(self, statistic: Callable[[Any], Sums]) -> Sums:
        """Add a statistic up, chunk by chunk."""
        return reduce(add, map(statistic, self))

    def keep(self, steps: tuple[Callable[[Any], Any], ...]) -> Source:
        """Map what is remembered once more, and remember that too, as far as there is room."""
        return Kept(self, steps, [])


def add(one: Sums, other: Sums) -> Sums:
    """Return the sums of two parts of a table together.

    Raises:
        UnreadableRowsError: If they do not fit into 64 bits.
    """
    if isinstance(one, tuple):
        return cast(Sums, tuple(map(add, one, cast(tuple[Any, ...], other))))
    if (
        isinstance(one, np.ndarray)
        and _magnitude(one) + _magnitude(cast(Any, other)) >= LARGEST_SUM
    ):
        raise UnreadableRowsError('The sums over the rows do not fit into 64 bits.')
    return cast(Sums, cast(Any, one) + other)


class _Sliced:
    """A named tuple of arrays whose slices are named tuples of slices."""

    def __init__(self, arrays: tuple[NDArray[Any], ...]) -> None:
        self._arrays = arrays

    def __getitem__(self, rows: slice) -> Any:
        return type(self._arrays)(*(each[rows] for each in self._arrays))


def _apply(steps: tuple[Callable[[Any], Any], ...], chunk: Any) -> Any:
    # Guarded here too, because this may run in a process of its own.
    with guarded():
        for step in steps:
            chunk = step(chunk)
    return chunk


def _toss(share: float, chunk: Any) -> Any:
    """Return the rows that fresh coins choose."""
    table = isinstance(chunk, pd.DataFrame)
    num_rows = len(chunk) if table else len(chunk[0])
    coins = np.random.default_rng()
    stay = np.flatnonzero(coins.random(num_rows) < share)
    return chunk.iloc[stay] if table else type(chunk)(*(each[stay] for each in chunk))


def _measure(chunks: list[Any]) -> int:
    return sum(map(_measure_chunk, chunks))


def _measure_chunk(chunk: Any) -> int:
    """Measure a chunk in bytes: the texts of a table, too."""
    if isinstance(chunk, pd.DataFrame):
        return int(chunk.memory_usage(deep=True).sum())
    return sum(each.nbytes for each in chunk)


def _magnitude(sums: NDArray[Any]) -> int:
    return max(int(sums.max(initial=0)), -int(sums.min(initial=0)))
