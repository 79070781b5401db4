"""Which pairs look like functions, and what counting them code by code may cost."""

import math

import numpy as np
import pytest

from sdv_threea.joint.column_order import grow_forest
from sdv_threea.joint.functions import Side, find_functions
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pair_bins import pack
from sdv_threea.joint.pairs import PairCounts
from sdv_threea.joint.pricing import Function, carry_functions

CONSTANTS = JointConstants()
NUM_RECORDS = 30_000


def look(margins, columns, ordered, unlisted=None):
    """The columns as parents and children."""
    each = zip(margins, columns, ordered, unlisted or [-1] * len(columns), strict=True)
    return [Side.look(*own) for own in each]


def find(pairs, margins, columns, ordered, constants):
    """The pairs that look like functions."""
    return tuple(find_functions(pairs, look(margins, columns, ordered), constants))


def make_table(rng):
    """Code, name, place and zone; two columns that lean on each other; one of few records."""
    codes = rng.choice(60, NUM_RECORDS, p=rng.dirichlet(np.full(60, 4.0)))
    names, places, zones = rng.permutation(60), rng.integers(0, 15, 60), rng.integers(0, 5, 15)
    leaning = rng.integers(0, 6, NUM_RECORDS)
    other = np.where(rng.random(NUM_RECORDS) < 0.5, leaning, rng.integers(0, 6, NUM_RECORDS))
    given = (rng.random(NUM_RECORDS) < 0.15).astype(int)
    reason = given * rng.integers(1, 4, NUM_RECORDS)
    place = places[codes]
    return np.stack([codes, names[codes], place, zones[place], leaning, other, given, reason], 1)


def count(table, scale, rng, num_bins=12):
    columns = [np.bincount(column) / len(table) for column in table.T]
    bins = [
        pack(shares, num_bins) if len(shares) > num_bins else np.arange(len(shares))
        for shares in columns
    ]
    cells = np.stack([own[column] for own, column in zip(bins, table.T, strict=True)], axis=1)
    tables, scales = {}, {}
    for j in range(table.shape[1]):
        for i in range(j):
            exact = np.zeros((bins[i].max() + 1, bins[j].max() + 1))
            np.add.at(exact, (cells[:, i], cells[:, j]), 1)
            tables[i, j] = exact + scale * rng.standard_normal(exact.shape)
            scales[i, j] = float(scale)
    margins = [np.bincount(each).astype(float) for each in cells.T]
    return PairCounts(tables, scales), margins, columns


@pytest.mark.parametrize('scale', [0.0, 20.0, 60.0])
def test_functions_are_found_in_coarse_bins_and_others_are_not(rng, scale):
    for _ in range(5):
        table = make_table(rng)

        found = find(*count(table, scale, rng), [False] * 8, CONSTANTS)

        assert {frozenset(pair) for pair in found} >= {frozenset((0, 1)), frozenset((2, 3))}
        assert (6, 7) in found, 'a rare answer that has a reason'
        assert any(pair in found for pair in ((0, 2), (1, 2)))
        assert len(found) == 4, 'a zone follows from the place, and not from the code'


def make_work(rng):
    """Industries, occupations and groups of occupations; half of the people do not work."""
    working = rng.random(NUM_RECORDS) < 0.5
    occupations = 1 + rng.choice(40, NUM_RECORDS, p=rng.dirichlet(np.full(40, 1.0)))
    usual = rng.integers(1, 51, 41)[occupations]
    industries = np.where(rng.random(NUM_RECORDS) < 0.5, usual, rng.integers(1, 51, NUM_RECORDS))
    groups = 1 + rng.integers(0, 12, 41)[occupations]
    return np.stack([working * industries, working * occupations, working * groups], axis=1)


@pytest.mark.parametrize('scale', [0.0, 30.0])
def test_a_value_that_columns_share_is_no_function(rng, scale):
    """Industry and occupation are none together in half of the rows, and lean on each other."""
    for _ in range(10):
        found = find(*count(make_work(rng), scale, rng, 24), [False] * 3, CONSTANTS)

        assert found[0] == (1, 2), 'the group follows from the occupation'


