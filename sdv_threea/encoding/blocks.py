"""Blocks: each column as a finite list of codes, one active code per record.

Code 0 is the missing value. A number has one code per cell of a grid, in ascending order: a cell is
a half-open interval, and a heavy single value is a cell of its own. A category has one code per
value. A record whose value is not on the list has code -1 there: it contributes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.domain import Category, Number
from sdv_threea.encoding.describe import Description
from sdv_threea.encoding.lattice import inner_multiples, is_lattice, multiples
from sdv_threea.encoding.ranges import Sketch
from sdv_threea.intake.cells import take_values
from sdv_threea.intake.columns import make_table, read_categories, read_numbers
from sdv_threea.intake.scalars import spell

#: Cells of a number, unless each of its values is one: fine, as what is made of them is smoothed.
MAX_BINS = 96

#: Records that every cell of a sketch counts for at least, as a share of all: no cell of the public
#: grid inside the range may be left without a bin.
LEAST_SHARE = 0.002

#: Where the outermost bins are cut once more, as shares of one: how far the values reach is told by
#: bins with few records.
THIN_BINS = np.array([0.125, 0.25, 0.5])

#: Share of the bins given to tails that the sketch has no counts for.
TAIL_SHARE = 0.02


@dataclass(frozen=True)
class NumberBlock:
    """The cells of a numerical column.

    Args:
        name: The column.
        edges: Borders of the cells, ascending, shape (number of cells + 1,).
        step: Granularity of the values; 0 for continuous ones.
        nullable: Whether values may be missing.
    """

    name: str
    edges: NDArray[np.float64]
    step: float
    nullable: bool

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return len(self.edges)

    @property
    def ordered(self) -> bool:
        """Whether the order of the codes means something."""
        return True

    def encode(self, column: pd.Series) -> NDArray[np.int64]:
        """Find the code of each value; values beyond the range count in its outermost cells."""
        values = read_numbers(column)
        codes = np.searchsorted(self.edges, values, side='right').astype(np.int64)
        codes = np.clip(codes, 1, self.size - 1)
        return np.where(np.isnan(values), 0 if self.nullable else -1, codes)

    def decode(self, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw a value inside each cell: uniformly, on the step grid if there is one."""
        low, high = self.edges[np.maximum(codes, 1) - 1], self.edges[np.maximum(codes, 1)]
        places = rng.random(len(codes))
        if self.step:
            # Edges lie in the middle between multiples.
            first, end = np.ceil(low / self.step), np.ceil(high / self.step)
            values = multiples(first + np.floor(places * (end - first)), self.step)
        else:
            values = low + places * (high - low)
        # Rounding up to the next cell would miss spikes, which are a single float wide.
        values = np.minimum(values, np.nextafter(high, low))
        return np.where(codes == 0, np.nan, values)


@dataclass(frozen=True)
class CategoryBlock:
    """The values of a categorical column.

    Args:
        name: The column.
        values: The values, without the missing one.
        ordered: Whether their order means something.
        nullable: Whether values may be missing.
    """

    name: str
    values: tuple[Hashable, ...]
    ordered: bool
    nullable: bool

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return len(self.values) + 1

    def encode(self, column: pd.Series) -> NDArray[np.int64]:
        """Find the code of each value, or else of one that is equal, as ``1`` and ``True``."""
        places, distinct = read_categories(column)
        equal = {value: code for code, value in enumerate(self.values, start=1)}
        same = {spell(value): code for code, value in enumerate(self.values, start=1)}
        found = [same.get(spell(value)) or equal.get(value, -1) for value in distinct]
        codes = np.array([*found, 0 if self.nullable else -1], dtype=np.int64)
        return np.asarray(codes[places])

    def decode(self, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.object_]:
        """Look up the value of each code; no randomness is needed."""
        return take_values(self.values, None, codes - 1)


Block = NumberBlock | CategoryBlock


def make_blocks(description: Description) -> tuple[Block, ...]:
    """Lay out the codes of every column, from what is public or released."""
    return tuple(
        _category_block(column)
        if isinstance(column, Category)
        else _number_block(column, description)
        for column in description.domain.columns
    )


