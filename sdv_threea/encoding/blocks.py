"""Blocks: each column as a finite list of codes, one active code per record.

Code 0 is the missing value. A number has one code per cell of a grid, in ascending order: a cell is
a half-open interval, and a heavy single value is a cell of its own. A category has one code per
value. A record whose value is not on the list has code -1 there: it contributes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.describe import Description, is_lattice
from sdv_threea.encoding.ranges import Sketch

#: Cells of a number, unless each of its values is one: fine, as what is made of them is smoothed.
MAX_BINS = 96

#: Records that every cell of a sketch counts for at least, as a share of all: no cell of the public
#: grid inside the range may be left without a bin.
LEAST_SHARE = 0.002

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
        values = column.to_numpy(dtype=np.float64)
        codes = np.searchsorted(self.edges, values, side='right').astype(np.int64)
        codes = np.clip(codes, 1, self.size - 1)
        return np.where(np.isnan(values), 0 if self.nullable else -1, codes)

    def decode(self, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw a value inside each cell: uniformly, on the step grid if there is one."""
        low, high = self.edges[np.maximum(codes, 1) - 1], self.edges[np.maximum(codes, 1)]
        values = low + rng.random(len(codes)) * (high - low)
        if self.step:
            values = np.round(values / self.step) * self.step + 0.0
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
        """Find the code of each value."""
        lookup = {value: code for code, value in enumerate(self.values, start=1)}
        codes = column.map(lookup).fillna(-1).to_numpy(dtype=np.int64)
        return np.where(column.isna().to_numpy(), 0 if self.nullable else -1, codes)

    def decode(self, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.object_]:
        """Look up the value of each code; no randomness is needed."""
        values = np.empty(self.size, dtype=object)
        values[0] = None
        values[1:] = self.values
        return values[codes]


Block = NumberBlock | CategoryBlock


def make_blocks(description: Description) -> tuple[Block, ...]:
    """Lay out the codes of every column, from what is public or released."""
    return tuple(
        _category_block(column)
        if isinstance(column, Category)
        else _number_block(column, description)
        for column in description.domain.columns
    )


def encode(table: pd.DataFrame, blocks: tuple[Block, ...]) -> NDArray[np.int32]:
    """Encode a table.

    Formal guarantees:
        * a record's codes are a function of that record and of the blocks

    Args:
        table: The columns of the blocks.
        blocks: Their layout.

    Returns:
        Codes, shape (n, number of blocks); -1 where a value is not on the list.
    """
    codes = np.empty((len(table), len(blocks)), dtype=np.int32)
    for at, block in enumerate(blocks):
        codes[:, at] = block.encode(table[block.name])
    return codes


def decode(
    codes: NDArray[np.int64], blocks: tuple[Block, ...], rng: np.random.Generator
) -> pd.DataFrame:
    """Turn codes, shape (n, number of blocks), back into a table."""
    return pd.DataFrame(
        {block.name: block.decode(codes[:, at], rng) for at, block in enumerate(blocks)}
    )


def quantile_edges(sketch: Sketch, low: float, high: float, num_bins: int) -> NDArray[np.float64]:
    """Cut a range into bins of about equal mass, as far as a sketch can tell.

    Args:
        sketch: Noisy counts of the column.
        low: Lower end of the range.
        high: Upper end of the range.
        num_bins: How many bins.

    Returns:
        Edges, ascending, distinct, at most ``num_bins + 1``, from ``low`` to ``high``.
    """
    inside = sketch[(sketch.edges[:, 1] > low) & (sketch.edges[:, 0] < high)]
    total = max(float(np.maximum(inside.counts, 0).sum()), 1.0)
    counts = np.maximum(inside.counts, LEAST_SHARE * total)
    borders = np.concatenate([[low], np.clip(inside.edges[:, 1], low, high), [high]])
    tail = TAIL_SHARE * total if borders[-1] > borders[-2] else 0.0
    masses = np.cumsum(np.concatenate([[0.0], counts, [tail]]))
    edges = np.interp(np.linspace(0, masses[-1], num_bins + 1), masses, borders)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def _category_block(column: Category) -> CategoryBlock:
    return CategoryBlock(
        name=column.name,
        values=column.values or (),
        ordered=column.ordered,
        nullable=bool(column.nullable),
    )


def _number_block(column: Number, description: Description) -> NumberBlock:
    low, high, step = column.low or 0.0, column.high or 0.0, column.step or 0.0
    if is_lattice(column):
        edges = (np.arange(round(low / step), round(high / step) + 2) - 0.5) * step
    else:
        sketch = description.sketches[column.name]
        spikes = np.array(description.spikes.get(column.name, ()))
        spikes = spikes[(spikes >= low) & (spikes <= high)]
        if step:
            edges = _lattice_bins(sketch, low, high, step, spikes)
        else:
            edges = _continuous_bins(sketch, low, high, spikes)
    return NumberBlock(column.name, edges, step, bool(column.nullable))


def _lattice_bins(
    sketch: Sketch, low: float, high: float, step: float, spikes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Cut between the values of a lattice; a spike is a cell between two cuts."""
    bins = np.round(quantile_edges(sketch, low, high + step, MAX_BINS) / step)
    heavy = np.round(spikes / step)
    ends = [np.round(low / step), np.round(high / step) + 1]
    cuts = np.unique(np.concatenate([bins, heavy, heavy + 1, ends]))
    return np.asarray((cuts - 0.5) * step)


def _continuous_bins(
    sketch: Sketch, low: float, high: float, spikes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Cut anywhere; a spike is a cell that ends with the next float."""
    bins = quantile_edges(sketch, low, high, MAX_BINS)
    cuts = np.unique(np.concatenate([bins, spikes, np.nextafter(spikes, np.inf)]))
    if len(cuts) < 2:
        cuts = np.array([low, np.nextafter(low, np.inf)])
    return cuts
