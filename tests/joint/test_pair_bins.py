"""The bins of pairs: as many as the noise carries, and none for what cannot occur."""

import math
from itertools import combinations

import numpy as np
import pytest

from sdv_threea.constants import ApproximateConstants
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.joint.pair_bins import (
    add_evident,
    choose_pairs,
    cut_pair_bins,
    num_packed,
    num_pair_bins,
    plan_pairs,
    stress_rare,
)

CONSTANTS = JointConstants()
ROOMS = CONSTANTS, ApproximateConstants()


def cut(shares, mask=None, *, ordered=False, num_bins=4, least=0.05):
    shares = np.asarray(shares, dtype=float)
    mask = np.ones(len(shares), dtype=bool) if mask is None else np.asarray(mask)
    (bins,) = cut_pair_bins([shares], [mask], [ordered], num_bins, least, *ROOMS)
    return bins


# How many


def test_all_pairs_of_columns_that_say_anything_are_counted():
    counts = [np.array([40.0, 60.0]), np.array([99.0, 1.0]), np.full(50, 2.0), np.array([94.0])]

    found = [choose_pairs(counts, 100, mu, CONSTANTS) for mu in (1e9, 12.5, 0.1)]

    # The noise of six pairs at a price of 12.5 is .2, and 10 times as much is 2.
    assert found == [tuple(combinations(range(4), 2)), ((0, 2), (0, 3), (2, 3)), ()]
    # Given columns are known together.
    assert choose_pairs(counts, 100, 1e9, CONSTANTS, 3) == ((0, 3), (1, 3), (2, 3))
    # Doubtful ones of these wait for evidence, and do not add to the noise.
    asked = choose_pairs(counts, 100, 1e9, CONSTANTS, 3, frozenset([1]))
    assert asked == ((0, 3), (2, 3))


def test_evident_pairs_are_added_as_far_as_noise_leaves_pairs_countable():
    """Of 9,000 records, 3^2 bins hold 1,000 each: three times the noise of a count, at most 333."""
    plan = plan_pairs([np.full(10, 900.0)] * 2, 9_000, 0.01, CONSTANTS)
    evidence = {(0, 2): 4.0, (0, 3): 9.0, **{(1, at): 5.0 for at in range(2, 40)}}
    found = add_evident(plan, evidence, 9_000, 0.01, CONSTANTS)

    assert plan.pairs == ((0, 1),)
    assert found.pairs[:2] == ((0, 1), (0, 3)) and (0, 2) not in found.pairs
    assert len(found.pairs) == 11 and found.num_bins == CONSTANTS.least_bins < plan.num_bins
    assert add_evident(plan, {}, 9_000, 0.01, CONSTANTS) == plan


def stress(columns, pairs, noise):
    mu = math.sqrt(len(pairs)) / noise
    found = stress_rare(columns, 4_000, pairs, mu, CONSTANTS)
    return [round(each, 6) for each in found]


def test_pairs_of_a_rare_value_are_counted_more_precisely_where_the_others_hardly_pay_for_it():
    """The variance of all others grows by a quarter at most; else none is more precise."""
    numbers, rare = [np.full(10, 400.0)] * 25, np.array([3_900.0, 100.0])
    pairs = list(combinations(range(26), 2))

    found = stress([*numbers, rare], pairs, 50.0)

    assert found == [1.0] * 25 + [2.0]  # 25 pairs of 325, four times: 1.23 times as much
    assert stress([*numbers, rare], pairs, 15.0) == [1.0] * 25 + [1.5]  # as many as it lacks
    assert stress([*numbers, rare], pairs, 5.0) == [1.0] * 26
    assert stress([*numbers[:20], *[rare] * 6], pairs, 50.0) == [1.0] * 26
    assert stress([*numbers, rare], pairs, 1e-9) == [1.0] * 26
    # A column that makes no pairs costs none.
    assert stress([*numbers, rare, rare], pairs, 50.0)[:26] == found


@pytest.mark.parametrize(('mu', 'counted'), [(0.05, False), (5.0, True)])
def test_beside_a_numerical_target_pairs_are_counted_finely_or_not_at_all(mu, counted):
    counts = [np.full(80, 5_000 / 80)] * 4 + [np.full(3, 5_000 / 3)] * 3

    usual = plan_pairs(counts, 5_000, mu, CONSTANTS)
    beside = plan_pairs(counts, 5_000, mu, CONSTANTS, adapts_number=True)

    assert usual is not None
    assert (usual.num_bins >= CONSTANTS.least_bins_of_number) == counted
    assert beside == (usual if counted else None)


