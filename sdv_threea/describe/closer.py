"""Grids that are refined where numbers lie.

The public grid is logarithmic about zero, so numbers with a small spread far from zero, such as
years or pressures, share a few of its bins. Further looks split these bins until the numbers in
them fill several bins. The result hardly depends on where zero is, or on the unit of a column.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sdv_threea.arrays import Bools, Floats, Wholes
from sdv_threea.constants import FAR_OFF, HALF, SPLIT_BINS, DescribeConstants
from sdv_threea.describe.lattice import find_roundest
from sdv_threea.describe.ranges import (
    PARTS,
    SMALLEST,
    Sketch,
    find_grid,
    grid_bins,
    grid_sketch,
    standing_out,
)
from sdv_threea.domain import Number

#: A narrow cluster is first split into at most this many parts, each with about as many records as
#: noise; neighbouring parts are then merged again.
MOST_PARTS = 1024

#: The largest number of looks that split bins: then numbers about 1, where bins of the public grid
#: are ``1 / PARTS`` wide, are as close together as its smallest number.
MOST_SPLITS = math.ceil(-math.log2(PARTS * SMALLEST) / math.log2(MOST_PARTS))

#: A lone bin of less than this part of its numbers holds a single number. Set by hand.
TINY = 1e-6

#: Parts of a bin span at least this many floats.
FLOATS_PER_PART = 2.0**8


class Zone(NamedTuple):
    """A part of a grid to split: its ends, its new borders, and its evident records so far."""

    low: float
    high: float
    borders: Floats
    mass: float


@dataclass(frozen=True)
class Look:
    """Noisy counts of a column by the bins of its grid, and of usual codes, counted apart.

    Args:
        column: The column, whose grid has the bins.
        codes: Numbers that are often used for missing values, ascending, shape (c,).
        counts: Records in each of the k bins, and with each code, shape (k + c,).
        scales: The noise scales of the counts; infinite for bins that were not counted.
    """

    column: Number
    codes: Floats
    counts: Floats
    scales: Floats

    @property
    def num_bins(self) -> int:
        """Number of bins."""
        return len(self.counts) - len(self.codes)

    def sketch(self, step: float) -> Sketch:
        """Return the counts by bin, without bins that contain no multiple of a step."""
        bins = slice(self.num_bins)
        return grid_sketch(self.counts[bins], self.scales[bins], step, find_grid(self.column))

    def place(self, numbers: Floats) -> Wholes:
        """Return the place of each number among the counts, -1 for a missing one."""
        bins = grid_bins(numbers, find_grid(self.column))
        places = np.where(np.isnan(numbers), -1, bins)
        if len(self.codes):
            at = np.minimum(np.searchsorted(self.codes, numbers), len(self.codes) - 1)
            places = np.where(self.codes[at] == numbers, self.num_bins + at, places)
        known = np.isin(numbers, self.column.sentinels)
        return np.where(known, -1, places)

    def lies_beyond(self, low: float, high: float) -> Bools:
        """Return which counts are of numbers outside ``[low, high)``, borders of bins."""
        grid = find_grid(self.column)
        lows, highs = np.append(grid[:-1], self.codes), np.append(grid[1:], self.codes)
        return np.asarray((highs <= low) | (lows >= high))

    def average(self, counts: Floats, scales: Floats | float) -> Look:
        """Return the look averaged with other counts, by precision; surplus counts are ignored."""
        counts = counts[: len(self.counts)]
        scales = np.broadcast_to(np.asarray(scales, dtype=np.float64), counts.shape)
        fresh = np.isinf(self.scales) | (scales == 0)
        both = ~fresh & np.isfinite(scales)
        weight = np.where(fresh, 1.0, 0.0)
        weight[both] = self.scales[both] ** 2 / (self.scales[both] ** 2 + scales[both] ** 2)
        noise = np.where(fresh, scales, self.scales)
        noise[both] = scales[both] * np.sqrt(weight[both])
        return replace(self, counts=weight * counts + (1 - weight) * self.counts, scales=noise)

    def split(self, zones: list[Zone]) -> Look:
        """Return the look with new, uncounted bins in zones."""
        grid = find_grid(self.column)
        counts, scales, codes = self.counts, self.scales, slice(self.num_bins, None)
        kept = np.ones(len(grid), dtype=np.bool_)
        for zone in zones:
            kept &= (grid <= zone.low) | (grid >= zone.high)
        borders = np.unique(np.concatenate([grid[kept], *(zone.borders for zone in zones)]))
        old = np.searchsorted(grid, borders[:-1], side='right') - 1
        same = (grid[old] == borders[:-1]) & (grid[old + 1] == borders[1:])
        return replace(
            self,
            column=replace(self.column, grid=tuple(borders.tolist())),
            counts=np.concatenate([np.where(same, counts[old], 0.0), counts[codes]]),
            scales=np.concatenate([np.where(same, scales[old], np.inf), scales[codes]]),
        )

    def merge(self, starts: Wholes) -> Look:
        """Return the look with runs of bins merged; ``starts`` are the first bins of the runs."""
        bins, grid = slice(self.num_bins), find_grid(self.column)
        counts = np.add.reduceat(self.counts[bins], starts)
        scales = np.sqrt(np.add.reduceat(self.scales[bins] ** 2, starts))
        codes = slice(self.num_bins, None)
        return replace(
            self,
            column=replace(self.column, grid=tuple(np.append(grid[starts], grid[-1]).tolist())),
            counts=np.concatenate([counts, self.counts[codes]]),
            scales=np.concatenate([scales, self.scales[codes]]),
        )

    def restore(self, before: Look, low: float, high: float) -> Look:
        """Return the look with the bins and counts of an earlier look between two borders."""
        mine, theirs = find_grid(self.column), find_grid(before.column)
        first, end = np.searchsorted(mine, [low, high])
        inside = slice(*np.searchsorted(theirs, [low, high]))

        def join(own: Floats, old: Floats) -> Floats:
            return np.concatenate([own[:first], old[inside], own[end:]])

        return replace(
            self,
            column=replace(self.column, grid=tuple(join(mine, theirs).tolist())),
            counts=join(self.counts, before.counts),
            scales=join(self.scales, before.scales),
        )


def find_clusters(sketch: Sketch, num_looks: int, constants: DescribeConstants) -> list[Wholes]:
    """Return the evident bins of a sketch, by cluster, ascending."""
    return _part(sketch.edges, standing_out(sketch, num_looks, constants))


def _part(edges: Floats, found: Wholes) -> list[Wholes]:
    """Cut ascending bins at gaps that are wide relative to the bins on both sides."""
    if len(found) < 2:
        return [found] if len(found) else []
    gaps = edges[found[1:], 0] - edges[found[:-1], 1]
    if gaps.max() < FAR_OFF * (edges[found[-1], 1] - edges[found[0], 0]):
        return [found]
    at = int(np.argmax(gaps)) + 1
    return _part(edges, found[:at]) + _part(edges, found[at:])


def find_points(sketch: Sketch, num_looks: int, constants: DescribeConstants) -> dict[float, float]:
    """Return single numbers and their counts: the roundest in tiny, lone evident bins."""
    lone = [bins[0] for bins in find_clusters(sketch, num_looks, constants) if len(bins) == 1]
    spans = {at: sketch.edges[at].tolist() for at in lone}
    return {
        find_roundest(low, high): float(sketch.counts[at])
        for at, (low, high) in spans.items()
        if low * high > 0 and high - low < TINY * abs(low)
    }


def find_zones(look: Look, step: float, num_looks: int, constants: DescribeConstants) -> list[Zone]:
    """Return the zones of a look to split: the bins of narrow clusters, and bins around them."""
    sketch = look.sketch(step)
    clusters = find_clusters(sketch, num_looks, constants)
    zones: list[Zone] = []
    for bins in clusters:
        first, last = int(bins[0]), int(bins[-1])
        if not _is_narrow(sketch, first, last, step):
            continue
        length = last - first + 1
        low = float(sketch.edges[max(first - length, 0), 0])
        high = float(sketch.edges[min(last + length, len(sketch.counts) - 1), 1])
        low, high = (max(low, SMALLEST), high) if high > 0 else (low, min(high, -SMALLEST))
        if zones:
            low = max(low, zones[-1].high)
        if low < high:
            # A few records far off may be a single value, which needs fine parts.
            wanted = float(sketch.evidence[bins].sum())
            parts = wanted if wanted >= SPLIT_BINS else MOST_PARTS
            mass = float(sketch.counts[bins].sum())
            zones.append(Zone(low, high, _cut(low, high, step, parts), mass))
    return zones


def _is_narrow(sketch: Sketch, first: int, last: int, step: float) -> bool:
    """Return whether a cluster has few bins, lies far from zero, and can be split."""
    low, high = np.sort(np.abs([sketch.edges[first, 0], sketch.edges[last, 1]]))
    crosses = sketch.edges[first, 0] * sketch.edges[last, 1] <= 0
    if crosses or 2 * (last - first + 1) >= SPLIT_BINS or high > 4 * low:
        return False
    widest = float(np.diff(sketch.edges[first : last + 1], axis=1).max())
    return widest >= max(2 * step, FLOATS_PER_PART * SPLIT_BINS * float(np.spacing(high)))


def _cut(low: float, high: float, step: float, parts: float) -> Floats:
    """Return borders between two, with equally many multiples of the step in each bin."""
    parts = 2.0 ** round(math.log2(min(max(parts, SPLIT_BINS), MOST_PARTS)))
    if not step:
        return np.linspace(low, high, int(parts) + 1)
    each = max(math.ceil((high - low) / step / parts), 1)
    first = math.ceil(low / step) + each
    inner = (np.arange(first, math.ceil(high / step), each) - 0.5) * step
    return np.concatenate([[low], inner[inner > low], [high]])


def settle(
    look: Look,
    before: Look,
    zones: list[Zone],
    step: float,
    num_looks: int,
    constants: DescribeConstants,
) -> Look:
    """Merge the bins of each zone again, until counts clearly show which of them are occupied.

    If bins of no size are clear, a zone among others keeps the bins and counts of the earlier look;
    a single zone keeps the largest bins.
    """
    for low, high, _, mass_before in zones:
        grid = find_grid(look.column)
        first, end = np.searchsorted(grid, [low, high])
        size = 2 ** max(int(math.log2(max((end - first) / SPLIT_BINS, 1))), 0)
        outside = np.arange(look.num_bins)
        outside = outside[(outside < first) | (outside >= end)]
        best, most = None, mass_before
        while size:
            starts = np.sort(np.concatenate([outside, np.arange(first, end, size)]))
            merged = look.merge(starts)
            sketch = merged.sketch(step)
            inside = sketch[(sketch.edges[:, 0] >= low) & (sketch.edges[:, 1] <= high)]
            found = standing_out(inside, num_looks, constants)
            mass = float(inside.counts[found].sum())
            if mass >= HALF * most or (best is None and len(zones) == 1):
                best, most = merged, max(mass, most)
                if len(found) and found[-1] - found[0] + 1 >= SPLIT_BINS:
                    break
            elif best is not None:
                break
            size //= 2
        if best is None and np.isin([low, high], find_grid(before.column)).all():
            best = look.restore(before, low, high)
        look = best or look
    return look
