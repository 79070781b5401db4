from dataclasses import replace

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


@pytest.mark.parametrize('sign', [1, -1])
def test_a_likely_bulk_ends_where_the_closer_look_sees_no_more_records(rng, sign):
    """The first look sees an octave of months up to 72: the noise beyond could hide many rows."""
    values = rng.integers(1, 73, size=6_000)
    spans = np.stack([np.arange(1.0, 128)] * 2, axis=1)
    borders = 2.0 ** np.arange(8)
    grid = np.histogram(values, borders)[0]
    single = np.bincount(values, minlength=128)[1:]
    ends = []
    for _ in range(100):
        second = Sketch(spans, single + rng.normal(0, 50, 127), 50.0)
        first = Sketch(
            np.stack([borders[:-1], borders[1:]], axis=1), grid + rng.normal(0, 45, 7), 45.0, 6_000
        )
        if sign < 0:
            second, first = (
                replace(each, edges=-each.edges[::-1, ::-1], counts=each.counts[::-1])
                for each in (second, first)
            )
        ends.append(find_ends(second, first, looks(3))[(sign + 1) // 2] * sign)
    assert np.median(ends) < 80
    assert np.mean(np.array(ends) > 100) < 0.35
    assert min(ends) > 60
