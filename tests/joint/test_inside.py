"""Codes inside bins: as frequent as they should be, and never one that must not be."""

import numpy as np

from sdv_threea.joint.inside import draw_inside, fill_evenly


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


def test_places_are_uniform_and_spread_evenly_over_rows_that_are_alike(rng):
    keys = [rng.integers(0, 3, 9_000), rng.integers(0, 3, 9_000)]

    places = fill_evenly(keys, rng, 9_000)

    assert places.min() >= 0
    assert places.max() < 1
    for code in range(9):
        alike = np.sort(places[(keys[0] == code // 3) & (keys[1] == code % 3)])
        # Of 1,000 independent numbers, the largest gap is about 7 times the mean.
        assert np.diff(alike).max() < 3.5 / len(alike)
    firsts = [fill_evenly([], rng, 3)[0] for _ in range(2_000)]
    assert np.histogram(firsts, 10, (0, 1))[0].min() > 100
