"""Settings are validated at birth, with a message that says what to do."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sdv_threea.settings import MIXED, SHARES, Settings


def test_shares_name_every_stage_and_add_up():
    assert math.isclose(sum(SHARES.values()), 1.0)
    assert set(SHARES) == {'size', 'describe', 'columns', 'classes', 'moments', 'triples', 'adapt'}


BAD = {
    'epsilon': [0, -1.0, math.nan, '1', 9e-5, 1.1e9, 1e308, True],
    'delta': [0.0, 1.0, 0.5, 0.01, 5e-324, 9e-51, None],
    'guarantee': ['none'],
    'neighbors': ['substitute'],
    'n_components': [0, 10**6, 1.5, 'many', True],
    'alpha': [-0.1, 1.1],
    # A kernel is tried: its name, its shape, its sign, its arguments.
    'kernel': [
        'relu', lambda one, other: one.sum(), lambda one, other: -one @ other.T, lambda one: one
    ],
}  # fmt: skip


@pytest.mark.parametrize('name', BAD)
def test_bad_values_name_their_argument(name):
    for value in BAD[name]:
        with pytest.raises(ValueError, match=name):
            Settings(**{name: value})


def test_a_refusal_tells_the_range_that_works():
    with pytest.raises(ValueError, match=r'from 0\.0001 to 1e\+09, or math\.inf'):
        Settings(epsilon=1e308)
    with pytest.raises(ValueError, match=r'from 1e-50 to below 0\.01'):
        Settings(delta=5e-324)


def test_good_values_are_kept():
    settings = Settings(
        epsilon=math.inf,
        delta=1e-9,
        mixing='clusters',
        n_components=np.int64(3),
        kernel=lambda one, other: 1 + one @ other.T,
    )
    assert settings.clusters_per_class == 3
    assert Settings().clusters_per_class is None


def test_clusters_belong_to_the_algorithm_of_the_paper():
    assert Settings(guarantee='paper', n_components=3).mixing == 'clusters'
    assert Settings(guarantee='paper', mixing='random').mixing == 'random'
    for mixing in (None, 'random'):
        with pytest.raises(ValueError, match="choose mixing='clusters'"):
            Settings(mixing=mixing, n_components=1)


def test_shares_written_for_one_algorithm_suit_the_other():
    mixed = Settings(mixing='clusters').shares
    assert mixed == {**{k: v for k, v in SHARES.items() if k != 'triples'}, **MIXED}
    assert Settings(shares=mixed).shares == SHARES
    assert Settings(shares=mixed, mixing='random').shares == mixed
    assert Settings(shares={'adapt': 1.0}, guarantee='paper').shares['anonymize'] == 0
    assert replace(Settings(), mixing='clusters').shares == mixed
    assert replace(Settings(mixing='clusters'), mixing=None).shares == SHARES


def test_thresholds_get_a_part_of_delta():
    with_thresholds = Settings(delta=1e-5).budget(thresholds=True)
    without = Settings(delta=1e-5).budget(thresholds=False)
    assert 0 < with_thresholds.threshold_delta < 1e-5
    assert without.threshold_delta == 0
    assert with_thresholds.mu < without.mu


@pytest.mark.parametrize(
    'kind', [np.float16, np.float32, np.float64, np.longdouble, np.int8, int, Fraction]
)
def test_a_promise_is_the_same_whatever_the_type_of_epsilon(kind):
    exact = Settings(epsilon=8.0, delta=2.0**-20, alpha=0.5)
    given = Settings(epsilon=kind(8), delta=np.float32(2.0**-20), alpha=np.float16(0.5))

    assert [type(each) for each in (given.epsilon, given.delta, given.alpha)] == [float] * 3
    assert given.budget(thresholds=True) == exact.budget(thresholds=True)
    assert given.budget(thresholds=True).mu == exact.budget(thresholds=True).mu
