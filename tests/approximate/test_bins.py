from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate.bins import bin_weights, cut_bins, num_class_bins
from sdv_threea.constants import ApproximateConstants

CONSTANTS = ApproximateConstants()
cut_bins = partial(cut_bins, constants=CONSTANTS)
num_class_bins = partial(num_class_bins, constants=CONSTANTS)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_there_are_as_many_bins_as_the_root_of_the_records_in_units_of_noise():
    assert num_class_bins(np.array([10_201.0, 10_201.0]), 4.0) == 50
    assert num_class_bins(np.array([102.01, 1e6]), 4.0) == 50
    assert num_class_bins(np.array([1e4, 1.0]), 4.0) == num_class_bins(np.array([1e4, 4.0]), 4.0)


def test_there_are_a_few_bins_at_least_and_without_noise_there_is_none():
    assert num_class_bins(np.ones(3), 1e15) == CONSTANTS.least_bins
    # Noise adds up over bins: where it is as loud as a class, a column has but a few.
    assert num_class_bins(np.array([1_800.0, 400.0]), 150.0) <= 4
    assert num_class_bins(np.full(3, 1e4), 0.0) is None


@pytest.mark.parametrize('num_bins', [1, 2, 8, 31, 64])
@pytest.mark.parametrize('least', [0.0, 0.05, 1.0])
def test_bins_are_runs_of_codes_no_more_than_wanted_and_spikes_are_alone(rng, num_bins, least):
    for _ in range(100):
        size = int(rng.integers(1, 200))
        mask = rng.random(size) < rng.uniform(0.05, 1)
        shares = rng.dirichlet(np.full(size, rng.choice([0.01, 1.0]))) * mask
        shares = shares / shares.sum() if shares.sum() else shares

        bins = cut_bins(shares, mask, num_bins, least)

        assert bins.shape == (size,)
        assert np.unique(bins).tolist() == list(range(bins.max() + 1))
        assert np.flatnonzero(bins == 0).tolist() == [0]
        if mask[1:].sum() <= num_bins:
            assert np.array_equal(bins, np.arange(size))
            continue
        means = np.bincount(bins, np.arange(size)) / np.bincount(bins)
        assert (np.diff(means) >= 0).all()
        heavy = np.isin(bins, np.flatnonzero(np.bincount(bins) == 1)) & (shares > least)
        others = np.flatnonzero(~heavy)[1:]
        assert (np.diff(bins[others]) >= 0).all()
        assert len(np.unique(bins[others])) <= num_bins


def test_bins_have_equal_roots_of_mass(rng):
    shares = np.append(0.1, 0.9 * rng.dirichlet(np.full(2_000, 2.0)))

    bins = cut_bins(shares, np.ones(2_001, dtype=bool), 10, 1.0)

    roots = np.bincount(bins, np.sqrt(shares))[1:]
    assert bins.max() == 10
    assert roots == pytest.approx(np.full(10, roots.mean()), rel=0.05)


# Weights


def test_weights_are_whole_numbers_of_at_least_one_and_larger_for_rarer_bins(rng):
    for _ in range(100):
        shares = rng.dirichlet(np.full(int(rng.integers(1, 50)), 0.3))
        weights = bin_weights(shares, 1e-3)
        assert weights.dtype == np.int64
        assert weights.min() >= 1
        assert (np.diff(weights[np.argsort(shares)]) <= 0).all()
