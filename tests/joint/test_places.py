"""Values inside bins: they hang together where columns do."""

import numpy as np
import pytest

from sdv_threea.joint.places import draw_places, tie_columns

ROWS = 20_000


def code_numbers(values, edges):
    """Codes from 1 on, as those of a number are."""
    return np.searchsorted(edges, values, side='right').clip(1, len(edges) - 1)


def decode(codes, places, edges):
    return edges[codes - 1] + places * (edges[codes] - edges[codes - 1])


def count(one, other):
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1 / len(one))
    return table


def decode_pair(values, edges, rng):
    """Encode columns of numbers, tie them in a chain, and decode them again."""
    codes = np.stack([code_numbers(*each) for each in zip(values, edges, strict=True)], axis=1)
    functions = {
        (at, at + 1): count(codes[:, at], codes[:, at + 1]) for at in range(len(values) - 1)
    }
    ties = tie_columns(functions, [True] * len(values))
    places = draw_places(codes, ties, rng)
    for each in places.values():
        assert each.min() >= 0
        assert each.max() <= 1
    return [decode(codes[:, at], places[at], edges[at]) for at in range(len(values))]


@pytest.mark.parametrize('factor', [12.0, -12.0])
def test_a_salary_of_a_year_is_that_of_twelve_months(rng, factor):
    monthly = rng.lognormal(8, 0.4, ROWS)
    yearly = factor * monthly
    sizes = {60: monthly, 83: yearly}
    edges = [np.quantile(each, np.linspace(0, 1, size)) for size, each in sizes.items()]

    one, other = decode_pair([monthly, yearly], edges, rng)

    inside = np.abs(other / factor / one - 1)
    assert (inside < 0.01).mean() > 0.95
    by_chance = decode(code_numbers(yearly, edges[1]), rng.random(ROWS), edges[1])
    assert (np.abs(by_chance / factor / one - 1) < 0.01).mean() < 0.8


def test_missing_values_say_nothing_of_the_place(rng):
    """Of half of the records the hour is missing: their minutes are as those of the others."""
    minutes = rng.random(ROWS) * 1_440
    intervals = code_numbers(minutes, np.linspace(0, 1_440, 98))
    codes = np.stack([intervals, 1 + (minutes // 60).astype(int)], axis=1)
    codes[: ROWS // 2, 1] = 0
    ties = tie_columns({(0, 1): count(codes[:, 0], codes[:, 1])}, [True, True])

    places = draw_places(codes, ties, rng)[0]

    assert places[: ROWS // 2].mean() == pytest.approx(0.5, abs=0.02)
    assert np.histogram(places[: ROWS // 2], 10, (0, 1))[0].min() > 0.08 * ROWS / 2


def test_no_records_have_no_places(rng):
    ties = tie_columns({(0, 1): np.eye(5) / 5}, [True, True])

    assert all(len(each) == 0 for each in draw_places(np.zeros((0, 2), int), ties, rng).values())
    assert draw_places(np.zeros((3, 2), int), (), rng) == {}
