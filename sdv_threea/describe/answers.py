"""Exact counts of a chunk of private rows; noise is added to their sums over all chunks.

Formal guarantees of every function:
    * a record counts by itself, whatever the other rows hold, and adds one to at most one count per
      question and column, except for :func:`tally_rarer` and :func:`count_tails`
    * the answers of chunks add up to those of the table
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting.sensitivities import RECORD_UNITS
from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.describe.closer import Look
from sdv_threea.describe.granularity import count_codes
from sdv_threea.describe.sentinels import make_look
from sdv_threea.describe.values import NumberTally, Tally, is_missing, tally, tally_numbers
from sdv_threea.domain import Column, Domain, Number
from sdv_threea.rows.intake.cells import Distinct
from sdv_threea.rows.intake.columns import read_categories, read_numbers
from sdv_threea.rows.intake.scalars import spell
from sdv_threea.rows.statistics import histogram

#: Number of buckets that numbers are hashed into.
NUM_BUCKETS = 2**12

#: An odd multiplier with spread bits (the golden ratio of 64 bits; Knuth, volume 3, 6.4).
SPREAD = np.uint64(0x9E3779B97F4A7C15)

#: A column as it was read: numbers with NaN, or categories.
Cells = Floats | Distinct


def read_cells(domain: Domain, table: pd.DataFrame) -> dict[str, Cells]:
    """Return private rows by column of the domain; an error if a cell does not fit its kind."""
    return {column.name: _read(table[column.name], column) for column in domain.columns}


def answer(name: str, columns: tuple[Column, ...], cells: Mapping[str, Cells]) -> Any:
    """Return counts, shape (columns, bins), or a tally per column, for a question of one look."""
    return _ANSWERS[name]([cells[column.name] for column in columns], columns)


def tally_heavy(
    columns: tuple[Column, ...], heavy: Bools, table: pd.DataFrame
) -> tuple[NumberTally, ...]:
    """Return a tally per column of the numbers in its heavy buckets."""
    tallies = []
    for column, own in zip(columns, heavy, strict=True):
        numbers = read_numbers(table[column.name])
        buckets = _find_buckets(numbers)
        tallies.append(tally_numbers(numbers[(buckets >= 0) & own[buckets]]))
    return tuple(tallies)


def tally_rarer(
    columns: tuple[Column, ...], found: tuple[frozenset[Hashable], ...], table: pd.DataFrame
) -> tuple[Tally, ...]:
    """Return a tally per column of values not yet found, in units of ``1 / RECORD_UNITS``.

    A record with ``k`` such values adds ``isqrt(RECORD_UNITS^2 / k)`` to the count of each. After
    the common values are found, most records have few others, so the noise barely grows with the
    number of columns (Gopi et al. 2020, arXiv 2002.09745, with weights; Swanberg et al. 2023, arXiv
    2301.01998, with several looks).

    Formal guarantees:
        * one record adds a vector of non-negative whole numbers, whose L2 norm is at most
          ``RECORD_UNITS``, whatever was found
        * it adds at most ``RECORD_UNITS`` to any count, and to at most one count per column
    """
    cells = [read_categories(table[column.name]) for column in columns]
    left = np.zeros((len(columns), len(table)), dtype=np.bool_)
    for own, known, each in zip(cells, found, left, strict=True):
        rarer = np.array([spell(value) not in known for value in own.listed], dtype=np.bool_)
        each[:] = np.append(rarer, False)[own.codes]
    weights = _share_out(left)
    return tuple(
        _weigh(own, np.where(each, weights, 0)) for own, each in zip(cells, left, strict=True)
    )


def count_again(looks: tuple[Look, ...], table: pd.DataFrame) -> Wholes:
    """Return the counts of several columns, each on its own grid, shape (looks, places)."""
    cells = [read_numbers(table[look.column.name]) for look in looks]
    return _count_places(looks, cells)


def count_tails(looks: tuple[Look, ...], beyond: Sequence[Bools], table: pd.DataFrame) -> Wholes:
    """Return counts of numbers beyond the bulk of their column, shape (looks, places).

    Counts are in units of ``1 / RECORD_UNITS``: a record with ``k`` such numbers adds
    ``isqrt(RECORD_UNITS^2 / k)`` to the place of each. ``beyond`` marks the places of a look that
    lie beyond its bulk.

    Formal guarantees: one record adds a vector of non-negative whole numbers, whose L2 norm is at
    most ``RECORD_UNITS``, whatever the bulks are.
    """
    places = [look.place(read_numbers(table[look.column.name])) for look in looks]
    # A missing number has the place -1, which is neither below nor above.
    left = np.array(
        [np.append(own, False)[at] for own, at in zip(beyond, places, strict=True)], dtype=np.bool_
    )
    weights = _share_out(left)
    size = max(len(look.counts) for look in looks)
    counts = np.zeros((len(looks), size), dtype=np.int64)
    for own, chosen, sums in zip(places, left, counts, strict=True):
        # Whole numbers below 2^53: as floats they are exact, and so are their sums.
        sums += np.bincount(own[chosen], weights[chosen], size).astype(np.int64)
    return counts


def _share_out(left: Bools) -> Wholes:
    shares = [0, *(math.isqrt(RECORD_UNITS**2 // k) for k in range(1, len(left) + 1))]
    return np.asarray(np.array(shares)[left.sum(axis=0)])


def _weigh(cells: Distinct, weights: Wholes) -> Tally:
    """Return the summed weights of the records with each value, if not zero."""
    # Whole numbers below 2^53: as floats they are exact, and so are their sums.
    sums = np.bincount(cells.codes + 1, weights, len(cells.listed) + 1)[1:].astype(np.int64)
    listed = zip(cells.listed, sums.tolist(), strict=True)
    return Tally({spell(value): (value, weight) for value, weight in listed if weight})


def _read(cells: pd.Series, column: Column) -> Cells:
    return read_numbers(cells) if isinstance(column, Number) else read_categories(cells)


def _count(codes: Sequence[NDArray[np.integer]], size: int) -> Wholes:
    everyone = np.zeros(len(codes[0]), dtype=np.int64)
    return np.concatenate([histogram(own[:, None], everyone, [size], 1)[0] for own in codes])


def _count_nulls(cells: list[Any], columns: tuple[Column, ...]) -> Wholes:
    return _count([is_missing(own).astype(np.int64) - 1 for own in cells], 1)


def _count_steps(cells: list[Any], columns: tuple[Column, ...]) -> Wholes:
    steps = [column.steps for column in columns if isinstance(column, Number)]
    codes = [count_codes(*each) for each in zip(cells, steps, strict=True)]
    return _count(codes, max(map(len, steps)) + 2)


def _count_ranges(cells: list[Any], columns: tuple[Column, ...]) -> Wholes:
    looks = tuple(make_look(column) for column in columns if isinstance(column, Number))
    return _count_places(looks, cells)


def _count_places(looks: tuple[Look, ...], cells: list[Any]) -> Wholes:
    places = [look.place(own) for look, own in zip(looks, cells, strict=True)]
    return _count(places, max(len(look.counts) for look in looks))


def _count_buckets(cells: list[Any], columns: tuple[Column, ...]) -> Wholes:
    return _count([_find_buckets(own) for own in cells], NUM_BUCKETS)


def _tally_all(cells: list[Any], columns: tuple[Column, ...]) -> tuple[Tally, ...]:
    return tuple(map(tally, cells))


def _find_buckets(numbers: Floats) -> Wholes:
    """Return the bucket of each number, the same for equal numbers; -1 if missing."""
    # The leading bits of a product with an odd number are well mixed. Equal numbers have equal
    # bits, because reading leaves no negative zero.
    shift = np.uint64(64 - NUM_BUCKETS.bit_length() + 1)
    buckets = (numbers.view(np.uint64) * SPREAD) >> shift
    return np.where(np.isnan(numbers), -1, buckets.astype(np.int64))


_ANSWERS = {
    'nulls': _count_nulls,
    'steps': _count_steps,
    'classes': _tally_all,
    'categories': _tally_all,
    'spikes': _count_buckets,
    'ranges': _count_ranges,
}
