from dataclasses import replace

import numpy as np

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.bulk import likely_ends
from sdv_threea.describe.ranges import (
    NUM_BINS,
    PUBLIC_GRID,
    coarsen,
    find_grid,
    grid_bins,
    grid_sketch,
)
from sdv_threea.domain import Number

CONSTANTS = DescribeConstants()


def sketch_of(values, step, scale, rng, grid=PUBLIC_GRID):
    counts = np.bincount(grid_bins(values, grid), minlength=NUM_BINS)
    sketch = grid_sketch(counts + rng.normal(0, scale, NUM_BINS), scale, step, grid)
    return replace(sketch, num_records=float(len(values)))


def test_the_bulk_is_found_by_the_number_of_records_where_each_bin_says_little(rng):
    found = []
    for _ in range(60):
        values = rng.normal(100, 20, 400)
        sketch = sketch_of(values, 0.0, 22.0, rng)
        found.append(likely_ends(sketch, 1, CONSTANTS))
    lows, highs = zip(*(each for each in found if each is not None), strict=True)

    assert len(lows) > 40
    assert 60 < np.median(lows) < 100 < np.median(highs) <= 160
    assert likely_ends(replace(sketch, num_records=None), 1, CONSTANTS) is None


def test_coarse_bins_are_octaves_and_the_bin_around_zero_stays():
    grid = find_grid(coarsen(Number(name='number')))

    assert set(grid) <= set(PUBLIC_GRID)
    assert len(grid) == 2 * 97
    assert (grid[grid > 0][1:] / grid[grid > 0][:-1] == 2).all()
    assert (grid == -grid[::-1]).all()
