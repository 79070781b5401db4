"""Ranges of numbers, estimated from noisy counts on a grid that is the same for every table.

The grid is public, so its borders disclose nothing, and logarithmic, because the magnitude of
values is unknown. Noise gives every bin a count, so the occupied bins must be estimated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constants import DescribeConstants
from sdv_threea.domain import Column, Number

#: Borders of the public grid: powers of two from 2^-32 to 2^64 of either sign, each octave cut in
#: four. Numbers in the bin around zero count as zero; values beyond the grid count in its outermost
#: bins.
OCTAVES = np.arange(-32, 64)
PARTS = 4
_POSITIVE = np.append((2.0 ** OCTAVES[:, None] * (1 + np.arange(PARTS) / PARTS)).ravel(), 2.0**64)
PUBLIC_GRID = np.concatenate([-_POSITIVE[::-1], _POSITIVE])
NUM_BINS = len(PUBLIC_GRID) - 1
SMALLEST = 2.0**-32

#: Unit of evidence without noise: so small that a single record is significant for any number of
#: columns.
NO_NOISE = 0.05


@dataclass(frozen=True)
class Sketch:
    """Noisy counts of a numerical column in bins of the public grid.

    Args:
        edges: Ascending borders of the half-open bins ``[edge, next)``, shape (k, 2).
        counts: Noisy number of records in each bin, shape (k,).
        scale: Noise scale of each count, shape (k,), or of all; 0 for none.
        num_records: The approximate number of records, if known.
        of_times: Whether the numbers are times, in seconds.
        usual: A released range of similar numbers, if any.
    """

    edges: Floats
    counts: Floats
    scale: float | Floats
    num_records: float | None = None
    of_times: bool = False
    usual: tuple[float, float] | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower end of the first bin and the upper end of the last."""
        return float(self.edges[0, 0]), float(self.edges[-1, 1])

    @property
    def is_usual(self) -> bool:
        """Whether it is one bin, the range of similar numbers: nothing else is known."""
        return self.usual is not None and np.array_equal(self.edges, [self.usual])

    @property
    def scales(self) -> Floats:
        """The noise scale of each count, shape (k,)."""
        return np.broadcast_to(np.asarray(self.scale, dtype=np.float64), self.counts.shape)

    @property
    def units(self) -> Floats:
        """The units of evidence, shape (k,): the noise scales, or ``NO_NOISE`` without noise."""
        return np.where(self.scales > 0, self.scales, NO_NOISE)

    @property
    def evidence(self) -> Floats:
        """The counts, in units of their noise."""
        return self.counts / self.units

    def __getitem__(self, bins: NDArray[np.integer | np.bool_] | slice) -> Sketch:
        return replace(
            self, edges=self.edges[bins], counts=self.counts[bins], scale=self.scales[bins]
        )


def find_grid(column: Column) -> Floats:
    """Return the public grid of a numerical column, of at most ``NUM_BINS`` bins."""
    grid = column.grid if isinstance(column, Number) else None
    return PUBLIC_GRID if grid is None else np.array(grid)


def coarsen(column: Number) -> Number:
    """Return a column with a bin per octave. Times keep their bins: an octave is 17 years."""
    if column.of_times:
        return column
    borders = np.array(column.grid) if column.grid else _POSITIVE
    octaves = np.append(borders[:-1:PARTS], borders[-1])
    grid = octaves if column.grid else np.concatenate([-octaves[::-1], octaves])
    return replace(column, grid=tuple(grid.tolist()))


def occupied_borders(step: float) -> Floats:
    """Return the borders of the public grid, without bins that contain no multiple of a step."""
    bins = grid_sketch(np.zeros(NUM_BINS), 0.0, step).edges
    return np.append(bins[:, 0], bins[-1, 1])


def grid_bins(values: Floats, grid: Floats = PUBLIC_GRID) -> Wholes:
    """Return the bin of each value on a public grid, shape (n,)."""
    bins = np.searchsorted(grid, values, side='right') - 1
    return np.clip(bins, 0, len(grid) - 2).astype(np.int64)


def grid_sketch(
    counts: Floats, scale: float | Floats, step: float, grid: Floats = PUBLIC_GRID
) -> Sketch:
    """Return a sketch of noisy counts by the bins of a grid that contain multiples of ``step``."""
    edges, scales = np.stack([grid[:-1], grid[1:]], axis=1), np.broadcast_to(scale, counts.shape)
    sketch = Sketch(edges, counts[: len(edges)], scales[: len(edges)])
    if not step:
        return sketch
    # A bin contains a multiple if the first multiple from its lower border on lies in it.
    first = np.ceil(sketch.edges[:, 0] / step)
    return sketch[first * step < sketch.edges[:, 1]]


def leave_far(sketch: Sketch, num_looks: int, constants: DescribeConstants) -> Sketch:
    """Return the bins that a range may reach: usual bins, and others up to evident ones.

    If similar numbers have a released range, bins within its width of that range are usual.
    Otherwise usual times are known; births lie up to a century before 2000, so one more octave is
    usual before 2000. Without this limit, noise moved ends of masked dates to years such as 2319.
    """
    if sketch.usual is not None:
        low, high = sketch.usual
        low, high = low - (high - low), high + (high - low)
    elif sketch.of_times:
        most = constants.usual_times[1]
        low, high = -(2 ** (most + 1)), 2**most
    else:
        return sketch
    near = (sketch.edges[:, 1] > low) & (sketch.edges[:, 0] < high)
    found = np.append(np.flatnonzero(near), standing_out(sketch, num_looks, constants))
    return sketch[int(found.min()) : int(found.max()) + 1] if len(found) else sketch


