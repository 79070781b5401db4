"""Stated ranges that are wider than where records were found."""

from dataclasses import replace

import numpy as np
import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.filling import cut_range, cut_sketch, fill_values, find_range, find_vast
from sdv_threea.describe.ranges import NUM_BINS, Sketch, grid_bins, grid_sketch
from sdv_threea.domain import Category, Domain, Number


def make_sketch(*borders):
    edges = np.array([borders[:-1], borders[1:]], dtype=np.float64).T
    return Sketch(edges, np.full(len(edges), 50.0), 1.0)


@pytest.mark.parametrize(
    ('low', 'high', 'vast'),
    [(0.0, 79.0, False), (0.0, 81.0, True), (None, 1000.0, False), (None, None, False)],
)
def test_a_range_is_vast_if_it_is_many_times_as_wide_as_what_was_found(low, high, vast):
    domain = Domain((Number(name='x', low=low, high=high),))

    found = find_vast(domain, {'x': make_sketch(2.0, 4.0, 12.0)}, 8.0)

    assert found == (('x',) if vast else ())


def test_what_is_found_ends_within_what_is_stated():
    stated = Number(name='x', low=3.0, high=10.0)

    assert cut_sketch(make_sketch(1.0, 2.0, 4.0, 8.0, 16.0, 32.0), stated).bounds == (2.0, 16.0)
    cut = cut_range(Number(name='x', low=2.0, high=16.0), stated)
    assert (cut.low, cut.high) == (3.0, 10.0)


def test_noise_alone_moves_no_date_into_far_years(rng):
    """Two hundred dates of 1997 among noise: with a count that is evident, 2319 is reached."""
    of_year = 365.25 * 86_400 * (np.array([1997.5, 2319.0]) - 2000)
    counts = np.zeros(NUM_BINS)
    counts[grid_bins(of_year[:1])] = 200.0
    far = counts.copy()
    far[grid_bins(of_year[1:])] = 2000.0
    ends = {False: [], True: []}
    for _ in range(100):
        noise = rng.normal(0, 60.0, NUM_BINS)
        for is_far, own in ((False, counts), (True, far)):
            sketch = grid_sketch(own + noise, 60.0, 86_400.0)
            sketch = replace(sketch, num_records=own.sum(), of_times=True)
            ends[is_far].append(find_range(sketch, 3, DescribeConstants()).bounds)
    low, high = 2000 + np.array(ends[False]).T / (365.25 * 86_400)

    assert (low.min(), high.max()) == pytest.approx((1898, 2051), abs=1)
    assert min(high for _, high in ends[True]) > of_year[1]


def test_a_masked_number_gets_the_range_of_similar_ones_and_an_evident_one_its_own(rng):
    usual, ends = (20.0, 90.0), {0.0: [], 5000.0: []}
    for records, found in ends.items():
        for _ in range(50):
            counts = rng.normal(0, 60.0, NUM_BINS)
            counts[grid_bins(np.array([700.0]))] += records
            sketch = replace(grid_sketch(counts, 60.0, 1.0), num_records=100.0, usual=usual)
            found.append(find_range(sketch, 3, DescribeConstants()).bounds)

    assert set(ends[0.0]) == {usual}
    assert all(-60 <= low <= 700 < high for low, high in ends[5000.0])


@pytest.mark.parametrize(
    ('released', 'filled', 'ordered'),
    [
        ((1, 10, 2, 9), (1, 2, 9, 10), True),
        (('10', '2.5', '-1'), ('-1', '2.5', '10'), True),
        (('large', 'small'), ('large', 'small'), False),
        (('1', 'nan'), ('1', 'nan'), False),
        ((), (), True),
    ],
)
def test_released_levels_are_in_order_only_where_they_are_numbers(released, filled, ordered):
    levels = fill_values(Category(name='x', ordered=True), {'x': released})
    assert (levels.values, levels.ordered) == (filled, ordered)
    assert not fill_values(Category(name='x'), {'x': released}).ordered


@pytest.mark.parametrize(
    ('value', 'step', 'bounds'),
    [(-7.0, 1.0, (-10.0, -5.0)), (7.0, 1.0, (6.0, 10.0)), (-7.0, 0.0, (-8.0, -5.0))],
)
def test_whole_numbers_from_seven_on_may_reach_nine(value, step, bounds):
    """The codes 7, 8 and 9 come together, and noise masks the rarer ones."""
    counts = np.zeros(NUM_BINS)
    counts[grid_bins(np.array([value]))] = 2000.0
    sketch = grid_sketch(counts, 60.0, step)

    assert find_range(sketch, 3, DescribeConstants(), step).bounds == bounds
