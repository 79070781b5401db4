"""Counts code by code: rows with one value get it, and others come close to the truth."""

import numpy as np
import pytest

from sdv_threea.joint.code_tables import CodeCounts, estimate_codes

NUM_RECORDS = 30_000.0


def read(true, scale, rng, ordered=(False, False), margin_scale=0.0):
    """Add noise, and estimate the table with nothing known but its margins."""
    noisy = true + scale * rng.standard_normal(true.shape)
    margins = [
        np.maximum(true.sum(axis=axis) + margin_scale * rng.standard_normal(size), 0)
        for axis, size in ((1, len(true)), (0, len(true.T)))
    ]
    expected = np.outer(*margins) / margins[1].sum()
    return estimate_codes(CodeCounts(noisy, scale, margin_scale), expected, ordered)


def make_function(rng, num_codes=50, num_values=50):
    values = rng.permutation(num_codes) % num_values
    true = np.zeros((num_codes, num_values))
    true[np.arange(num_codes), values] = NUM_RECORDS * rng.dirichlet(np.full(num_codes, 4.0))
    return true


def test_without_noise_the_counts_are_the_table(rng):
    true = rng.dirichlet(np.full(12, 0.3), 10) * NUM_RECORDS / 10

    found = read(true, 0.0, rng)

    assert found == pytest.approx(true, abs=1e-6 * NUM_RECORDS)


def test_tables_have_the_margins_of_what_is_known(rng):
    true = make_function(rng, 40, 8)

    found = read(true, 40.0, rng)

    assert found.min() >= 0
    assert found.sum(axis=1) == pytest.approx(true.sum(axis=1), rel=1e-6)
