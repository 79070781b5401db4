"""The ends of a range that has to be estimated: values that a column reaches beyond doubt.

A sampled value outside the real range is an invalid one, so ranges end inside the evidence: where a
run of cells can be told from noise there is a record in it, and values reach its inner end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.ranges import (
    NO_NOISE,
    SMALLEST,
    Sketch,
    evident_runs,
    likeliest_run,
)


class Looks(NamedTuple):
    """How a range is looked for.

    Args:
        num: How many columns are looked at, for the chance of an error.
        overshoot: Chance that any range ends beyond the values of its column.
        constants: The constants of the stage.
    """

    num: int
    overshoot: float
    constants: DescribeConstants


def find_ends(second: Sketch, sketch: Sketch, looks: Looks) -> tuple[float, float]:
    """Find the ends of a range, from two looks at a column.

    Args:
        second: The closer look: noisy counts of cells; their ``edges`` are the first and the last
            value of each.
        sketch: The first look, on the public grid.
        looks: How the range is looked for.

    Returns:
        The lower and the upper end; in reverse order if it is only known that some value lies
        between them; the middle of the likeliest cells if not even that.
    """
    # Where each value has a cell, those cells nest in the cells of the sketch.
    nested = bool((second.edges[:, 0] == second.edges[:, 1]).all())
    first_look = _combine(sketch, second) if nested else sketch
    reached = [(each.edges, _reached(each.evidence, looks)) for each in (first_look, second)]
    # No number inside the cell around zero is told from zero.
    found = [
        (_snap(edges[low, 1]), _snap(edges[high, 0]))
        for edges, cells in reached
        for low, high in cells
    ]
    if not found:
        first, last = likeliest_run(sketch.edges, sketch.evidence, looks.constants)
        margin = (last - first + 1) // 4
        return float(sketch.edges[first + margin, 0]), float(sketch.edges[last - margin, 1])
    lows, highs = zip(*found, strict=True)
    mirrored = Sketch(-second.edges[::-1, ::-1], second.counts[::-1], second.scale)
    low = -_reach(mirrored, -min(lows), looks)
    return low, _reach(second, max(highs), looks)


def step_out(evidence: NDArray[np.float64], looks: Looks) -> int:
    """Count the cells, nearest first, that values are sure to reach.

    Args:
        evidence: Counts of the cells beyond a reached one, in units of their noise, shape (n,).
        looks: How the range is looked for.

    Returns:
        How many cells in a row start a run that noise alone would hardly ever reach.
    """
    # Half the chance for the next cell at both ends of each column, half for longer runs.
    part, lengths = looks.overshoot / (4 * looks.num), looks.constants.runs
    reached = np.zeros(len(evidence) + 1, dtype=np.bool_)
    sums = np.concatenate([[0.0], np.cumsum(evidence)])
    for length in lengths:
        runs = sums[length:] - sums[:-length]
        bar = -ndtri(part if length == 1 else part / (len(lengths) - 1))
        reached[: len(runs)] |= runs > bar * math.sqrt(length)
    return int(np.argmin(reached))


def _reached(evidence: NDArray[np.float64], looks: Looks) -> list[tuple[int, int]]:
    """Find ``(low, high)``: some value is in cell ``low`` or before, some in ``high`` or after."""
    runs = evident_runs(evidence, looks.num, looks.constants)
    if not len(runs):
        return []
    low, high = int(runs[:, 1].min()), int(runs[:, 0].max())
    low -= step_out(evidence[:low][::-1], looks)
    return [(low, high + step_out(evidence[high + 1 :], looks))]


def _reach(second: Sketch, end: float, looks: Looks) -> float:
    """Find the upper end, from a value that is reached."""
    values = second.edges[:, 0]
    last = max(int(np.searchsorted(values, end, side='right')) - 1, 0)
    last += step_out(second.evidence[last + 1 :], looks)
    return max(end, float(values[last]))


def _snap(end: float) -> float:
    return 0.0 if abs(end) <= SMALLEST else float(end)


def _combine(sketch: Sketch, second: Sketch) -> Sketch:
    """Average two looks at the cells of a sketch by their precision, in units of their noise.

    The edges of the average are the first and the last value of each cell.
    """
    cells = np.searchsorted(sketch.edges[:, 0], second.edges[:, 0], side='right') - 1
    # A bound that is public may leave cells of the sketch outside.
    inside, cells = np.unique(np.maximum(cells, 0), return_inverse=True)
    sketch = sketch[inside]
    again = np.bincount(cells, second.counts)
    precision = (sketch.scale or NO_NOISE) ** -2
    precision_again = (second.scale or NO_NOISE) ** -2 / np.bincount(cells)
    total = precision + precision_again
    mean = (sketch.counts * precision + again * precision_again) / total
    first, end = (
        np.searchsorted(cells, np.arange(len(inside)), each) for each in ('left', 'right')
    )
    edges = np.stack([second.edges[first, 0], second.edges[end - 1, 1]], axis=1)
    return Sketch(edges, mean * np.sqrt(total), 1.0)