@pytest.mark.parametrize('num_columns', [0, 1, CONSTANTS.most_columns + 1])
def test_a_column_alone_has_no_pairs_and_too_many_have_none(num_columns):
    columns = [np.array([40.0, 60.0])] * num_columns

    assert choose_pairs(columns, 100, math.inf, CONSTANTS) == ()


@pytest.mark.parametrize('mu', [0.1, 0.4, 3.0])
@pytest.mark.parametrize('num_pairs', [1, 105, 8128])
@pytest.mark.parametrize('num_records', [1.0, 2_000.5, 30_000.0, 1e7])
def test_a_bin_of_two_columns_holds_some_times_the_noise(num_records, num_pairs, mu):
    num_bins = num_pair_bins(num_records, num_pairs, mu, CONSTANTS)

    noise = math.sqrt(num_pairs) / mu
    wanted = CONSTANTS.records_per_noise * max(noise, CONSTANTS.records_per_noise)
    if num_bins is None:
        assert num_records / CONSTANTS.least_bins**2 < wanted
    else:
        assert CONSTANTS.least_bins <= num_bins <= CONSTANTS.most_bins
        assert num_records / num_bins**2 >= wanted
        if num_bins < CONSTANTS.most_bins:
            assert num_records / (num_bins + 1) ** 2 < wanted


# Which


def test_bins_of_an_ordered_column_are_intervals_beside_spikes_and_the_missing_value():
    shares = np.append(0.1, np.full(50, 0.01))
    shares[17] = 0.41

    bins = cut(shares, ordered=True)

    alone = [at for at in range(51) if (bins == bins[at]).sum() == 1]
    assert alone == [0, 17]
    others = np.delete(bins, alone)
    assert (np.diff(others) >= 0).all()
    assert len(np.unique(others)) == 4


def test_categories_share_a_bin_only_if_noise_would_mask_functions_of_them():
    """Of 42 states two share a bin, by the limit of bins; of 200 small planes, many do."""
    for size, num_bins, wanted in ((42, 20, 40), (80, 9, 23), (200, 9, 13), (1_000, 9, 9)):
        bins = cut(np.full(size, 1 / size), num_bins=num_bins)
        assert len(np.unique(bins)) == wanted


def test_a_category_for_all_unlisted_values_is_no_evidence_of_the_others():
    shares = np.append(0.5, np.full(200, 0.0025))

    assert num_packed([shares], 9, 1, CONSTANTS) == 9
    assert num_packed([np.append(0.0, np.full(40, 1 / 40))], 9, 1, CONSTANTS) == CONSTANTS.most_bins
    assert num_packed([np.full(60, 1 / 60), shares], 9, 1, CONSTANTS) == 9, 'for both of a pair'


def cut_alike(shares, apart, num_bins=4, least=0.01):
    shares = np.append(0.0, shares)
    mask = np.ones(len(shares), dtype=bool)
    known = [shares], [mask], [False], num_bins, least, *ROOMS
    (bins,) = cut_pair_bins(*known, [tuple(apart)])
    assert bins[0] == -1, 'nothing is missing'
    return bins[1:]


def test_bins_are_of_large_parts_that_are_unlike():
    apart = np.full(100, 0.1)
    apart[[2, 40, 80]] = 9.0, 5.0, 5.0
    shares = np.full(100, 0.01)
    shares[:2] = 0.001

    bins = cut_alike(shares / shares.sum(), apart, num_bins=3)

    assert (np.flatnonzero(np.diff(bins)) + 1).tolist() == [40, 80]


def test_frequent_categories_have_a_bin_each_and_those_that_noise_masks_share_one():
    """A lookup of 33 rows: noise masks 30 of them, of which attributes tell one apart."""
    shares = np.append([0.4, 0.3, 0.2], np.full(30, 0.1 / 30))
    apart = np.zeros(33)
    apart[10] = 1.0

    bins = cut_alike(shares, apart)

    assert bins.tolist() == [0, 1, 2] + [3] * 30


def test_runs_of_values_without_attributes_are_no_runs():
    """A list of codes says nothing about which of them are alike: frequent ones have a bin each."""
    shares = np.append([0.4, 0.3, 0.2], np.full(30, 0.1 / 30))

    bins = cut_alike(shares, np.zeros(33))

    assert (np.bincount(bins)[bins[:3]] == 1).all()
