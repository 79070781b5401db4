import math

import numpy as np
import pytest

from sdv_threea.constants import DescribeConstants
from sdv_threea.describe.granularity import (
    StepCounts,
    count_codes,
    find_heaps,
    list_steps,
    read_counts,
    step_codes,
)
from sdv_threea.describe.likely_steps import find_sizes, likely_step
from sdv_threea.describe.ranges import NUM_BINS, grid_bins, grid_sketch
from sdv_threea.domain import DECIMAL_STEPS, EVERY_STEP, TIME_STEPS, Number

CONSTANTS = DescribeConstants()
BAR = CONSTANTS.clear_of_noise(15)


def count(values, steps=DECIMAL_STEPS, scale=0.0, noise=0.0):
    codes = count_codes(np.asarray(values, dtype=float), steps)
    counts = np.bincount(codes[codes >= 0], minlength=len(steps) + 2)
    return read_counts(counts + noise, steps, scale)


def sketch_of(values, rng, scale=32.0):
    counts = np.bincount(grid_bins(values), minlength=NUM_BINS)
    return grid_sketch(counts + scale * rng.normal(size=NUM_BINS), scale, 0.0)


def find_step(*told, **known):
    return likely_step(count(*told, **known))


def test_every_number_has_the_coarsest_step_it_is_a_multiple_of():
    values = np.array([3, -7.0, 0.0, 0.3, 1.25, 0.001, 12.3456, math.pi, np.nan, 1e200, 5e-11])
    none = len(DECIMAL_STEPS)

    assert step_codes(values, DECIMAL_STEPS).tolist() == [0, 0, 0, 1, 2, 3, 4, none, -1, 0, none]


def test_a_zero_says_nothing_of_whether_numbers_are_round(rng):
    steps = EVERY_STEP
    values = np.array([3e6, 20_000, 500, 75, 40, 15, 14, 7, 7.5, 0.5, 0.75, 0.625, 0.35, 0.36])
    zeros = np.array([0.0, -0.0])

    found = [steps[code] for code in step_codes(values, steps)]

    assert found == [1e6, 1e4, 500, 25, 20, 5, 2, 1, 2.5, 0.5, 0.25, 0.125, 0.05, 0.01]
    assert count_codes(values, steps).tolist() == step_codes(values, steps).tolist()
    assert step_codes(zeros, steps).tolist() == [0, 0]
    assert count_codes(zeros, steps).tolist() == [len(steps) + 1] * 2
    assert find_step([], steps) == 1.0
    few = np.round(rng.lognormal(0, 1, 300), 3)
    assert find_step([*[0.0] * 10_000, *few], scale=40.0) == 0.001


def test_the_number_of_records_tells_how_many_numbers_are_finer(rng):
    steps, scale, of_total = EVERY_STEP, 240.0, 170.0

    def find(finer, *, known):
        """Return the share of 200 releases that have numbers in ten thousands."""
        counts = np.zeros((200, len(steps) + 1))
        places = [steps.index(each) for each in (1e5, 1e4, 1e3)]
        counts[:, places] = 4_500, 25_500 - finer, finer
        found = []
        for row in counts + scale * rng.normal(size=counts.shape):
            own, total = StepCounts(row, steps, scale), 30_000 + of_total * rng.normal()
            found.append(likely_step(own._replace(total=(total, of_total)) if known else own))
        return np.mean(np.array(found) == 10_000)

    assert min(find(0, known=True), find(0, known=False)) > 0.95
    assert find(1_800, known=True) < 0.05


def test_rounding_of_a_few_operations_is_forgiven():
    values = np.array([0.1 + 0.2, 0.1 + 0.2 - 0.3, 1.1 * 3, 1e6 + 0.01])

    assert step_codes(values, DECIMAL_STEPS).tolist() == [1, 0, 1, 2]


def test_moments_of_a_day_are_not_mistaken_for_days(rng):
    days = 86_400.0 * rng.integers(7000, 10_000, size=400)

    assert find_step(days, TIME_STEPS) == 86_400.0
    assert find_step(days + 3600 * 7, TIME_STEPS) == 3600.0
    assert find_step(days + 60 * rng.integers(0, 1440, size=400), TIME_STEPS) == 60.0
    assert find_step(days + rng.integers(0, 86_400, size=400), TIME_STEPS) == 1.0
    assert find_step(days + rng.integers(0, 10**6, size=400) / 1000, TIME_STEPS) == 0.0


