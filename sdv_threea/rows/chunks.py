"""Private rows, read in chunks. Callers get only sums over all rows.

A statistic maps chunks to exact sums, which add up to the sums of the table, bit for bit, in any
order and for any chunks. So memory is bounded by a chunk, and chunks may lie on other machines.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain, islice
from os import SEEK_END
from tempfile import TemporaryFile
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.guard import UnreadableRowsError, guarded

#: A table, or a named tuple of arrays with one entry per row.
Chunk = TypeVar('Chunk')
New = TypeVar('New')

#: Integer arrays, objects with a ``+``, or tuples of these.
Sums = TypeVar('Sums')

#: Functions of a chunk, applied in order.
Steps = tuple[Callable[[Any], Any], ...]

#: Approximate number of cells and least number of rows of a table's chunk.
CHUNK_CELLS = 2**20
LEAST_ROWS = 2**13

#: Bytes of mapped chunks that are kept for the next pass; other chunks are mapped again.
KEPT_BYTES = 2**28

#: Every sum must stay below this, well below the limit of 64-bit integers.
LARGEST_SUM = 2**62


class Source(Protocol):
    """A source of private rows."""

    def __iter__(self) -> Iterator[Any]:
        """Yield the chunks, one at a time."""

    def sum(self, statistic: Callable[[Any], Sums]) -> Sums:
        """Return the sum of a statistic over all chunks."""

    def keep(self, steps: Steps) -> Source | None:
        """Return a source whose chunks are mapped once, or ``None`` if that is impossible."""


@dataclass(frozen=True)
class Rows(Generic[Chunk]):
    """Private rows of which only sums are read; ``steps`` are applied to each chunk in order.

    Formal guarantees: all work on chunks and on their sums runs inside
    :func:`~sdv_threea.rows.guard.guarded`, wherever the chunks lie: no warning, log, print or error
    of a library shows a cell.
    """

    source: Source
    steps: Steps = ()

    def map(self, step: Callable[[Chunk], New]) -> Rows[New]:
        """Return rows mapped by ``step``, a picklable function of a chunk; nothing is computed yet.

        ``step`` must map each row by itself, whatever the other rows hold. A step may drop rows.
        """
        return cast('Rows[New]', replace(self, steps=(*self.steps, step)))

    def keep(self) -> Rows[Chunk]:
        """Return rows that remember mapped chunks for further passes, if their source can."""
        with guarded():
            kept = self.source.keep(self.steps)
        return self if kept is None else Rows(kept)

    def spill(self) -> Groups:
        """Return the mapped chunks in a file, each under its own number."""
        with guarded():
            groups = Groups(0, in_file=True)
            for number, chunk in enumerate(self.source):
                groups.add(number, apply_steps(self.steps, chunk))
        return groups

    def exchange(self, send: Callable[..., Any], take: Callable[[Chunk, Any], New]) -> Rows[New]:
        """Return chunks mapped with what other chunks sent to them: see :meth:`Groups.exchange`."""
        with guarded():
            return Rows(cast(Groups, self.source).exchange(send, take))

    def thin(self, share: float) -> Rows[Chunk]:
        """Return a random sample of the rows, to save time; ``share`` is public or released.

        Formal guarantees: which rows are drawn does not depend on the rows, so a sum over the
        sample is as private as the same sum over all rows.
        """
        return self if share >= 1 else replace(self, steps=(partial(_toss, share), *self.steps))

    def sum(self, statistic: Callable[[Chunk], Sums]) -> Sums:
        """Return exact sums over all rows; ``statistic`` is a picklable function of a chunk."""
        with guarded():
            return cast(Sums, self.source.sum(partial(apply_steps, (*self.steps, statistic))))


def chunk_table(table: pd.DataFrame, chunk_rows: int | None = None) -> Rows[pd.DataFrame]:
    """Return the rows of a table, in chunks of about :data:`CHUNK_CELLS` cells by default."""
    return Rows(_slice(table, chunk_rows))


def hold(chunk: Chunk) -> Rows[Chunk]:
    """Return rows in one chunk in memory, which is never split."""
    groups = Groups(1, in_file=False)
    groups.add(0, chunk)
    return Rows(groups)


class _Chunks:
    """Chunks in memory."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def sum(self, statistic: Callable[[Any], Sums]) -> Sums:
        """Return the sum of a statistic over all chunks."""
        return reduce(add, map(statistic, self))

    def keep(self, steps: Steps) -> Source:
        """Return chunks of which up to :data:`KEPT_BYTES` are mapped only once."""
        return Kept(self, steps, [])


@dataclass(frozen=True)
class Slices(_Chunks):
    """Rows in memory, cut into slices."""

    rows: Any
    num_rows: int
    chunk_rows: int

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, max(self.num_rows, 1), self.chunk_rows):
            yield self.rows[start : start + self.chunk_rows]


