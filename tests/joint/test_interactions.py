"""The release of interactions: exact sums, the stated noise, and how far records can move them."""

import math
from itertools import combinations

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays
from interactions import BINS as COLUMNS
from interactions import NEIGHBORS, count_in_a_loop, find_distance, interact

from sdv_threea.joint.interactions import (
    LEAST_WEIGHT,
    Interactions,
    release_interactions,
    round_weights,
)
from sdv_threea.joint.pair_bins import count_bins
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded

#: The last column is the class.
BINS = [*COLUMNS, np.array([0, 1])]
ALL = tuple(each for order in (1, 2, 3) for each in combinations(range(len(BINS)), order))
WEIGHTS = {columns: 3 + at for at, columns in enumerate(ALL)}


def make_records(rng, num_rows, bins=BINS):
    codes = [rng.integers(-1, len(each), num_rows) for each in bins[:-1]]
    return np.stack(codes, axis=1), rng.integers(-1, len(bins[-1]), num_rows)


def release(records, weights=WEIGHTS, bins=BINS, *, chunk_rows=2**16, **terms):
    terms = {'mu': 1.0, 'neighbors': 'add_remove', 'noise': silent} | terms
    rows = records
    if not isinstance(records, Rows):
        codes, labels = records
        rows = chunk_arrays(Encoded(codes, np.asarray(labels, dtype=np.int16)), chunk_rows)
    return release_interactions(rows, bins, weights, **terms)


def test_interactions_are_those_of_the_counts_without_what_is_in_no_bin(rng):
    records = make_records(rng, 400)
    found, receipt = release(records)
    assert list(found.tables) == list(ALL)
    for columns in ALL:
        expected = interact(count_in_a_loop(np.column_stack(records), columns, BINS))
        assert found.tables[columns] == pytest.approx(expected, abs=1e-9)
    assert receipt.released == (
        'interactions of 5 columns and 10 pairs of columns and 10 triples of columns, '
        'in up to 3 bins each'
    )


@pytest.mark.parametrize('dtype', [np.int8, np.uint8, np.int16, np.int64])
def test_small_codes_do_not_wrap_around(dtype):
    bins = [np.arange(120), np.arange(127)]
    codes = np.array([[119, 126], [119, 126], [0, 126]], dtype=dtype)
    found, _ = release((codes, [0, 0, 0]), {(0, 1): 1}, bins)
    expected = np.zeros((120, 127))
    expected[[119, 0], 126] = 2, 1
    assert found.tables[0, 1] == pytest.approx(interact(expected))


# How far records can move the sums


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_any_weights_and_any_choice_keep_to_the_sensitivity(rng, sums, neighbors):
    for _ in range(60):
        chosen = [columns for columns in ALL if rng.random() < 0.4] or [(0, 3)]
        weights = {columns: int(rng.integers(1, 500)) for columns in chosen}
        codes, labels = make_records(rng, 6)
        others = codes[1:], labels[1:]
        if neighbors == 'replace_one':
            new = make_records(rng, 1)
            others = tuple(np.concatenate(each) for each in zip(new, others, strict=True))
        _, receipt = release((codes, labels), weights, neighbors=neighbors)
        release(others, weights, neighbors=neighbors)
        assert find_distance(*sums[-2:]) <= receipt.sensitivity * (1 + 1e-15)


# Noise


def test_tables_have_the_noise_that_they_say(gaussian):
    """Along directions that an interaction has; there is none along others."""
    bins = [np.arange(12)] * 3
    weights = {(0,): 4, (0, 1): 2, (0, 1, 2): 1}
    empty = np.zeros((0, 3), dtype=np.int64), []
    found = [release(empty, weights, bins, mu=0.2, noise=gaussian)[0] for _ in range(20)]
    for columns in weights:
        tables = np.array([each.tables[columns] for each in found])
        scale = found[0].scales[columns]
        directions = len(found) * 11 ** len(columns)
        assert np.square(tables / scale).sum() / directions == pytest.approx(
            1, abs=5 * math.sqrt(2 / directions)
        )
        for axis in range(1, tables.ndim):
            assert tables.sum(axis=axis) == pytest.approx(0, abs=1e-6 * scale)


def test_weights_are_whole_and_have_the_noise_that_is_wanted(rng):
    bins = [np.arange(2), np.arange(20), np.arange(30)]
    wanted = {(0, 1): 1.0, (1, 2): 0.5, (0,): 2.0, (0, 1, 2): 1.0}
    weights = round_weights(count_bins(bins), wanted)
    assert all(isinstance(weight, int) for weight in weights.values())
    assert min(weights.values()) == LEAST_WEIGHT
    scales = release((np.zeros((0, 3), int), []), weights, bins)[0].scales
    for columns, own in wanted.items():
        assert scales[0, 1] / scales[columns] == pytest.approx(own, rel=0.07)


def test_two_releases_are_averaged_by_precision(rng):
    tables = [{(0, 1): rng.normal(size=(3, 4)), (0,): rng.normal(size=3)} for _ in range(2)]
    both = Interactions(tables[0], {(0, 1): 3.0, (0,): 6.0}).average(
        Interactions(tables[1], {(0, 1): 4.0, (0,): 8.0})
    )
    for columns, times in (((0, 1), 1), ((0,), 2)):
        expected = 0.64 * tables[0][columns] + 0.36 * tables[1][columns]
        assert both.tables[columns] == pytest.approx(expected)
        assert both.scales[columns] == pytest.approx(2.4 * times)
    exact = Interactions(tables[0], {(0, 1): 0.0, (0,): 0.0})
    again = exact.average(exact)
    assert all(np.array_equal(again.tables[each], tables[0][each]) for each in tables[0])
    assert again.scales == exact.scales
    assert both.pairs == [(0, 1)]
