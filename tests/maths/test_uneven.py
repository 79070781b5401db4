"""Noisy counts of many rows, estimated together."""

import numpy as np
import pytest

from sdv_threea.maths.uneven import estimate_uneven


def make_counts(spread, scale, num=400, mean=10.0, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.poisson(mean * np.exp(spread * rng.standard_normal(num) - spread**2 / 2))
    return true, true + scale * rng.standard_normal(num)


@pytest.mark.parametrize('scale', [3.0, 20.0, 100.0])
def test_estimates_are_closer_than_the_noisy_counts_and_than_the_mean(scale):
    true, noisy = make_counts(1.5, scale)
    found = estimate_uneven(noisy, scale, true.sum())

    assert found.sum() == pytest.approx(true.sum())
    assert found.min() >= 0
    errors = [np.square(each - true).mean() for each in (found, noisy, np.full(400, true.mean()))]
    assert errors[0] < errors[1]
    assert errors[0] <= 1.001 * errors[2]


def test_an_evident_count_is_kept_and_noise_alone_leaves_all_rows_about_even():
    _, noisy = make_counts(0.0, 50.0)
    even = estimate_uneven(noisy, 50.0, 4000.0)
    noisy[7] = 1500.0
    found = estimate_uneven(noisy, 50.0, 5500.0)

    assert even.max() < 2 * even.mean()
    assert found[7] == pytest.approx(1500, rel=0.1)
    assert np.delete(found, 7).max() < 100


def test_a_count_far_above_the_noise_stays_whatever_the_others_are():
    for spread in (0.0, 1.5):
        true, noisy = make_counts(spread, 5.0, num=20)
        noisy[3], true[3] = 1e6 + 5.0, 1e6
        assert estimate_uneven(noisy, 5.0, true.sum())[3] == pytest.approx(1e6, abs=20)


def test_exact_counts_stay_and_nothing_is_shared_evenly():
    assert estimate_uneven(np.array([3.0, 0.0, 1.0]), 0.0, 8.0).tolist() == [6.0, 0.0, 2.0]
    assert estimate_uneven(np.zeros(4), 0.0, 8.0).tolist() == [2.0] * 4
    assert estimate_uneven(np.zeros(4), 5.0, 0.0).tolist() == [0.0] * 4