def take_usual(sketch: Sketch) -> Sketch:
    """Return all counts of a sketch in one bin: the range of similar numbers."""
    counts = sketch.counts.sum(keepdims=True)
    noise = float(np.linalg.norm(sketch.scales))
    return replace(sketch, edges=np.array([sketch.usual]), counts=counts, scale=noise)


def occupied(sketch: Sketch, constants: DescribeConstants, *, num_looks: int) -> slice:
    """Return the bins between significant ones, or the likeliest run, with evident neighbours."""
    found = standing_out(sketch, num_looks, constants)
    if not len(found):
        found = np.asarray(likeliest_run(sketch, constants))
    first, last = int(found[0]), int(found[-1])
    signs = np.sign(sketch.edges.sum(axis=1))
    first -= _grow(sketch.evidence[:first][::-1], signs[: first + 1][::-1])
    last += _grow(sketch.evidence[last + 1 :], signs[last:])
    return slice(first, last + 1)


def _grow(evidence: Floats, signs: Floats) -> int:
    """Return how many bins in a row exceed their noise and have the sign of the range's end."""
    joined = (evidence > 1) & (signs[1:] == signs[0]) & (signs[0] != 0)
    return int(np.argmin(np.append(joined, False)))


def count_beyond(whole: Sketch, part: Sketch) -> tuple[tuple[float, float], ...]:
    """Return the noisy count of records below and above ``part``, each with its noise scale."""
    low, high = part.bounds
    outside = whole.edges[:, 1] <= low, whole.edges[:, 0] >= high
    return tuple(
        (float(whole.counts[bins].sum()), float(np.linalg.norm(whole.scales[bins])))
        for bins in outside
    )


def snap_to_zero(end: float) -> float:
    """Return zero for an end in the bin around zero."""
    return 0.0 if abs(end) <= SMALLEST else float(end)


def evident_runs(sketch: Sketch, num_looks: int, constants: DescribeConstants) -> Wholes:
    """Return the first and the last bin of each significant run, short runs first, shape (runs, 2).

    The threshold is higher for unusual numbers, so that noise does not make ranges absurd.
    """
    # All runs share the false alarm rate evenly (Bonferroni).
    looks = num_looks * NUM_BINS * len(constants.runs)
    bar = constants.clear_of_noise(looks)
    each = sketch.evidence, find_unlikely(sketch, constants)
    sums, penalties = (np.concatenate([[0.0], np.cumsum(one)]) for one in each)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for length in constants.runs:
        odd = (penalties[length:] - penalties[:-length]) / length
        # Half the squared evidence is a log likelihood. The noise of a sum grows with the root of
        # the number of bins.
        bars = np.sqrt(length * (bar**2 + 2 * odd))
        starts = np.flatnonzero(sums[length:] - sums[:-length] > bars)
        found.append(np.stack([starts, starts + length - 1], axis=1))
    return np.concatenate(found)


def standing_out(sketch: Sketch, num_looks: int, constants: DescribeConstants) -> Wholes:
    """Return the bins of significant runs that no shorter run explains.

    Longer runs include empty bins, but only long runs reveal values that are spread thinly around a
    heavy value. Bins that do not exceed their noise are left out.
    """
    found = np.zeros(len(sketch.counts), dtype=np.bool_)
    for length in sorted(constants.runs):
        left = replace(sketch, counts=np.where(found, 0.0, sketch.counts))
        runs = evident_runs(left, num_looks, constants)
        for first, last in runs[runs[:, 1] - runs[:, 0] == length - 1]:
            found[first : last + 1] |= left.evidence[first : last + 1] > 1
    return np.flatnonzero(found)


def likeliest_run(sketch: Sketch, constants: DescribeConstants) -> tuple[int, int]:
    """Return the first and the last bin of the run that most likely contains the values.

    This is for sketches without a significant run. Noise makes some run look full, so the prior
    matters: most numbers are positive, neither tiny nor huge.
    """
    each = sketch.evidence, find_unlikely(sketch, constants), 1 / sketch.units
    sums, penalties, precise = (np.concatenate([[0.0], np.cumsum(one)]) for one in each)
    best, found = -math.inf, (0, 0)
    for length in constants.runs:
        runs = (sums[length:] - sums[:-length]) / math.sqrt(length)
        odd = (penalties[length:] - penalties[:-length]) / length
        # Log likelihood ratio of a normal whose mean is the number of records or, if that is
        # unknown, the likeliest mean.
        mean = np.maximum(runs, 0.0)
        if sketch.num_records is not None:
            mean = sketch.num_records * (precise[length:] - precise[:-length]) / length**1.5
        likelihood = runs * mean - mean**2 / 2 - odd
        if len(likelihood) and likelihood.max() > best:
            first = int(np.argmax(likelihood))
            best, found = float(likelihood[first]), (first, first + length - 1)
    return found


def find_unlikely(sketch: Sketch, constants: DescribeConstants) -> Floats:
    """Return minus the log prior of values in each bin, relative to the likeliest, shape (k,)."""
    middles = sketch.edges.mean(axis=1)
    # The bin around zero is as likely as one around one.
    octaves = np.log2(np.where(middles == 0, 1.0, np.abs(middles)))
    low, high = constants.usual_times if sketch.of_times else constants.usual_octaves
    beyond = np.maximum(np.maximum(low - octaves, octaves - high), 0.0)
    # Times count from a date in the middle of those in use, so negative ones are usual; any other
    # number is as unusual if it is negative as if it were an octave beyond.
    negative = (middles < 0) & (not sketch.of_times)
    zero = (middles == 0) & (not sketch.of_times)
    return np.where(zero, 0.0, beyond + negative)
