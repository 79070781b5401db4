from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate.histograms import column_shares, keep_ends, known_records
from sdv_threea.constants import ApproximateConstants

CONSTANTS = ApproximateConstants()
known_records = partial(known_records, doubt=3.0)
column_shares = partial(column_shares, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def estimate(counts, total=None, mask=None, *, scale=0.0, ordered=False):
    counts = np.asarray(counts, dtype=float)
    mask = np.ones(len(counts), dtype=bool) if mask is None else np.asarray(mask)
    total = max(counts.sum(), 1.0) if total is None else total
    return column_shares(counts, total, mask, scale=scale, ordered=ordered)


@pytest.mark.parametrize('ordered', [False, True])
def test_without_noise_shares_are_the_frequencies(rng, ordered):
    counts = rng.integers(0, 50, 11).astype(float)
    counts[3] = 0

    assert estimate(counts, ordered=ordered) == pytest.approx(counts / counts.sum(), abs=1e-12)


@pytest.mark.parametrize('ordered', [False, True])
@pytest.mark.parametrize('scale', [0.0, 0.1, 30.0, 1e6, 1e15])
def test_shares_are_probabilities_inside_the_mask_whatever_the_noise(rng, ordered, scale):
    for _ in range(100):
        size = int(rng.integers(1, 40))
        counts = rng.integers(0, 50, size) + rng.normal(0, scale, size)
        mask = rng.random(size) < 0.7
        mask[rng.integers(size)] = True

        shares = estimate(counts, mask=mask, scale=scale, ordered=ordered)

        assert np.isfinite(shares).all()
        assert (shares >= 0).all()
        assert shares.sum() == pytest.approx(1)
        assert (shares[~mask] == 0).all()


def test_categories_that_noise_masks_are_even_and_none_gets_the_records_of_all(rng):
    """Seventy-seven districts of 4,500 rows: a threshold left one that noise had raised."""
    true = np.append([0.0, 550.0], np.repeat([150.0, 50.0], [12, 64]))
    mask = np.arange(len(true)) > 0

    for _ in range(10):
        noisy = true + 100 * rng.standard_normal(len(true))
        shares = estimate(noisy, true.sum(), mask, scale=100.0)

        assert shares[1:].min() > 0
        assert shares[2:].max() < 0.1
        assert np.abs(shares - true / true.sum()).sum() / 2 < 0.3


def test_records_without_a_code_do_not_turn_into_other_codes():
    counts = np.array([0.0, 115.0, 35.0, 0.0])

    exact = estimate(counts, 1_500)
    noisy = estimate(counts + [0.5, -0.5, 0.5, -0.5], 1_500, scale=0.5)

    assert exact == pytest.approx(counts / 150, abs=1e-12)
    assert noisy == pytest.approx(exact, abs=0.03)


def test_the_missing_value_is_not_smoothed_into_its_neighbours(rng):
    counts = np.concatenate([[5_000.0], np.full(16, 10.0)]) + rng.normal(0, 3, 17)

    shares = estimate(counts, 5_160, scale=3.0, ordered=True)

    assert shares[0] == pytest.approx(5_000 / 5_160, rel=0.01)
    assert shares[1:] == pytest.approx(np.full(16, 10 / 5_160), rel=0.3)


# How many records have a code


def test_all_records_have_a_code_unless_the_counts_say_otherwise_beyond_doubt():
    counts, mask = np.array([40.0, 30.0, 20.0]), np.array([True, True, False])

    assert known_records(counts, 75.0, mask, 0.0) == 70
    assert known_records(counts, 75.0, mask, 1.0) == pytest.approx(70 + 3.0 * np.sqrt(2))
    assert known_records(counts, 75.0, mask, 2.0) == 75
    assert known_records(counts, 60.0, mask, 0.0) == 60


# Ends


def test_the_ends_of_a_range_keep_the_least_share():
    mask = np.array([False, False, True, True, True, False])
    histograms = np.array([[0, 0, 0, 0.5, 0.5, 0], [0, 0, 0, 1.0, 0, 0]])

    kept = keep_ends(histograms, mask, 0.003)

    assert np.allclose(kept.sum(axis=1), 1)
    assert np.allclose(kept[:, 2], 0.003, atol=1e-4)
    assert np.allclose(kept[:, 4], [0.5, 0.003], atol=2e-3)
    assert not kept[:, [0, 1, 5]].any()
