"""The look at triples: exact sums, and which triples are looked at."""

import math
from itertools import combinations

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays
from interactions import BINS as COLUMNS
from interactions import count_in_a_loop

from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.triples import list_triples, num_triple_bins, release_distances
from sdv_threea.rows.records import Encoded

CONSTANTS = JointConstants()

#: The last column is the class.
BINS = [COLUMNS[0], *COLUMNS[2:], np.array([0, 1])]
ALL = tuple(combinations(range(len(BINS)), 3))


def make_records(rng, num_rows):
    codes = np.stack([rng.integers(-1, len(each), num_rows) for each in BINS[:-1]], axis=1)
    return Encoded(codes, rng.integers(-1, len(BINS[-1]), num_rows).astype(np.int16))


def expect(rng, triples=ALL):
    return {each: rng.uniform(0, 9, [int(BINS[at].max()) + 1 for at in each]) for each in triples}


@pytest.mark.parametrize('chunk_rows', [7, 10_000])
def test_distances_are_those_from_what_is_expected_in_whole_records(rng, chunk_rows):
    records, expected = make_records(rng, 300), expect(rng)
    terms = {'mu': math.inf, 'neighbors': 'add_remove', 'noise': silent}
    rows = chunk_arrays(records, chunk_rows)
    (distances, noise), receipt = release_distances(rows, BINS, expected, **terms)
    whole = np.column_stack([records.codes, records.labels])
    for found, (triple, table) in zip(distances, expected.items(), strict=True):
        assert found == np.abs(count_in_a_loop(whole, triple, BINS) - np.rint(table)).sum()
    assert noise == 0
    assert receipt.released == 'distances of 4 triples of columns from what pairs say'


# Which triples, and in which bins


@pytest.mark.parametrize('num_records', [-5.0, 0.0, 100.0, 3e4, 1e9])
@pytest.mark.parametrize('mu', [0.0, 1e-3, 0.1, 2.0, math.inf])
def test_a_bin_of_three_columns_holds_some_times_the_noise(num_records, mu):
    num_bins = num_triple_bins(num_records, mu, CONSTANTS)
    noise = CONSTANTS.triple_records / CONSTANTS.records_per_noise / mu if mu else math.inf
    noise = max(noise, 1 / CONSTANTS.records_per_noise)  # a bin holds a record, too
    assert num_bins**3 <= CONSTANTS.most_bins**2
    if num_bins:
        assert num_bins >= CONSTANTS.least_bins
        assert num_bins**3 * CONSTANTS.records_per_noise * noise <= num_records * (1 + 1e-6)
    else:
        least = CONSTANTS.least_bins**3 * CONSTANTS.records_per_noise
        assert num_records <= 0 or not mu or num_records < least * noise


def test_triples_whose_pairs_tell_most_come_first():
    information = np.zeros((5, 5))
    for (i, j), nats in {(0, 1): 0.5, (1, 2): 0.4, (3, 4): 0.3}.items():
        information[i, j] = information[j, i] = nats
    listed = list_triples(information, (), (), 4)
    assert listed[0] == (0, 1, 2)
    assert len(listed) == 4
    assert len(list_triples(information, (), (), 99)) == 10


def test_what_follows_from_one_column_is_in_no_triple():
    listed = list_triples(np.zeros((5, 5)), [(0, 1)], [4], 99)
    assert listed == [(0, 2, 3), (1, 2, 3)]
