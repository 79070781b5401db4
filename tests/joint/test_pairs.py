"""The release of pairs code by code: exact sums, the stated noise, and how far records move it."""

from itertools import combinations

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays
from interactions import BINS, NEIGHBORS, count_in_a_loop, find_distance

from sdv_threea.joint.pairs import release_pair_counts
from sdv_threea.rows.chunks import Rows
from sdv_threea.rows.records import Encoded

#: What a record adds to a count.
WEIGHT = 8


def make_codes(rng, num_rows, bins=BINS):
    return np.stack([rng.integers(-1, len(each), num_rows) for each in bins], axis=1)


def make_rows(codes, chunk_rows=2**16):
    return chunk_arrays(Encoded(codes, np.zeros(len(codes), dtype=np.int8)), chunk_rows)


def release(rows, bins=BINS, *, mu=1.0, neighbors='add_remove', noise=silent):
    rows = rows if isinstance(rows, Rows) else make_rows(rows)
    weights = dict.fromkeys(combinations(range(len(bins)), 2), WEIGHT)
    return release_pair_counts(rows, bins, weights, mu=mu, neighbors=neighbors, noise=noise)


def test_only_the_wanted_pairs_are_counted(rng):
    codes, wanted = make_codes(rng, 400), {(1, 3): 3, (0, 2): 4}

    counts, receipt = release_pair_counts(
        make_rows(codes), BINS, wanted, mu=1.0, neighbors='add_remove', noise=silent
    )

    assert_same(counts.tables, {pair: count_pairs(codes)[pair] for pair in wanted})
    assert receipt.released == 'histograms of 2 pairs of columns, in up to 3 codes each'
    assert receipt.sensitivity == pytest.approx(5)


def count_pairs(codes):
    return {pair: count_in_a_loop(codes, pair) for pair in combinations(range(len(BINS)), 2)}


def assert_same(tables, expected):
    assert tables.keys() == expected.keys()
    for pair, table in tables.items():
        assert np.array_equal(table, expected[pair])


@pytest.mark.parametrize('dtype', [np.int8, np.uint8, np.int16, np.int64])
def test_small_codes_do_not_wrap_around(dtype):
    bins = [np.arange(120), np.arange(127)]
    codes = np.array([[119, 126], [119, 126], [0, 126]], dtype=dtype)

    counts, _ = release(codes, bins)

    assert counts.tables[0, 1][119, 126] == 2
    assert counts.tables[0, 1][0, 126] == 1
    assert counts.tables[0, 1].sum() == 3


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_any_weights_and_any_choice_of_pairs_keep_to_the_sensitivity(rng, sums, neighbors):
    """As they are for pairs that are counted code by code: they follow from what was released."""
    for _ in range(50):
        chosen = [pair for pair in combinations(range(4), 2) if rng.random() < 0.6] or [(0, 3)]
        weights = {pair: int(rng.integers(1, 65)) for pair in chosen}
        codes = make_codes(rng, 6)
        neighbour = codes[1:]
        if neighbors == 'replace_one':
            neighbour = np.concatenate([make_codes(rng, 1), neighbour])
        terms = {'mu': 1.0, 'neighbors': neighbors, 'noise': silent}

        counts, receipt = release_pair_counts(make_rows(codes), BINS, weights, **terms)
        release_pair_counts(make_rows(neighbour), BINS, weights, **terms)

        assert find_distance(*sums[-2:]) <= receipt.sensitivity * (1 + 1e-15)
        assert receipt.released.endswith('of columns, in up to 3 codes each')
        assert_same(counts.tables, {pair: count_pairs(codes)[pair] for pair in chosen})
