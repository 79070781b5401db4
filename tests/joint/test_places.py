"""Values inside bins: they hang together where columns do."""

from __future__ import annotations

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
    ties = tie_columns(functions, [True] * len(values), 1.0)
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


@pytest.mark.parametrize('turned', [False, True])
def test_a_category_says_where_in_its_interval_a_number_is(rng, turned):
    days = rng.random(ROWS) * 360
    edges, months = np.linspace(0, 360, 54), rng.permutation(12) + 1
    codes = np.stack([code_numbers(days, edges), months[(days // 30).astype(int)]], axis=1)
    functions = {(0, 1): count(codes[:, 0], codes[:, 1])}
    if turned:
        codes = codes[:, ::-1]
        functions = {(0, 1): functions[0, 1].T}

    ties = tie_columns(functions, [not turned, turned], 1.0)
    places = draw_places(codes, ties, rng)

    number = int(turned)
    assert places.keys() == {number}
    found = decode(codes[:, number], places[number], edges)
    assert (months[(found // 30).astype(int).clip(0, 11)] == codes[:, 1 - number]).mean() > 0.995


def test_numbers_in_step_are_so_however_many_records_there_are(rng):
    """In the last interval, a wide one, records get fewer towards its end."""
    monthly = rng.exponential(1.0, ROWS)
    edges = [np.append(np.quantile(monthly, np.linspace(0, 0.9, 20)), monthly.max())]
    edges.append(12 * np.append(np.quantile(monthly, np.linspace(0, 0.8, 7)), monthly.max()))
    codes = [
        code_numbers(each, own) for each, own in zip((monthly, 12 * monthly), edges, strict=True)
    ]
    shares = np.diff(np.clip((edges[1][:, None] / 12 - edges[0][:-1]) / np.diff(edges[0]), 0, 1).T)
    table = np.zeros((21, 8))
    table[1:, 1:] = np.bincount(codes[0], minlength=21)[1:, None] / ROWS * shares

    for known in ((), tuple(edges)):
        ties = tie_columns({(0, 1): table}, [True, True], 1.0, known)
        drawn = np.stack([rng.choice(21, ROWS, p=table.sum(axis=1)), np.zeros(ROWS, int)], axis=1)
        given = np.cumsum(table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300), axis=1)
        drawn[:, 1] = (given[drawn[:, 0]] < rng.random(ROWS)[:, None]).sum(axis=1)
        places = draw_places(drawn, ties, rng)
        one, other = (decode(drawn[:, at], places[at], edges[at]) for at in (0, 1))
        off = np.abs(other / 12 - one).max()
        assert off < 1e-6 if known else off > 0.05


@pytest.mark.parametrize('turned', [False, True])
def test_all_sales_of_a_product_have_its_price(rng, turned):
    """Of ten prices two share each of two intervals; of one nothing is known but its interval."""
    prices = np.array([1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.1, 7.3, 8.1, 8.3])
    edges = np.arange(10.0)
    product = rng.integers(0, 10, ROWS)
    codes = np.stack([code_numbers(prices[product], edges), product], axis=1)
    known = np.append(prices[:9] % 1, np.nan)
    table = count(codes[:, 0], codes[:, 1])
    functions = {(1, 0): table.T} if turned else {(0, 1): table}

    ties = tie_columns(functions, [True, False], 1.0, (edges, None), {(1, 0): known})
    found = decode(codes[:, 0], draw_places(codes, ties, rng)[0], edges)

    assert found[product < 9] == pytest.approx(prices[product[product < 9]])
    assert np.ptp(found[product == 9]) > 0.4


def test_missing_values_say_nothing_of_the_place(rng):
    """Of half of the records the hour is missing: their minutes are as those of the others."""
    minutes = rng.random(ROWS) * 1_440
    intervals = code_numbers(minutes, np.linspace(0, 1_440, 98))
    codes = np.stack([intervals, 1 + (minutes // 60).astype(int)], axis=1)
    codes[: ROWS // 2, 1] = 0
    ties = tie_columns({(0, 1): count(codes[:, 0], codes[:, 1])}, [True, True], 1.0)

    places = draw_places(codes, ties, rng)[0]

    assert places[: ROWS // 2].mean() == pytest.approx(0.5, abs=0.02)
    assert np.histogram(places[: ROWS // 2], 10, (0, 1))[0].min() > 0.08 * ROWS / 2


def test_columns_that_leave_much_open_are_not_tied(rng):
    one, other = rng.integers(1, 30, ROWS), rng.integers(1, 30, ROWS)

    assert tie_columns({(0, 1): count(one, other)}, [True, True], 1.0) == ()
    assert tie_columns({(0, 1): count(one, one)}, [False, False], 1.0) == ()
    assert len(tie_columns({(0, 1): count(one, one)}, [True, True], 1.0)) == 1


def test_no_records_have_no_places(rng):
    ties = tie_columns({(0, 1): np.eye(5) / 5}, [True, True], 1.0)

    assert all(len(each) == 0 for each in draw_places(np.zeros((0, 2), int), ties, rng).values())
    assert draw_places(np.zeros((3, 2), int), (), rng) == {}
