"""Functions of codes that only their own counts show."""

import numpy as np
import pytest

from sdv_threea.joint.constants import JointConstants
from sdv_threea.joint.functions import Side
from sdv_threea.joint.repeats import add_repeated, weigh_repeats

CONSTANTS = JointConstants()


def count(one, other):
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1)
    return table


def look(codes):
    counts = np.bincount(codes).astype(np.float64)
    return Side.look(counts, counts / counts.sum(), ordered=False, unlisted=-1, left_out=0.02)


@pytest.fixture
def customers(rng):
    """Most cities have one of 60 customers; each lies in one of 12 countries."""
    city = np.concatenate([np.arange(50), rng.permutation(50)[:10]])
    country = rng.integers(0, 12, 50)[city]
    return city, country, rng.integers(0, 30, 60)


def test_few_cities_that_repeat_show_that_each_has_its_country(customers):
    city, country, other = customers

    found = add_repeated({}, *_take(customers, [(0, 1), (0, 2), (1, 2)]), CONSTANTS)

    assert list(found) == [(0, 1)]
    assert weigh_repeats(count(city, country)) > 10
    assert weigh_repeats(count(country, city)) == -np.inf
    assert weigh_repeats(count(city, other)) < 0


def test_values_that_occur_once_show_nothing():
    once = np.arange(40)

    assert weigh_repeats(count(once, once)) == pytest.approx(0)
    assert weigh_repeats(count(once, np.zeros(40, dtype=int))) == -np.inf


def test_what_codes_show_goes_before_what_bins_show(customers):
    counts, sides = _take(customers, [(0, 1), (0, 2)])
    made = next(iter(add_repeated({}, counts, sides, CONSTANTS).values()))

    found = add_repeated({(0, 2): made, (1, 2): made}, counts, sides, CONSTANTS)

    assert list(found) == [(0, 1), (0, 2)], 'the last would close a circle'


def test_no_path_leads_between_given_columns(customers):
    counts, sides = _take(customers, [(0, 1)])

    assert add_repeated({}, counts, sides, CONSTANTS, 2) == {}


def _take(columns, pairs):
    return {(i, j): count(columns[i], columns[j]) for i, j in pairs}, [*map(look, columns)]
