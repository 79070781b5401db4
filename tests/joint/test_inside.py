"""Codes inside bins: as frequent as they should be, and never one that must not be."""

import numpy as np

from sdv_threea.joint.inside import draw_inside


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
