from dataclasses import replace

import numpy as np
import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.ends import Looks, find_ends, guess_end, step_out
from sdv_threea.describe.ranges import NUM_BINS, Sketch, grid_bins, grid_sketch

CONSTANTS = DescribeConstants()


def looks(num=1, reach=CONSTANTS.reach):
    return Looks(num, reach, CONSTANTS)


def look_twice(values, scale, rng):
    """Look at whole numbers from 0 to 127 by the public grid, and one by one."""
    noise = rng.normal(0, scale, NUM_BINS)
    grid = np.bincount(grid_bins(np.asarray(values, dtype=float)), minlength=NUM_BINS)
    single = np.bincount(values, minlength=128) + rng.normal(0, scale, 128)
    spans = np.stack([np.arange(128.0)] * 2, axis=1)
    return Sketch(spans, single, scale), grid_sketch(grid + noise, scale, CONSTANTS.reach)


def test_noise_hardly_ever_reaches_out(rng):
    assert step_out(np.zeros(0), looks()) == 0
    often = looks()._replace(constants=DescribeConstants(false_alarm=0.1))
    far = [step_out(rng.normal(size=60), often) > 0 for _ in range(4000)]
    # One of two ends, in one of two looks.
    assert np.mean(far) < 0.05


def test_a_range_does_not_grow_for_a_record_or_two():
    """At a large epsilon the noise of a few columns is less than a record."""
    counts = np.array([2.0, 0.0, 0.0])
    assert step_out(counts / 0.2, looks(), 0.2) == 0
    assert step_out(3 * counts / 0.2, looks(), 0.2) == 1


@pytest.mark.parametrize('num_looks', [1, 30])
def test_ends_lie_near_those_of_the_values(rng, num_looks):
    values = rng.integers(20, 81, size=20_000)
    found = [find_ends(*look_twice(values, 15.0, rng), looks(num_looks)) for _ in range(200)]

    assert np.mean([18 <= low <= 22 and 78 <= high <= 82 for low, high in found]) > 0.9


@pytest.mark.parametrize('zeros', [0, 1_000, 20_000])
def test_a_frequent_zero_shows_nothing_of_where_the_others_end(zeros, rng):
    """The others are fewer than the share of records that may lie beyond sure ends."""
    values = np.append(1 + rng.poisson(rng.gamma(2, 8, 300)), np.zeros(zeros, dtype=int))
    found = []
    for _ in range(40):
        second, sketch = look_twice(np.minimum(values, 127), 25.0, rng)
        found.append(find_ends(second, replace(sketch, num_records=float(len(values))), looks(3)))

    assert 25 < np.median([high for _, high in found]) < 127


SHAPES = {
    'normal': lambda rng, n: rng.normal(0, 1, n),
    'uniform': lambda rng, n: rng.uniform(0, 1, n),
    'exponential': lambda rng, n: rng.exponential(1, n),
}


def look_at(values, scale, rng):
    """Look at numbers in a hundred bins that end a tenth beyond them."""
    margin = np.ptp(values) / 10
    edges = np.linspace(values.min() - margin, values.max() + margin, 101)
    counts = np.histogram(values, edges)[0] + rng.normal(0, scale, 100)
    return Sketch(np.stack([edges[:-1], np.nextafter(edges[1:], -np.inf)], axis=1), counts, scale)


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('scale', [5.0, 40.0])
def test_tails_end_where_few_records_are_left(rng, shape, scale):
    """Of 4,000 records; single codes have counts below the larger noise long before the end."""
    cut, past = [], []
    for _ in range(40):
        values = SHAPES[shape](rng, 4000)
        end = guess_end(look_at(values, scale, rng), looks())
        cut.append(np.mean(values > end))
        past.append((end - values.max()) / np.ptp(values))

    assert np.mean(cut) < (0.005 if scale < 40 else 0.025)
    assert np.mean(past) < 0.05
    look = look_at(values, scale, rng)
    assert guess_end(look, looks()) <= guess_end(look, looks(reach=1 - CONSTANTS.tail))


def test_a_single_value_is_no_part_of_a_tail(rng):
    """A third of the hours end at their cap."""
    edges = np.sort(np.append(np.arange(0.0, 101.0), np.nextafter(60, 61)))
    counts = np.where(edges[:-1] < 60, 30.0, 0.0)
    counts[60] = 900.0
    spans = np.stack([edges[:-1], np.nextafter(edges[1:], -np.inf)], axis=1)
    some = [Sketch(spans, counts + rng.normal(0, 15, 101), 15.0) for _ in range(40)]
    found = [guess_end(look, looks()) for look in some]

    assert np.median(found) < 63
    assert np.mean(np.array(found) < 75) > 0.8


def test_without_noise_the_ends_are_exact(rng):
    second, sketch = look_twice(np.array([3, 9, 70]), 0.0, rng)

    assert find_ends(second, sketch, looks()) == (3.0, 70.0)


def test_a_range_of_similar_numbers_stays_where_only_its_first_code_is_evident():
    """The others of 430 records are spread thinly: noise hides them, but they are somewhere."""
    counts = np.where(np.arange(96) == 0, 150.0, 3.0)
    starts = 100 * np.arange(96.0)
    second = Sketch(np.stack([starts, starts + 99], axis=1), counts, 23.0)
    for scale in (60.0, 200.0):  # with the larger noise, nobody knows where the bulk is
        sketch = Sketch(np.array([[0.0, 9_600.0]]), np.array([430.0]), scale, 430.0)
        usual = replace(sketch, usual=(0.0, 9_600.0))
        assert find_ends(second, usual, looks()) == (0.0, 9_600.0)
    assert find_ends(second, sketch, looks()) == (0.0, 0.0)


def test_negative_noise_before_an_evident_tail_is_no_number_of_records():
    """A tail of forty records starts three bins early, where noise took sixty away."""
    counts = np.array([0.0] * 10 + [40.0, 0.0, 0.0, -60.0, 40.0])
    edges = np.stack([np.arange(15.0), np.arange(1.0, 16.0)], axis=1)

    assert guess_end(Sketch(edges, counts, 2.0), looks()) >= 14