@dataclass(frozen=True)
class Kept(_Chunks):
    """Chunks in memory; the first ones are mapped once and remembered in ``kept``."""

    chunks: _Chunks
    steps: Steps
    kept: list[Any]

    def __iter__(self) -> Iterator[Any]:
        known = len(self.kept)
        yield from self.kept[:known]
        room = True
        for each in islice(self.chunks, known, None):
            mapped = apply_steps(self.steps, each)
            # Only leading chunks are kept, so none is kept after one that does not fit.
            room = room and sum(map(_measure, [*self.kept, mapped])) <= KEPT_BYTES
            if room:
                self.kept.append(mapped)
            yield mapped


class Groups(_Chunks):
    """Chunks by number, in memory or in an unnamed file that ends with this object."""

    def __init__(self, count: int, *, in_file: bool) -> None:
        self.count = count
        self._file = TemporaryFile() if in_file else None  # noqa: SIM115 (open while this lives)
        self._chunks = defaultdict[int, list[Any]](list)

    def add(self, number: int, chunk: Any) -> None:
        """Add a chunk under a number."""
        if self._file is not None:
            place = self._file.seek(0, SEEK_END)
            pickle.dump(chunk, self._file, pickle.HIGHEST_PROTOCOL)
            chunk = place
        self.count = max(self.count, number + 1)
        self._chunks[number].append(chunk)

    def read(self, number: int) -> Iterator[Any]:
        """Yield the chunks of a number, in the order in which they were added."""
        for chunk in self._chunks[number]:
            if self._file is not None:
                self._file.seek(chunk)
                chunk = pickle.load(self._file)
            yield chunk

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(map(self.read, range(self.count)))

    def keep(self, steps: Steps) -> _Chunks:
        """Return all chunks mapped; a mapped table is cut into slices."""
        kept = self.alike()
        for number in range(self.count):
            for mapped in map(partial(apply_steps, steps), self.read(number)):
                cut = _slice(mapped) if isinstance(mapped, pd.DataFrame) else None
                if cut is not None and self.count == 1:
                    return cut
                for chunk in cut or (mapped,):
                    kept.add(number, chunk)
        return kept

    def exchange(self, send: Callable[[int, Any], Any], take: Callable[[Any, Any], Any]) -> Groups:
        """Return each chunk mapped by ``take``, which also gets the list of messages to its number.

        ``send`` takes a number and its chunk, and returns pairs of a receiving number and a
        message.
        """
        sent, kept = self.alike(), self.alike()
        for number in range(self.count):
            for chunk in self.read(number):
                for target, letter in send(number, chunk):
                    sent.add(target, letter)
        for number in range(self.count):
            for chunk in self.read(number):
                kept.add(number, take(chunk, list(sent.read(number))))
        return kept

    def alike(self) -> Groups:
        """Return an empty object for as many numbers."""
        return Groups(self.count, in_file=self._file is not None)


def add(one: Sums, other: Sums) -> Sums:
    """Return the sums of two parts of a table together; an error if they exceed 64 bits."""
    if isinstance(one, tuple):
        return cast(Sums, tuple(map(add, one, cast(tuple[Any, ...], other))))
    if isinstance(one, np.ndarray) and magnitude(one) + magnitude(cast(Any, other)) >= LARGEST_SUM:
        raise UnreadableRowsError('The sums over the rows do not fit into 64 bits.')
    return cast(Sums, cast(Any, one) + other)


def _slice(table: pd.DataFrame, chunk_rows: int | None = None) -> Slices:
    fitting = max(CHUNK_CELLS // max(table.shape[1], 1), LEAST_ROWS)
    return Slices(table.iloc, len(table), chunk_rows or fitting)


def apply_steps(steps: Steps, chunk: Any) -> Any:
    """Apply the steps in order; guarded here too, because this may run in another process."""
    with guarded():
        for step in steps:
            chunk = step(chunk)
    return chunk


def _toss(share: float, chunk: Any) -> Any:
    table = isinstance(chunk, pd.DataFrame)
    num_rows = len(chunk) if table else len(chunk[0])
    coins = np.random.default_rng()
    stay = np.flatnonzero(coins.random(num_rows) < share)
    return chunk.iloc[stay] if table else type(chunk)(*(each[stay] for each in chunk))


def _measure(chunk: Any) -> int:
    if isinstance(chunk, pd.DataFrame):
        return int(chunk.memory_usage(deep=True).sum())
    return sum(each.nbytes for each in chunk)


def magnitude(numbers: NDArray[Any]) -> int:
    """Return the largest absolute value of whole numbers."""
    return max(int(numbers.max(initial=0)), -int(numbers.min(initial=0)))
