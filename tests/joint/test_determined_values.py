"""Numbers that categories have: the release of their digits, and what is made of it."""

import math

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays

from sdv_threea.joint.determined_values import (
    BASE,
    DIGITS,
    ValueCounts,
    estimate_values,
    find_single,
    has_wide_codes,
    keep_one_code,
    release_values,
)
from sdv_threea.rows.records import Located

PAIRS, SIZES = ((0, 3), (1, 4)), (5, 3)


def make_records(rng, num_rows):
    codes = np.stack([rng.integers(-1, size, num_rows) for size in SIZES], axis=1)
    places = np.where(rng.random(codes.shape) < 0.1, np.nan, rng.random(codes.shape))
    return Located(codes, places)


def release(records, chunk_rows=10_000, *, mu=math.inf, neighbors='add_remove', noise=silent):
    rows = chunk_arrays(records, chunk_rows)
    return release_values(rows, PAIRS, SIZES, mu=mu, neighbors=neighbors, noise=noise)


def count_in_a_loop(records, at):
    counts = np.zeros((DIGITS, SIZES[at], BASE))
    for code, place in zip(records.codes[:, at], records.places[:, at], strict=True):
        if code >= 0 and not math.isnan(place):
            first = math.floor(place * BASE)
            second = math.floor((place * BASE - first) * BASE)
            counts[0, code, first] += 1
            counts[1, code, second] += 1
    return counts


# The release


@pytest.mark.parametrize('chunk_rows', [1, 7, 10_000])
def test_digits_are_counted_exactly_however_rows_are_cut(rng, chunk_rows):
    records = make_records(rng, 200)

    counts, receipt = release(records, chunk_rows)

    assert list(counts.digits) == list(PAIRS)
    for at, pair in enumerate(PAIRS):
        assert np.array_equal(counts.digits[pair], count_in_a_loop(records, at))
    assert receipt.released == 'digits of numbers by category, of 2 pairs of columns'
    assert receipt.stage == 'approximate'


# What is made of it


def make_counts(rng, number, records, scale, spread=()):
    """Digits of categories that have one number each, but for some whose numbers are spread."""
    digits = np.zeros((DIGITS, len(records), BASE))
    for code, (own, held) in enumerate(zip(number, records, strict=True)):
        places = rng.integers(0, BASE**2, held) if code in spread else np.full(held, own)
        for digit, values in enumerate(np.divmod(places, BASE)):
            np.add.at(digits[digit, code], values, 1)
    return ValueCounts({(0, 1): digits + scale * rng.standard_normal(digits.shape)}, scale)


def table_of(records, num_codes=7):
    table = np.zeros((len(records), num_codes))
    table[np.arange(len(records)), 1 + np.arange(len(records)) % (num_codes - 1)] = records
    return {(0, 1): table / table.sum()}


@pytest.mark.parametrize('scale', [0.0, 20.0])
def test_numbers_come_back(rng, scale):
    for _ in range(20):
        number, records = rng.integers(0, BASE**2, 30), rng.integers(150, 600, 30)
        counts, tables = make_counts(rng, number, records, scale), table_of(records)
        found = estimate_values(counts, tables, records.sum())[0, 1]
        assert np.array_equal(np.floor(found * BASE**2), number)
        assert find_single(counts, tables, records.sum()) == ((0, 1),)


def test_a_missing_number_stays_missing_and_a_missing_category_has_none(rng):
    """Of 400 records of each category 16 have no number; those of code 0 have any number."""
    number, records = rng.integers(0, BASE**2, 20), np.full(20, 384)
    counts, tables = make_counts(rng, number, records, 20.0, spread=(0,)), table_of(records)
    tables[0, 1] = 0.96 * tables[0, 1]
    tables[0, 1][:, 0] = 0.04 / 20
    tables[0, 1][0, 1:] = 0.96 / 20 / 6

    found = estimate_values(counts, tables, 8000.0)[0, 1]
    settled = keep_one_code(tables[0, 1], ~np.isnan(found))

    assert np.flatnonzero(np.isnan(found)).tolist() == [0]
    assert settled[:, 0] == pytest.approx(0.04 / 20)
    assert settled.sum(axis=1) == pytest.approx(tables[0, 1].sum(axis=1))
    assert (settled[0] == tables[0, 1][0]).all()


def test_only_numbers_inside_intervals_are_asked():
    edges = np.array([-0.5, 0.5, 1.5, 8.5, 29.5])
    assert has_wide_codes(np.array([0.0, 0.3, 0.3, 0.4, 0.0]), edges)
    assert not has_wide_codes(np.array([0.1, 0.3, 0.6, 0.0, 0.0]), edges), 'single values'
    assert not has_wide_codes(np.full(5, 0.2), None)
    quarters = np.arange(5) * 15 - 0.5
    assert has_wide_codes(np.full(5, 0.2), quarters), 'all equally wide'
    assert not has_wide_codes(np.full(5, 0.2), np.arange(5) * 15 - 7.5), 'multiples of 15'
    spikes = np.array([1.0, np.nextafter(1.0, 2), 7.0, np.nextafter(7.0, 8)])
    assert not has_wide_codes(np.array([0.0, 0.5, 0.0, 0.5]), spikes)
    assert has_wide_codes(np.array([0.0, 0.4, 0.2, 0.4]), spikes)
