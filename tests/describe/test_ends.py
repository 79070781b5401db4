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
    often = looks()._replace(overshoot=0.1)
    far = [step_out(rng.normal(size=60), often) > 0 for _ in range(4000)]
    # One of two ends, in one of two looks.
    assert np.mean(far) < often.overshoot / 2


def test_a_range_does_not_grow_for_a_record_or_two():
    """At a large epsilon the noise of a few columns is less than a record."""
    counts = np.array([2.0, 0.0, 0.0])
    assert step_out(counts / 0.2, looks(), 0.2) == 0
    assert step_out(2 * counts / 0.2, looks(), 0.2) == 1


@pytest.mark.parametrize('num_looks', [1, 30])
def test_ends_lie_inside_the_values_and_near_their_ends(rng, num_looks):
    values = rng.integers(20, 81, size=20_000)
    found = [find_ends(*look_twice(values, 15.0, rng), looks(num_looks)) for _ in range(200)]
    inside = [20 <= low <= high <= 80 for low, high in found]

    assert np.mean(inside) > 1 - CONSTANTS.overshoot - 0.1
    assert np.mean([low <= 22 and high >= 78 for low, high in found]) > 0.75


def test_without_noise_the_ends_are_exact(rng):
    second, sketch = look_twice(np.array([3, 9, 70]), 0.0, rng)

    assert find_ends(second, sketch, looks()) == (3.0, 70.0)
