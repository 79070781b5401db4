"""What the sketch of a number says of its codes: a second count, averaged with the first."""

from types import SimpleNamespace

import numpy as np
import pytest

from sdv_threea.approximate.bins import reconcile
from sdv_threea.describe.ranges import Sketch
from sdv_threea.encoding import support
from sdv_threea.encoding.support import count_again
from sdv_threea.encoding.transformers import NumberEncoder

#: Five bins of a sketch from 0 to 32.
EDGES = np.array([[0.0, 2], [2, 4], [4, 8], [8, 16], [16, 32]])


@pytest.fixture
def count(monkeypatch):
    """Count codes again that have the values from and to which spans go."""

    def count(spans, counts, least, most=None, scale=1.0):
        encoder = NumberEncoder.__new__(NumberEncoder)
        encoder.columns = ['x']
        monkeypatch.setattr(support, '_spans', lambda _: np.array(spans, dtype=float))
        first, second = (
            Sketch(EDGES, np.array(each, dtype=float), scale)
            for each in (least, least if most is None else most)
        )
        known = SimpleNamespace(sketches={'x': first}, most={'x': second})
        return count_again(encoder, known, np.array(counts, dtype=float))

    return count


def test_codes_inside_a_bin_are_counted_together(count):
    spans = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 15), (16, 31)]
    found, noise, bins = count(spans, [9, 1, 1, 1, 1, 1, 1], [10, 20, 30, 40, 50])

    assert found.tolist() == [10, 20, 30, 40, 50, 0]
    assert noise.tolist() == [1, 1, 1, 1, 1, np.inf]
    assert bins.tolist() == [5, 0, 1, 2, 2, 3, 4]  # nothing is known of the missing value


def test_a_code_that_crosses_bins_makes_one_of_them(count):
    spans = [(0, 4), (5, 7), (8, 15), (16, 31)]
    found, noise, bins = count(spans, [0, 1, 1, 1, 1], [10, 20, 30, 40, 50])

    assert found.tolist() == [60, 40, 50, 0]
    assert noise.tolist() == [3**0.5, 1, 1, np.inf]
    assert bins.tolist() == [3, 0, 0, 1, 2]


@pytest.mark.parametrize(
    ('spans', 'unknown'),
    [
        ([(-9, 0), (1, 1), (2, 3), (4, 7), (8, 15), (16, 31)], {0}),
        ([(0, 1), (2, 3), (4, 7), (8, 15), (16, 40)], {4}),
        ([(0, 1), (2, 3), (4, 7), (8, 15), (16, 31), (32, 40)], set()),
        ([(-9, -1), (0, 1), (2, 3), (4, 7), (8, 15), (16, 31)], set()),
        ([(-9, 40)], {0, 1, 2, 3, 4}),
    ],
)
def test_of_bins_that_codes_cover_in_part_nothing_is_known(count, spans, unknown):
    counts = np.arange(1.0, len(spans) + 2)
    found, noise, bins = count(spans, counts, [10, 20, 30, 40, 50])

    assert set(np.flatnonzero(np.isinf(noise[:-1])).tolist()) == unknown
    after = reconcile(counts, 1.0, found, noise, bins)
    assert np.isfinite(after).all()
    outside = [0, *(at + 1 for at, (low, high) in enumerate(spans) if low < 0 or high >= 32)]
    assert (after[outside] == counts[outside]).all()


def test_between_the_least_and_the_most_the_first_count_stands(count):
    spans = [(0, 1), (2, 3), (4, 7), (8, 15), (16, 31)]
    counts = [0, 12, 5, 70, 40, -3]
    found, _, _ = count(spans, counts, [10, 10, 30, 40, -9], [24, 24, 60, 40, -22])

    assert found[:-1].tolist() == [12, 10, 60, 40, -9]


def test_both_counts_together_are_closer_than_the_first(count, rng):
    spans = [(at, at) for at in range(32)]
    truth = np.append(0.0, rng.integers(0, 50, 32))
    of_bins = [truth[1 + int(low) : 1 + int(high)].sum() for low, high in EDGES]
    off = []
    for _ in range(200):
        counts = truth + rng.normal(0, 5, 33)
        again = count(spans, counts, of_bins + rng.normal(0, 2, 5), scale=2.0)
        both = reconcile(counts, 5.0, *again)
        sums = [[each[1:3].sum(), each[17:].sum()] for each in (counts - truth, both - truth)]
        off.append(np.square(sums))

    assert (np.mean(off, axis=0)[1] < 0.5 * np.mean(off, axis=0)[0]).all()


def test_exact_counts_stay_as_they_are(count):
    spans = [(0, 1), (2, 3), (4, 7), (8, 15), (16, 31)]
    counts = np.array([3.0, 1, 2, 3, 4, 5])
    again = count(spans, counts, [9, 9, 9, 9, 9])

    assert reconcile(counts, 0.0, *again).tolist() == counts.tolist()


def test_nothing_is_known_of_columns_without_a_sketch(count):
    found, noise, bins = count_again(
        SimpleNamespace(name='y'), SimpleNamespace(sketches={}), np.array([1.0, 2.0])
    )

    assert (found.tolist(), noise.tolist(), bins.tolist()) == ([0.0], [np.inf], [0, 0])
