import numpy as np
import pytest

from sdv_threea.describe.ranges import Sketch
from sdv_threea.encoding.constants import EncodingConstants
from sdv_threea.encoding.edges import quantile_edges

CONSTANTS = EncodingConstants()


def make_sketch(counts, scale=0.0):
    borders = np.arange(len(counts) + 1.0)
    return Sketch(np.stack([borders[:-1], borders[1:]], axis=1), np.array(counts, float), scale)


def test_bins_hold_about_equal_mass():
    edges = quantile_edges(
        make_sketch([100, 300, 0, 600]), 0.0, 4.0, EncodingConstants(most_bins=10)
    )

    for edge in [1, 4 / 3, 5 / 3, *(3 + np.arange(1, 7) / 6)]:
        assert np.abs(edges - edge).min() < 0.02
    assert len(edges) < 10 + 1 + 2 * len(CONSTANTS.thin_bins) + 4


def test_the_outermost_bins_are_thin_and_keep_the_bins_of_the_sketch_apart():
    edges = quantile_edges(
        make_sketch([1000, 1000, 30, 10]), 0.0, 4.0, EncodingConstants(most_bins=10)
    )

    assert edges[:5] == pytest.approx(np.array([0, 1 / 8, 1 / 4, 1 / 2, 1]) * 0.204, abs=0.01)
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
    edges = quantile_edges(make_sketch(counts), low, high, CONSTANTS)

    assert (edges[0], edges[-1]) == (low, high)
    assert np.all(np.diff(edges) > 0)
    assert len(edges) <= CONSTANTS.most_bins + 1 + 2 * len(CONSTANTS.thin_bins) + len(counts) + 2
    if counts == [0, 0, 0]:
        assert np.max(np.diff(edges)) == pytest.approx(3 / CONSTANTS.most_bins)
