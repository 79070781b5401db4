import numpy as np
import pytest

from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.ends import Looks, find_ends, step_out
from sdv_threea.describe.ranges import NUM_BINS, Sketch, grid_bins, grid_sketch

CONSTANTS = DescribeConstants()


def looks(num=1):
    return Looks(num, CONSTANTS.overshoot, CONSTANTS)


def look_twice(values, scale, rng):
    """Look at whole numbers from 0 to 127 by the public grid, and one by one."""
    noise = rng.normal(0, scale, NUM_BINS)
    grid = np.bincount(grid_bins(np.asarray(values, dtype=float)), minlength=NUM_BINS)
    single = np.bincount(values, minlength=128) + rng.normal(0, scale, 128)
    spans = np.stack([np.arange(128.0)] * 2, axis=1)
    return Sketch(spans, single, scale), grid_sketch(grid + noise, scale, 1.0)


def test_noise_hardly_ever_reaches_out(rng):
    assert step_out(np.zeros(0), looks()) == 0
    far = [step_out(rng.normal(size=60), looks()) > 0 for _ in range(4000)]
    # One of two ends, in one of two looks.
    assert np.mean(far) < CONSTANTS.overshoot / 2


def test_a_run_of_weak_bins_is_reached_and_so_is_what_lies_before_a_strong_one():
    assert step_out(np.array([2.0] * 8 + [0.0] * 20), looks()) >= 4
    assert step_out(np.array([0.0, 0.0, 9.0, 0.0, 0.0]), looks()) == 3


@pytest.mark.parametrize('num_looks', [1, 30])
def test_ends_lie_inside_the_values_and_near_their_ends(rng, num_looks):
    values = rng.integers(20, 81, size=20_000)
    found = [find_ends(*look_twice(values, 15.0, rng), looks(num_looks)) for _ in range(200)]
    inside = [20 <= low <= high <= 80 for low, high in found]

    assert np.mean(inside) > 1 - CONSTANTS.overshoot - 0.1
    assert np.mean([low <= 22 and high >= 78 for low, high in found]) > 0.75


def test_values_that_fade_out_end_where_they_can_be_told_from_noise(rng):
    values = np.minimum(rng.geometric(0.15, size=5_000), 127)
    for _ in range(50):
        low, high = find_ends(*look_twice(values, 10.0, rng), looks())
        assert low in (0, 1)
        assert 10 < high <= values.max() + 3


def test_where_nothing_stands_out_the_likeliest_bins_are_taken(rng):
    values = np.full(60, 40)
    found = [find_ends(*look_twice(values, 15.0, rng), looks()) for _ in range(100)]

    assert np.mean([low <= 48 and high >= 32 for low, high in found]) > 0.4


def test_without_noise_the_ends_are_exact(rng):
    second, sketch = look_twice(np.array([3, 9, 70]), 0.0, rng)

    assert find_ends(second, sketch, looks()) == (3.0, 70.0)