@pytest.mark.parametrize('scale', [0.0, 20.0])
@pytest.mark.parametrize('step', [0.125, 0.25, 2.0, 2.5, 20.0, 25.0, 250.0])
def test_a_step_need_not_divide_all_coarser_ones(step, scale, rng):
    """Quarters are no multiples of a tenth."""
    values = step * rng.integers(1, 400, size=4000)
    counts = count(values, EVERY_STEP, scale, scale * rng.normal(size=len(EVERY_STEP) + 2))

    assert likely_step(counts._replace(total=(4000.0, scale))) == step
    assert not find_heaps(counts, step, {}, BAR)


def test_numbers_of_a_known_step_may_be_multiples_of_a_coarser_one(rng):
    steps = list_steps(Number(name='x', step=1.0))
    values = rng.integers(1, 90, size=4000)

    def find(factor, scale=0.0):
        own = count(factor * values, steps, scale)._replace(known=1.0)
        return likely_step(own._replace(total=(4000.0, scale)))

    assert steps[-1] == 1.0
    assert [find(1), find(500), find(500, 20.0), find(500, 900.0)] == [1.0, 500.0, 500.0, 1.0]
    assert list_steps(Number(name='x', step=86_400.0, steps=TIME_STEPS)) == (86_400.0,)


def test_a_step_that_cannot_be_told_from_noise_is_not_believed_in():
    assert find_step([1.0] * 500, scale=100.0) == 1.0
    assert find_step([1.0] * 5, scale=100.0) == 0.0
    assert find_step([1.0] + [math.pi] * 5, scale=100.0) == 0.0


def test_finer_numbers_that_the_noise_does_not_hide_are_kept():
    assert find_step([1.0] * 500 + [math.pi] * 50, scale=100.0) == 1.0
    assert find_step([1.0] * 500 + [math.pi] * 400, scale=100.0) == 0.0


@pytest.mark.parametrize(
    ('numbers', 'step'),
    [
        (lambda rng: np.round(rng.lognormal(-1, 1.6, 300), 4), 0.0001),
        (lambda rng: rng.integers(1, 60, 300) - 0.01, 0.01),  # prices
        (lambda rng: rng.poisson(4, 300) + 1.0, 1.0),
    ],
)
@pytest.mark.parametrize('zeros', [0, 9_700])
def test_a_step_is_likely_by_all_counts_together(numbers, step, zeros, rng):
    """No count alone is clear of noise: the largest is three times as large."""
    values = np.append(numbers(rng), np.zeros(zeros))
    exact, found = count(values, EVERY_STEP, 80.0), []
    for _ in range(100):
        counts = exact.counts + 80 * rng.normal(size=len(EVERY_STEP) + 1)
        own = exact._replace(counts=counts, zeros=exact.zeros + 80 * rng.normal())
        own = own._replace(total=(len(values) + 40 * rng.normal(), 40.0))
        found.append(likely_step(own, find_sizes(sketch_of(values, rng), own, CONSTANTS)))

    share = np.mean(np.array(found) == step)
    coarser = np.mean(np.array(found) > step)
    assert share > 0.6
    assert coarser < 0.15


def round_to(numbers, rng, **shares):
    """Round each number to one of the steps, ``_10=.3`` of them to tens."""
    steps = rng.choice(
        [float(name[1:]) for name in shares], p=[*shares.values()], size=len(numbers)
    )
    return np.round(numbers / steps) * steps


@pytest.mark.parametrize('scale', [0.0, 50.0])
def test_numbers_were_rounded_to_several_steps(rng, scale):
    """A tenth of those that were rounded to tens is a multiple of a hundred by chance."""
    amounts = round_to(rng.uniform(100, 9_000, 20_000), rng, _1000=0.2, _10=0.3, _1=0.5)
    noise = scale * rng.normal(size=len(EVERY_STEP) + 2)

    heaps = find_heaps(count(amounts, EVERY_STEP, scale, noise), 1.0, {}, BAR)

    assert [step for step, _ in heaps] == [1000.0, 10.0, 1.0]
    assert [share for _, share in heaps] == pytest.approx([0.2, 0.3, 0.5], abs=0.03)
