"""Noisy counts of numbers on the public grid, from one look at the rows or two.

The first look finds the bulk of each column, the second counts the numbers beyond. Few records have
such numbers, so all columns share one count per record, and the noise does not grow with their
number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.accounting import Receipt
from sdv_threea.describe.answers import count_tails
from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.questions import Asked
from sdv_threea.describe.ranges import NUM_BINS, Sketch, evident_runs, find_grid, grid_sketch
from sdv_threea.domain import TIME_STEPS, Column, Number
from sdv_threea.privacy.rows import Rows
from sdv_threea.statistics.sensitivities import RECORD_UNITS

Floats = NDArray[np.float64]


def release_sketches(
    looks: tuple[Asked | None, Asked | None],
    rows: Rows[pd.DataFrame],
    columns: Sequence[Column],
    num_records: float | None,
    receipts: list[Receipt],
    constants: DescribeConstants,
) -> tuple[dict[str, Sketch], dict[str, Sketch]]:
    """Return two sketches of each column by name, and append their receipts to ``receipts``.

    The first sketch shows where numbers lie beyond the bulk; its counts are too low if records have
    several such numbers. The counts of the second are upper estimates, as if each record had shared
    its count among all columns. ``looks`` are the two questions, ``None`` if not asked.

    Formal guarantees: the rows are read by the question and by
    :func:`~sdv_threea.describe.answers.count_tails`, and all of it passes through noise; the bins
    of the second look follow from what the first released.
    """
    asked, closer = looks
    if asked is None:
        return {}, {}
    steps = {column.name: column.step or 0.0 for column in columns if isinstance(column, Number)}
    counts, receipt = asked.add_noise()
    receipts.append(receipt)
    scales = np.full(counts.shape, receipt.noise_scale)
    sketches = _sketch(asked.question.columns, counts, scales, steps, num_records)
    if closer is None:
        return sketches, sketches
    bulks = tuple(_find_bulk(sketch, len(sketches), constants) for sketch in sketches.values())
    numbers = closer.question.columns
    tails, again = closer.look(rows, partial(count_tails, numbers, bulks)).add_noise()
    receipts.append(again)
    beyond = np.stack([_lies_beyond(*each) for each in zip(numbers, bulks, strict=True)])
    # Bounds of one contribution: unshared, and shared by all columns.
    parts = RECORD_UNITS, math.isqrt(RECORD_UNITS**2 // len(numbers))
    both = []
    for part in parts:
        of_tails = tails / part, again.noise_scale / part
        mean, scale = _average((counts, receipt.noise_scale), of_tails)
        found = np.where(beyond, mean, counts), np.where(beyond, scale, scales)
        both.append(_sketch(numbers, *found, steps, num_records))
    return both[0], both[1]


def _sketch(
    columns: Sequence[Column],
    counts: Floats,
    scales: Floats,
    steps: Mapping[str, float],
    num_records: float | None,
) -> dict[str, Sketch]:
    """Return the sketch of each column, by name."""
    sketches = {}
    for column, row, noise in zip(columns, counts, scales, strict=True):
        sketch = grid_sketch(row, noise, steps[column.name], find_grid(column))
        of_times = isinstance(column, Number) and column.steps == TIME_STEPS
        sketches[column.name] = replace(sketch, num_records=num_records, of_times=of_times)
    return sketches


def _find_bulk(sketch: Sketch, num_looks: int, constants: DescribeConstants) -> tuple[float, float]:
    """Return the borders of the bulk of a column; ``(inf, inf)`` if there is none."""
    runs = evident_runs(sketch, num_looks, constants)
    if not len(runs):
        return math.inf, math.inf
    # A value lies in the last bin of each run or before, and one in its first bin or after.
    low, high = sorted((int(runs[:, 1].min()), int(runs[:, 0].max())))
    return float(sketch.edges[low, 0]), float(sketch.edges[high, 1])


def _lies_beyond(column: Column, bulk: tuple[float, float]) -> NDArray[np.bool_]:
    """Return which bins of the grid of a column lie beyond its bulk, shape (NUM_BINS,)."""
    grid, low, high = find_grid(column), *bulk
    beyond = np.zeros(NUM_BINS, dtype=np.bool_)
    beyond[: len(grid) - 1] = (grid[1:] <= low) | (grid[:-1] >= high)
    return beyond


def _average(first: tuple[Floats, float], second: tuple[Floats, float]) -> tuple[Floats, float]:
    """Return two looks at the same counts averaged by precision, and the noise scale."""
    (counts, scale), (again, other) = first, second
    weight = other**2 / (scale**2 + other**2)
    return weight * counts + (1 - weight) * again, scale * math.sqrt(weight)
