import math

import numpy as np
import pytest

from sdv_threea.describe.constants import DescribeConstants
from sdv_threea.describe.lattice import (
    MAX_LATTICE,
    finest_step,
    inner_multiples,
    is_lattice,
    multiples,
    round_inwards,
    step_codes,
)
from sdv_threea.domain import DECIMAL_STEPS, ROUND_STEPS, TIME_STEPS, Category, Number


def find_step(values, steps=DECIMAL_STEPS, scale=0.0, noise=0.0):
    codes = step_codes(np.asarray(values, dtype=float), steps)
    counts = np.bincount(codes[codes >= 0], minlength=len(steps) + 1)
    return finest_step(counts + noise, steps, scale, DescribeConstants().believed)


@pytest.mark.parametrize(
    ('low', 'high', 'step', 'expected'),
    [
        (0, MAX_LATTICE - 1, 1.0, True),
        (0, MAX_LATTICE, 1.0, False),
        (0, 1, 0.01, True),
        (0, 1, 0.0, False),
        (0, 1, None, False),
        (None, 1, 1.0, False),
        (0, None, 1.0, False),
        (5, 5, 1.0, True),
        (2**51, 2**51 + 7, 1.0, True),
        (2**53, 2**53 + 8, 1.0, False),
        (-1e19, -1e19, 1.0, False),
    ],
)
def test_a_lattice_has_few_known_values(low, high, step, expected):
    assert is_lattice(Number(name='x', low=low, high=high, step=step)) is expected


def test_a_category_is_no_lattice():
    assert not is_lattice(Category(name='x', values=(1, 2)))


@pytest.mark.parametrize('places', [1, 2, 3, 4])
def test_multiples_of_decimal_steps_are_the_decimals_themselves(places):
    times = np.arange(-2000, 2000.0)
    expected = [float(f'{int(each)}e-{places}') for each in times]

    assert multiples(times, float(f'1e-{places}')).tolist() == expected
    assert not np.signbit(multiples(np.array([-0.0]), 0.1))[0]


@pytest.mark.parametrize('step', [1.0, 60.0, 0.25, 0.3, 7.5])
def test_multiples_of_other_steps(step):
    assert multiples(np.array([-2.0, 0, 3]), step) == pytest.approx([-2 * step, 0, 3 * step])


@pytest.mark.parametrize(
    ('low', 'high', 'step', 'expected'),
    [
        (0.5, 3.5, 1.0, (1, 3)),
        (1.0, 3.0, 1.0, (1, 2)),
        (0.07, 0.29, 0.01, (0.07, 0.28)),
        (-(2.0**-32), 2.0**-32, 1.0, (0, 0)),
        (0.2, 0.4, 1.0, (1, 1)),
        (1.75, 2.0, 0.01, (1.75, 1.99)),
        (-8.0, -7.0, 0.1, (-8.0, -7.1)),
    ],
)
def test_ranges_are_rounded_inwards_to_multiples(low, high, step, expected):
    assert round_inwards(low, high, step) == expected


@pytest.mark.parametrize(
    ('low', 'high', 'step', 'expected'),
    [
        (0.17, 80.0, 1.0, (1, 80)),
        (-2.5, 2.5, 1.0, (-2, 2)),
        (0.07, 0.29, 0.01, (0.07, 0.29)),
        (0.2, 0.4, 1.0, (1, 1)),
    ],
)
def test_public_ranges_end_at_the_multiples_inside_them(low, high, step, expected):
    assert inner_multiples(low, high, step) == expected


def test_every_number_has_the_coarsest_step_it_is_a_multiple_of():
    values = np.array([3, -7.0, 0.0, 0.3, 1.25, 0.001, 12.3456, math.pi, np.nan, 1e200, 5e-10])

    assert step_codes(values, DECIMAL_STEPS).tolist() == [0, 0, 0, 1, 2, 3, 4, 5, -1, 0, 5]


def test_a_zero_says_nothing_of_whether_numbers_are_round():
    steps = ROUND_STEPS + DECIMAL_STEPS
    values = np.array([3e6, 20_000.0, 500.0, 40.0, 7.0, 0.0, -0.0, 0.5])

    assert step_codes(values, steps).tolist() == [0, 2, 4, 5, 6, 6, 6, 7]
    assert find_step([0.0] * 1_000, steps) == 1.0
    assert find_step([], steps) == 1.0


@pytest.mark.parametrize('scale', [0.0, 5.0])
def test_limits_in_ten_thousands_are_so(rng, scale):
    steps = ROUND_STEPS + DECIMAL_STEPS
    limits = 10_000 * rng.integers(1, 80, size=1_000)

    assert find_step(limits, steps, scale) == 10_000
    assert find_step([*limits, *[123.0] * 10], steps, scale) == (10_000 if scale else 1.0)
    assert find_step([*limits, *[123.0] * 50], steps, scale) == 1.0, 'what is rounded is lost'
    assert find_step([*limits, *[0.0] * 50], steps, scale) == 1.0
    assert find_step(limits / 1e6, steps, scale) == 0.01


def test_the_number_of_records_tells_how_many_numbers_are_finer(rng):
    """The noise of nine counts of finer numbers is more than that of what the others leave."""
    steps, scale, of_total = ROUND_STEPS + DECIMAL_STEPS, 240.0, 170.0

    def find(finer, *, known):
        """Return the share of 1,000 releases that have numbers in ten thousands."""
        counts = np.zeros((1_000, len(steps) + 1))
        counts[:, 1:4] = 4_500, 25_500 - finer, finer
        found = []
        for row in counts + scale * rng.normal(size=counts.shape):
            total = (30_000 + of_total * rng.normal(), of_total) if known else None
            found.append(finest_step(row, steps, scale, DescribeConstants().believed, total))
        return np.mean(np.array(found) == 10_000)

    assert find(0, known=True) > 0.97 > find(0, known=False)
    assert find(1_800, known=True) < 0.03 < find(1_800, known=False)


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


def test_columns_of_numbers(rng):
    assert find_step(rng.integers(-50, 50, size=300)) == 1.0
    assert find_step(np.round(rng.lognormal(3, 1, size=300), 2)) == 0.01
    assert find_step(rng.normal(size=300)) == 0.0
    assert find_step(2.0**60 + rng.integers(0, 10**6, size=300) * 512) == 1.0
    assert find_step([]) == 1.0


def test_without_noise_a_single_finer_number_counts():
    assert find_step([1.0] * 1000 + [0.5]) == 0.1


def test_with_noise_a_few_finer_numbers_do_not_count():
    assert find_step([1.0] * 1000 + [math.pi] * 20, scale=10.0) == 1.0
    assert find_step([1.0] * 1000 + [math.pi] * 120, scale=10.0) == 0.0


def test_a_step_that_cannot_be_told_from_noise_is_not_believed_in():
    assert find_step([1.0] * 500, scale=100.0) == 1.0
    assert find_step([1.0] * 5, scale=100.0) == 0.0
    assert find_step([1.0] + [math.pi] * 5, scale=100.0) == 0.0


def test_where_the_noise_hides_the_finer_numbers_the_majority_decides():
    assert find_step([1.0] * 500 + [math.pi] * 400, scale=100.0) == 1.0
    assert find_step([1.0] * 500 + [math.pi] * 600, scale=100.0) == 0.0


def test_noise_may_be_all_there_is():
    noise = np.array([-9.0, 4, 7, -8, 2, 1])

    assert find_step([], scale=6.0, noise=noise) in (*DECIMAL_STEPS, 0.0)
    assert finest_step(np.array([5.0]), (), 1.0, 4.0) == 0.0
