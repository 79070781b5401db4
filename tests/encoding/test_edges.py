import numpy as np
import pytest

from sdv_threea.constants import MOST_BINS
from sdv_threea.describe.ranges import Sketch
from sdv_threea.encoding.edges import quantile_edges


def make_sketch(counts, scale=0.0):
    borders = np.arange(len(counts) + 1.0)
    return Sketch(np.stack([borders[:-1], borders[1:]], axis=1), np.array(counts, float), scale)


def test_bins_hold_about_equal_mass():
    edges = quantile_edges(make_sketch([100, 300, 0, 600]), 0.0, 4.0, 10)

    for edge in [1, 4 / 3, 5 / 3, *(3 + np.arange(1, 7) / 6)]:
        assert np.abs(edges - edge).min() < 0.02
    assert len(edges) < 10 + 1 + 4


def test_in_the_tails_the_bins_of_the_sketch_are_kept_apart():
    edges = quantile_edges(make_sketch([1000, 1000, 30, 10]), 0.0, 4.0, 10)

    assert {2.0, 3.0} <= set(edges)


@pytest.mark.parametrize(
    ('counts', 'low', 'high'),
    [
        ([0, 0, 0], 0.0, 3.0),
        ([-5, -9, -1], 0.0, 3.0),
        ([5, -9, 1], -2.5, 7.0),
        ([5, 9, 1], 0.5, 0.75),
        ([5, 9, 1], 10.0, 20.0),
        ([5, 9, 1], -20.0, -10.0),
        ([1e9, 0, 1], 0.0, 3.0),
        ([5, 9, 1], 1.0, 1.0),
    ],
)
def test_bins_cover_the_range_whatever_the_counts(counts, low, high):
    edges = quantile_edges(make_sketch(counts), low, high)

    assert (edges[0], edges[-1]) == (low, high)
    assert np.all(np.diff(edges) > 0)
    assert len(edges) <= MOST_BINS + 1 + len(counts) + 2
    if counts == [0, 0, 0]:
        assert np.max(np.diff(edges)) == pytest.approx(3 / MOST_BINS)
