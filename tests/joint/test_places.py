"""Values inside bins: they hang together where columns do."""

import numpy as np
import pytest

from sdv_threea.joint.places import draw_places, tie_columns

ROWS = 20_000


def code_numbers(values, edges):
    """Codes from 1 on, as those of a number are."""
    return np.searchsorted(edges, values, side='right').clip(1, len(edges) - 1)


def count(one, other):
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1 / len(one))
    return table


def test_an_hour_has_its_part_of_an_interval(rng):
    """Intervals of 90 minutes: two thirds of each are one hour, or half of one and half of two."""
    minutes = rng.random(ROWS) * 1_440
    codes = np.stack([code_numbers(minutes, np.linspace(0, 1_440, 17)), minutes // 60], axis=1)
    codes = codes.astype(int) + [0, 1]  # the first code of a category is that of a missing value
    (tie,) = tie_columns({(0, 1): count(codes[:, 0], codes[:, 1])}, [True, False], 1.0)

    places = draw_places(codes, (tie,), rng)

    assert list(places) == [0]
    assert places[0].min() >= 0
    assert places[0].max() <= 1
    drawn = (codes[:, 0] - 1 + places[0]) * 90 // 60
    assert (drawn == codes[:, 1] - 1).mean() > 0.98


def test_numbers_say_nothing_of_each_other(rng):
    assert tie_columns({(0, 1): np.eye(5) / 5}, [True, True], 1.0) == ()


def test_missing_values_say_nothing_of_the_place(rng):
    """Of half of the records the hour is missing: their minutes are as those of the others."""
    minutes = rng.random(ROWS) * 1_440
    intervals = code_numbers(minutes, np.linspace(0, 1_440, 98))
    codes = np.stack([intervals, 1 + (minutes // 60).astype(int)], axis=1)
    codes[: ROWS // 2, 1] = 0
    ties = tie_columns({(0, 1): count(codes[:, 0], codes[:, 1])}, [True, False], 1.0)

    places = draw_places(codes, ties, rng)[0]

    assert places[: ROWS // 2].mean() == pytest.approx(0.5, abs=0.02)
    assert np.histogram(places[: ROWS // 2], 10, (0, 1))[0].min() > 0.08 * ROWS / 2


def test_no_records_have_no_places(rng):
    ties = tie_columns({(0, 1): np.eye(5) / 5}, [True, False], 1.0)

    assert all(len(each) == 0 for each in draw_places(np.zeros((0, 2), int), ties, rng).values())
    assert draw_places(np.zeros((3, 2), int), (), rng) == {}
