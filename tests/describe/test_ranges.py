import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.filling import find_range as widest
from sdv_threea.describe.ranges import (
    NUM_BINS,
    PUBLIC_GRID,
    SMALLEST,
    count_beyond,
    grid_bins,
    grid_sketch,
    occupied,
)

CONSTANTS = DescribeConstants()
occupied = partial(occupied, constants=CONSTANTS)


def sketch_of(values, step=0.0, scale=0.0, rng=None):
    counts = np.bincount(grid_bins(np.asarray(values, dtype=float)), minlength=NUM_BINS)
    noise = rng.normal(0, scale, NUM_BINS) if scale else 0.0
    return grid_sketch(counts + noise, scale, step)


def find_range(values, step=0.0, scale=0.0, rng=None, num_looks=1):
    sketch = sketch_of(values, step, scale, rng)
    return sketch[occupied(sketch, num_looks=num_looks)].bounds


def test_values_fall_into_half_open_bins():
    values = np.array([-5.0, 0.0, -0.0, SMALLEST, -SMALLEST, 1.0, 1.2499, 1.25, 3.3])
    bins = grid_bins(values)

    assert np.all((PUBLIC_GRID[bins] <= values) & (values < PUBLIC_GRID[bins + 1]))


def test_values_beyond_the_grid_fall_into_its_ends():
    values = np.array([-math.inf, -1e300, 1e300, math.inf, 2.0**64])

    assert grid_bins(values).tolist() == [0, 0] + [NUM_BINS - 1] * 3


@pytest.mark.parametrize('step', [0.01, 1.0, 86_400.0])
def test_only_bins_without_a_multiple_of_the_step_are_left_out(step, rng):
    multiples = step * rng.integers(-400, 400, size=500)
    kept = sketch_of(multiples, step)

    assert kept.counts.sum() == 500
    first = np.ceil(kept.edges[:, 0] / step) * step
    assert np.all((kept.edges[:, 0] <= first) & (first < kept.edges[:, 1]))
    assert len(kept.counts) < NUM_BINS


@pytest.mark.parametrize('num_looks', [1, 60, 1000])
def test_without_noise_the_range_holds_every_value(rng, num_looks):
    for values in (
        rng.normal(size=300),
        rng.lognormal(5, 3, size=300),
        -rng.gamma(1, 1e9, size=300),
        np.array([-1e12, 0.0, 1e-6, 99_999.0]),
        np.array([7.0]),
        np.zeros(3),
    ):
        low, high = find_range(values, num_looks=num_looks)
        assert low <= values.min() <= values.max() < high
        assert low == PUBLIC_GRID[grid_bins(values).min()]
        assert high == PUBLIC_GRID[grid_bins(values).max() + 1]


def test_without_values_and_noise_the_range_is_zero():
    assert find_range([]) == (-SMALLEST, SMALLEST)
    assert find_range([], step=1.0) == (-SMALLEST, SMALLEST)


def test_records_beyond_a_part_are_counted():
    whole = sketch_of([-7.0] * 5 + [1.0, 2.0, 3.0] + [99.0] * 2, 1.0, 0.0)
    part = whole[(whole.edges[:, 0] >= 1) & (whole.edges[:, 1] <= 4)]
    (below, _), (above, _) = count_beyond(whole, part)

    assert (below, above) == (5.0, 2.0)


def test_a_grid_of_one_bin_about_zero_has_a_range(rng):
    """Once, a fit of such a column, as a logarithm may be, ended with an error."""
    whole = sketch_of(rng.normal(0, 1e-9, 300), scale=3.0, rng=rng)
    one = whole[NUM_BINS // 2 : NUM_BINS // 2 + 1]
    one = replace(one, edges=np.array([[-0.5, 0.5]]))
    assert widest(one, 1, CONSTANTS).bounds == (-0.5, 0.5)
