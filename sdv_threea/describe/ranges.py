"""Ranges of numerical columns, read off noisy counts on a grid that is the same for every table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.domain import Column, Number

#: The public grid: powers of two from 2^-32 to 2^64 of either sign, each octave in four parts, and
#: one cell around zero: no finer number is told from zero. Values beyond count in the outermost
#: cells.
OCTAVES = np.arange(-32, 64)
PARTS = 4
_POSITIVE = np.append((2.0 ** OCTAVES[:, None] * (1 + np.arange(PARTS) / PARTS)).ravel(), 2.0**64)
PUBLIC_GRID = np.concatenate([-_POSITIVE[::-1], _POSITIVE])
NUM_BINS = len(PUBLIC_GRID) - 1
SMALLEST = 2.0**-32

#: What counts without noise are measured by instead: a single record stands out, however many
#: columns are looked at.
NO_NOISE = 0.05


@dataclass(frozen=True)
class Sketch:
    """Noisy counts of a numerical column on cells of the public grid.

    Args:
        edges: Borders of the cells, ascending; cells are half-open ``[edge, next)``, shape (k, 2).
        counts: Noisy number of records in each cell, shape (k,).
        scale: Standard deviation of the noise of each count; 0 for none.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.float64]
    scale: float

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower end of the first cell and upper end of the last."""
        return float(self.edges[0, 0]), float(self.edges[-1, 1])

    @property
    def evidence(self) -> NDArray[np.float64]:
        """The counts, in units of their noise."""
        return self.counts / (self.scale or NO_NOISE)

    def __getitem__(self, cells: NDArray[np.integer | np.bool_] | slice) -> Sketch:
        return Sketch(self.edges[cells], self.counts[cells], self.scale)


def find_grid(column: Column) -> NDArray[np.float64]:
    """Find the public grid of a numerical column, of at most ``NUM_BINS`` cells."""
    grid = column.grid if isinstance(column, Number) else None
    return PUBLIC_GRID if grid is None else np.array(grid)


def occupied_borders(step: float) -> NDArray[np.float64]:
    """List the borders of the public grid, less cells that hold no multiple of a step."""
    cells = grid_sketch(np.zeros(NUM_BINS), 0.0, step).edges
    return np.append(cells[:, 0], cells[-1, 1])


def grid_bins(
    values: NDArray[np.float64], grid: NDArray[np.float64] = PUBLIC_GRID
) -> NDArray[np.int64]:
    """Locate values on a public grid, shape (n,), in ``[0, number of cells)``."""
    cells = np.searchsorted(grid, values, side='right') - 1
    return np.clip(cells, 0, len(grid) - 2).astype(np.int64)


def grid_sketch(
    counts: NDArray[np.float64], scale: float, step: float, grid: NDArray[np.float64] = PUBLIC_GRID
) -> Sketch:
    """Make a sketch of noisy counts on a public grid, without cells that no value can fall into.

    Args:
        counts: Noisy counts, shape (NUM_BINS,); those beyond the cells of the grid are left out.
        scale: Standard deviation of their noise.
        step: Granularity of the values; 0 for continuous ones.
        grid: Borders of the cells, ascending.

    Returns:
        The sketch.
    """
    sketch = Sketch(np.stack([grid[:-1], grid[1:]], axis=1), counts[: len(grid) - 1], scale)
    if not step:
        return sketch
    first = np.ceil(sketch.edges[:, 0] / step)
    return sketch[first * step < sketch.edges[:, 1]]


def occupied(
    sketch: Sketch, constants: DescribeConstants, *, num_looks: int, generosity: float = 1.0
) -> slice:
    """Find the cells from the first to the last that the noise can tell from empty ones.

    A cell far from all others, or a run of them, counts only if noise alone would hardly ever reach
    its count; from there the range grows outwards over neighbours with weaker evidence, but never
    across zero into the other sign.

    Args:
        sketch: The noisy counts.
        constants: The constants of the stage.
        num_looks: How many columns are looked at, for the chance of a false alarm.
        generosity: Factor on the evidence asked of neighbours; below 1 lets the range grow more.

    Returns:
        The cells, at least one: the likeliest, if none stands out.
    """
    evidence = sketch.evidence
    found = _standing_out(evidence, num_looks, constants)
    if not len(found):
        found = np.asarray(likeliest_run(sketch.edges, evidence, constants))
    signs = np.sign(sketch.edges.sum(axis=1))
    reach = partial(_reach, generosity=generosity, constants=constants)
    low = found[0] - reach(evidence[: found[0]][::-1], signs[: found[0] + 1][::-1])
    high = found[-1] + reach(evidence[found[-1] + 1 :], signs[found[-1] :])
    return slice(int(low), int(high) + 1)


def extend_tails(sketch: Sketch, thin: float) -> tuple[float, float]:
    """Bound the values of occupied cells, tails included that are too thin to be counted.

    Where the last counts fade out, an exponential tail through them is followed to where half a
    record would be left; a range that ends in a full cell ends there.

    Args:
        sketch: The noisy counts of the occupied cells.
        thin: Only a bin with a count of at most this many noise scales has a tail beyond it.

    Returns:
        The lower and the upper bound (the latter exclusive).
    """
    low, high = sketch.bounds
    if not sketch.scale or len(sketch.counts) < 2:
        return low, high
    below = low - _tail_length(sketch, 0, 1, thin)
    above = high + _tail_length(sketch, -1, -2, thin)
    # A tail does not make an amount negative.
    return (max(below, 0.0) if low >= 0 else below), (min(above, 0.0) if high <= 0 else above)


def snap_to_zero(low: float, high: float) -> tuple[float, float]:
    """End a range at zero that ends in the cell around it."""
    return (low if abs(low) > SMALLEST else 0.0), (high if abs(high) > SMALLEST else 0.0)


def evident_runs(
    evidence: NDArray[np.float64], num_looks: int, constants: DescribeConstants
) -> NDArray[np.int64]:
    """Find the runs that noise alone would hardly ever reach, shortest first: first, last cell."""
    looks = num_looks * NUM_BINS * len(constants.runs)
    bar = -float(ndtri(constants.false_alarm / looks))
    sums = np.concatenate([[0.0], np.cumsum(evidence)])
    found = [np.zeros((0, 2), dtype=np.int64)]
    for length in constants.runs:
        starts = np.flatnonzero(sums[length:] - sums[:-length] > bar * math.sqrt(length))
        found.append(np.stack([starts, starts + length - 1], axis=1))
    return np.concatenate(found)


def _standing_out(
    evidence: NDArray[np.float64], num_looks: int, constants: DescribeConstants
) -> NDArray[np.int64]:
    """Find the cells of the shortest runs that stand out."""
    runs = evident_runs(evidence, num_looks, constants)
    lengths = runs[:, 1] - runs[:, 0]
    cells = [np.arange(*run) for run in runs[lengths == lengths.min(initial=NUM_BINS)] + [0, 1]]
    found = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *cells]))
    return np.asarray(found[evidence[found] > constants.outermost])


def likeliest_run(
    edges: NDArray[np.float64], evidence: NDArray[np.float64], constants: DescribeConstants
) -> tuple[int, int]:
    """Find the run that evidence speaks for most, and next that is not of odd magnitude."""
    middles = np.abs(edges.mean(axis=1))
    octaves = np.abs(np.log2(np.where(middles == 0, 1.0, middles)))
    penalty = constants.per_octave * octaves
    sums, penalties = (np.concatenate([[0.0], np.cumsum(each)]) for each in (evidence, penalty))
    best, found = -math.inf, (0, 0)
    for length in constants.runs:
        runs = (sums[length:] - sums[:-length]) / math.sqrt(length)
        odd = (penalties[length:] - penalties[:-length]) / length
        likelihood = np.maximum(runs, 0) ** 2 / 2 - odd
        if len(likelihood) and likelihood.max() > best:
            first = int(np.argmax(likelihood))
            best, found = float(likelihood[first]), (first, first + length - 1)
    return found


def _reach(
    evidence: NDArray[np.float64],
    signs: NDArray[np.float64],
    *,
    generosity: float,
    constants: DescribeConstants,
) -> int:
    """Count the neighbours, nearest first, that belong to the range; ``signs`` starts inside it."""
    if not signs[0]:
        return 0
    evidence = evidence[: int(np.minimum.accumulate(signs[1:] == signs[0]).sum())]
    reach = 0
    while True:
        run = evidence[reach : reach + constants.run_length]
        length = np.arange(1, len(run) + 1)
        needed = generosity * np.where(length == 1, constants.next_bin, constants.next_run)
        enough = np.flatnonzero(np.cumsum(run) / np.sqrt(length) > needed)
        if not len(enough):
            return reach
        reach += int(enough[0]) + 1


def _tail_length(sketch: Sketch, last: int, previous: int, thin: float) -> float:
    """Follow the exponential through the last two cells to where half a record is left."""
    around_zero = bool(sketch.edges[last].sum() == 0)
    if around_zero or sketch.counts[last] > thin * sketch.scale:
        return 0.0
    widths = np.diff(sketch.edges, axis=1)[:, 0]
    densities = np.maximum(sketch.counts, sketch.scale) / widths
    distance = abs(float(np.diff(sketch.edges[[last, previous]].mean(axis=1))[0]))
    rate = math.log(densities[previous] / densities[last]) / distance
    if rate <= 0:
        return 0.0
    beyond = densities[last] * math.exp(-rate * widths[last] / 2) / rate
    edge = float(np.abs(sketch.edges[last]).max())
    return float(np.clip(math.log(max(beyond, 0.5) / 0.5) / rate, 0.0, edge))
