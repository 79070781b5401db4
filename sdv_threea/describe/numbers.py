"""Where numbers lie: noisy counts on the public grid, of one look at the rows or of two.

The first look finds the bulk of each column. The second counts what lies beyond, much closer: few
records have anything there, so all columns share what one counts, and the noise of a count does not
grow with their number.
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
from sdv_threea.describe.questions import RECORD_UNITS, Asked
from sdv_threea.describe.ranges import NUM_BINS, Sketch, evident_runs, find_grid, grid_sketch
from sdv_threea.domain import TIME_STEPS, Column, Number
from sdv_threea.privacy.rows import Rows

Floats = NDArray[np.float64]


def release_sketches(
    looks: tuple[Asked | None, Asked | None],
    rows: Rows[pd.DataFrame],
    columns: Sequence[Column],
    num_records: float | None,
    receipts: list[Receipt],
    constants: DescribeConstants,
) -> tuple[dict[str, Sketch], dict[str, Sketch]]:
    """Release where the numbers of each column lie.

    Formal guarantees:
        * the rows are read by the question and by
          :func:`~sdv_threea.describe.answers.count_tails`, and all passes through noise; where the
          second looks follows from what the first released

    Args:
        looks: The question of the first look, and that of the second; ``None`` for what is not
            asked.
        rows: The private rows.
        columns: The columns of the table, of which the granularity of numbers is known.
        num_records: The released number of records, if there is one.
        receipts: Those of the stage, to which these are added.
        constants: The constants of the stage.

    Returns:
        Two sketches of each column by name, of all bins of the grid that can have a value. The
        first says where numbers lie beyond the bulk, and not how many: too few, if records have
        several of them. The second has too few nowhere, but for noise: as many as if each record
        there had shared its count among all columns.
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
    # What a record adds that shares with no other column, and what one adds that shares with all.
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
    """Return where the bulk of a column begins and ends, at borders of bins; nowhere if unknown."""
    runs = evident_runs(sketch, num_looks, constants)
    if not len(runs):
        return math.inf, math.inf
    # A value lies in the last bin of each run or before, and one in its first or after.
    low, high = sorted((int(runs[:, 1].min()), int(runs[:, 0].max())))
    return float(sketch.edges[low, 0]), float(sketch.edges[high, 1])


def _lies_beyond(column: Column, bulk: tuple[float, float]) -> NDArray[np.bool_]:
    """Return which bins of the grid of a column lie beyond its bulk, shape (NUM_BINS,)."""
    grid, low, high = find_grid(column), *bulk
    beyond = np.zeros(NUM_BINS, dtype=np.bool_)
    beyond[: len(grid) - 1] = (grid[1:] <= low) | (grid[:-1] >= high)
    return beyond


def _average(first: tuple[Floats, float], second: tuple[Floats, float]) -> tuple[Floats, float]:
    """Average two looks at the same counts by precision; return the noise of that, too."""
    (counts, scale), (again, other) = first, second
    weight = other**2 / (scale**2 + other**2)
    return weight * counts + (1 - weight) * again, scale * math.sqrt(weight)