def test_columns_that_share_a_value_follow_from_the_one_that_says_no_more(rng):
    """Questions that only some are asked: noise masks the answers, not who is asked."""
    asked = rng.random(NUM_RECORDS) < 0.4
    answers = [np.where(asked, rng.integers(1, 6, NUM_RECORDS), 0) for _ in range(6)]
    table = np.stack([asked.astype(np.int64), *answers], axis=1)
    pairs, margins, columns = count(table, NUM_RECORDS / 50, rng)

    found = find(pairs, margins, columns, [False] * 7, CONSTANTS)

    assert set(found) == {(0, at) for at in range(1, 7)}


def test_a_frequent_value_hides_no_function_whose_other_values_exceed_the_noise(rng):
    """A quarter of the districts have none of 24 values, which say more than one of 3 regions."""
    districts = rng.integers(0, 80, NUM_RECORDS)
    values = np.where(np.arange(80) < 20, 0, rng.integers(1, 24, 80))
    table = np.stack([districts, values[districts], districts % 3], axis=1)

    assert find(*count(table, 100.0, rng, 24), [False] * 3, CONSTANTS) == ((0, 1), (0, 2))


def test_noise_alone_looks_like_no_function(rng):
    """Also where a column says so little that the least unevenness would do."""
    table = np.stack(
        [
            rng.integers(0, 8, NUM_RECORDS),
            (rng.random(NUM_RECORDS) < 0.06).astype(int),
            rng.integers(0, 30, NUM_RECORDS),
            (rng.random(NUM_RECORDS) < 0.2).astype(int),
        ],
        axis=1,
    )
    for scale in (5.0, 50.0, 300.0):
        for _ in range(20):
            known = count(table, scale, rng)
            assert find(*known, [False] * 4, CONSTANTS) == ()


def test_a_forest_has_no_circles_and_keeps_the_first():
    pairs = [(0, 1), (1, 2), (0, 2), (3, 4), (2, 4), (0, 3), (5, 6)]

    assert grow_forest(pairs) == ((0, 1), (1, 2), (3, 4), (2, 4), (5, 6))
    # Given columns are known: no path leads from one to another.
    assert grow_forest(pairs, 3) == ((3, 4), (2, 4), (5, 6))


def test_two_numbers_that_are_merely_close_are_no_function(rng):
    x = rng.random(NUM_RECORDS)
    for y, found in ((x + rng.normal(0, 0.05, len(x)), 0), (x**3, 1)):
        codes = [np.argsort(np.argsort(own)) * 96 // NUM_RECORDS for own in (x, y)]
        table = np.zeros((12, 12))
        np.add.at(table, tuple(own // 8 for own in codes), 1)
        pairs = PairCounts({(0, 1): table + rng.normal(0, 30, table.shape)}, {(0, 1): 30.0})
        margins, columns = [np.full(12, NUM_RECORDS / 12)] * 2, [np.full(96, 1 / 96)] * 2
        assert len(find(pairs, margins, columns, [True, True], CONSTANTS)) == found


@pytest.mark.parametrize('scale', [0.0, 60.0])
def test_what_follows_from_listed_values_is_found_among_many_that_are_not(rng, scale):
    """A fifth of the records have a rare clock time; these share a code, which has every hour."""
    time = rng.integers(0, 150, NUM_RECORDS)
    hour = time // 8
    table = np.stack([np.minimum(time, 120), hour], axis=1)
    pairs, margins, columns = count(table, scale, rng)

    found = find_functions(pairs, look(margins, columns, [False] * 2, [120, -1]), CONSTANTS)

    assert tuple(found) == ((0, 1),)
    assert found[0, 1].small == pytest.approx(1 / 150, rel=0.3)


def test_pairs_that_noise_drowns_are_left_out_and_others_have_their_price():
    """Codes of the first pair have thousands of records, those of the second a few dozen."""

    def carry(left, *, clear=False):
        found = {(0, 1): Function(1 / 4, 4), (2, 3): Function(1 / 400, 4, False, clear)}
        return list(carry_functions(found, 12_000, left, CONSTANTS)[0])

    assert carry(math.inf) == carry(1.0) == [(0, 1), (2, 3)]
    assert carry(0.02) == [(0, 1)]
    assert carry(0.02, clear=True) == [(0, 1), (2, 3)], 'codes around a code tell too'
    assert carry(1e-5) == carry(0.0) == []
    assert carry_functions({}, 12_000, 1.0, CONSTANTS) == ({}, 0.0)
