"""Codes inside bins: as frequent as they should be, and never one that must not be."""

import numpy as np
import pytest

from sdv_threea.joint.inside import add_up, draw_inside


def test_weights_of_codes_are_added_up_by_bin_and_those_in_none_are_not():
    weights = np.array([[1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 0.0, 1.0]])

    found = add_up(weights, np.array([1, -1, 0, 1]), 3)

    assert found.tolist() == [[4, 9, 0], [0, 1, 0]]


def test_keys_are_drawn_by_their_own_weights_in_any_order(rng):
    """As many keys as codes of a column that others follow from."""
    weights = np.zeros((500, 500))
    values = rng.permutation(500)
    weights[np.arange(500), values] = 1.0
    bins, keys = np.arange(500) // 50, rng.integers(0, 500, 3_000)

    codes = draw_inside(weights, bins, keys, bins[values[keys]], rng)

    assert np.array_equal(codes, values[keys])


def test_codes_are_as_frequent_as_their_weights_in_the_bin(rng):
    weights = np.array([[1.0, 3.0, 0.0, 2.0, 2.0], [1.0, 0.0, 1.0, 0.0, 0.0]])
    of_code = np.array([0, 0, 0, 1, -1])
    bins, classes = np.zeros(20_000, dtype=np.int64), np.arange(20_000) % 2

    codes = draw_inside(weights, of_code, classes, bins, rng)

    for label, expected in enumerate([[0.25, 0.75, 0, 0, 0], [0.5, 0, 0.5, 0, 0]]):
        shares = np.bincount(codes[classes == label], minlength=5) / 10_000
        assert shares == pytest.approx(np.array(expected), abs=0.015)


def test_codes_are_always_of_their_bin_and_of_positive_weight(rng):
    for _ in range(200):
        size, num_classes = int(rng.integers(1, 30)), int(rng.integers(1, 4))
        of_code = np.sort(rng.integers(0, rng.integers(1, size + 1), size))
        of_code = np.unique(of_code, return_inverse=True)[1]
        weights = rng.exponential(size=(num_classes, size)) ** 9
        weights[rng.random(weights.shape) < 0.4] = 0
        bins = rng.integers(0, of_code.max() + 1, 300)
        classes = rng.integers(0, num_classes, 300)

        codes = draw_inside(weights, of_code, classes, bins, rng)

        assert np.array_equal(of_code[codes], bins)
        given = np.array(
            [weights[c][of_code == b].sum() for c, b in zip(classes, bins, strict=True)]
        )
        assert (weights[classes, codes][given > 0] > 0).all()
