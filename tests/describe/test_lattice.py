import numpy as np
import pytest

from sdv_threea.constants import MAX_LATTICE
from sdv_threea.describe.lattice import (
    find_roundest,
    is_lattice,
    multiples,
    round_inwards,
    shared_step,
)
from sdv_threea.domain import Category, Number


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
    ('steps', 'expected'),
    [([0.25, 0.1], 0.05), ([20, 25], 5), ([86_400.0, 1.0], 1), ([1 / 3, 1.0], 0), ([1.0, 0.0], 0)],
)
def test_sums_are_multiples_of_a_step_that_divides_all(steps, expected):
    assert shared_step(steps) == expected


def test_the_roundest_number_has_the_fewest_digits():
    ends = [(0.93, 1.2), (0.999999995, 1.000000001), (1234, 1301), (-0.0071, -0.0069), (2.71, 2.72)]

    assert [find_roundest(*each) for each in ends] == [1, 1, 1300, -0.007, 2.71]