def encode(table: pd.DataFrame, blocks: tuple[Block, ...]) -> NDArray[np.signedinteger]:
    """Encode a table.

    Formal guarantees:
        * a record's codes are a function of that record and of the blocks

    Args:
        table: The columns of the blocks.
        blocks: Their layout.

    Returns:
        Codes, shape (n, number of blocks), column by column in memory and in the smallest integers
        that hold them; -1 where a value is not on the list.
    """
    largest = max((block.size for block in blocks), default=1)
    codes = np.empty((len(table), len(blocks)), dtype=np.min_scalar_type(-largest), order='F')
    for at, block in enumerate(blocks):
        codes[:, at] = block.encode(table[block.name])
    return codes


def decode(
    codes: NDArray[np.int64], blocks: tuple[Block, ...], rng: np.random.Generator
) -> pd.DataFrame:
    """Turn codes, shape (n, number of blocks), back into a table."""
    decoded = {block.name: block.decode(codes[:, at], rng) for at, block in enumerate(blocks)}
    return make_table(decoded, pd.RangeIndex(len(codes)))


def quantile_edges(sketch: Sketch, low: float, high: float, num_bins: int) -> NDArray[np.float64]:
    """Cut a range into bins of about equal mass, as far as a sketch can tell.

    Args:
        sketch: Noisy counts of the column.
        low: Lower end of the range.
        high: Upper end of the range.
        num_bins: How many bins.

    Returns:
        Edges, ascending, distinct, from ``low`` to ``high``.
    """
    inside = sketch[(sketch.edges[:, 1] > low) & (sketch.edges[:, 0] < high)]
    total = max(float(np.maximum(inside.counts, 0).sum()), 1.0)
    counts = np.maximum(inside.counts, LEAST_SHARE * total)
    borders = np.concatenate([[low], np.clip(inside.edges[:, 1], low, high), [high]])
    tail = TAIL_SHARE * total if borders[-1] > borders[-2] else 0.0
    masses = np.cumsum(np.concatenate([[0.0], counts, [tail]]))
    shares = np.linspace(0, 1, num_bins + 1)
    shares = np.concatenate([THIN_BINS / num_bins, shares, 1 - THIN_BINS / num_bins])
    edges = np.interp(np.sort(shares) * masses[-1], masses, borders)
    edges[0], edges[-1] = low, high
    outside = (borders < edges[1 + len(THIN_BINS)]) | (borders > edges[-2 - len(THIN_BINS)])
    return np.unique(np.concatenate([edges, borders[outside]]))


def _category_block(column: Category) -> CategoryBlock:
    values = column.values or ()  # noqa: PD011 (no pandas)
    # Every block has a code that can occur: with no value known, the missing one.
    nullable = bool(column.nullable) or not values
    return CategoryBlock(column.name, values, column.ordered, nullable)


def _number_block(column: Number, description: Description) -> NumberBlock:
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 0.0
    low, high = inner_multiples(low, high, step) if step else (low, high)
    if is_lattice(column):
        cuts = np.arange(round(low / step), round(high / step) + 2, dtype=np.float64)
        edges = (cuts - 0.5) * step
    else:
        heavy = description.spikes.get(column.name, {})
        rest = _without(description.sketches[column.name], heavy)
        bins = quantile_edges(rest, low, high + step, MAX_BINS)
        spikes = np.array([value for value in heavy if low <= value <= high], dtype=np.float64)
        edges = _cut_lattice(bins, spikes, step) if step else _cut_anywhere(bins, spikes)
    if len(edges) < 2:
        edges = np.array([edges[0], np.nextafter(edges[0], np.inf)])
    return NumberBlock(column.name, edges, step, bool(column.nullable))


def _without(sketch: Sketch, spikes: Mapping[float, float]) -> Sketch:
    """Take the records of spikes, which get cells of their own, out of a sketch."""
    counts = sketch.counts.copy()
    for value, count in spikes.items():
        counts[(sketch.edges[:, 0] <= value) & (value < sketch.edges[:, 1])] -= count
    return Sketch(sketch.edges, counts, sketch.scale)


def _cut_lattice(
    bins: NDArray[np.float64], spikes: NDArray[np.float64], step: float
) -> NDArray[np.float64]:
    """Cut between the values of a lattice; a spike is a cell between two cuts."""
    cuts, heavy = np.round(bins / step), np.round(spikes / step)
    return np.asarray((np.unique(np.concatenate([cuts, heavy, heavy + 1])) - 0.5) * step)


def _cut_anywhere(bins: NDArray[np.float64], spikes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut anywhere; a spike is a cell that ends with the next float."""
    return np.unique(np.concatenate([bins, spikes, np.nextafter(spikes, np.inf)]))
