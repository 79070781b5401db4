"""Siblings: one pair per unit, how far it can move the products, and what they share."""

import math
from functools import partial

import numpy as np
import pytest

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.constants import RelationalConstants
from sdv_threea.privacy import sums as doors
from sdv_threea.relational.siblings import (
    SiblingMoments,
    choose_pairs,
    release_siblings,
    shared_effect,
)
from sdv_threea.units.membership import LEFT_OUT

CONSTANTS = ApproximateConstants()
MOST_SHARED = RelationalConstants().most_shared
release_siblings = partial(release_siblings, count_weight=CONSTANTS.count_weight)
shared_effect = partial(shared_effect, most_shared=MOST_SHARED)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def products(one, other, radius, monkeypatch, neighbors='add_remove'):
    """Return the exact values that go into the mechanism for these pairs, and the sensitivity."""
    seen = {}
    real = doors.add_noise

    def look(values, **terms):
        seen['exact'] = np.asarray(values, dtype=np.float64)
        seen['sensitivity'] = terms['sensitivity']
        return real(values, **terms)

    with monkeypatch.context() as patch:
        patch.setattr(doors, 'add_noise', look)
        release_siblings(
            (one, other), radius, mu=math.inf, neighbors=neighbors, noise=lambda size, _: 0
        )
    return seen['exact'], seen['sensitivity']


def draw_pairs(rng, num_pairs, covariance, shared):
    """Draw scores of pairs of siblings with a covariance, and with one between siblings."""
    width = len(covariance)
    common = rng.multivariate_normal(np.zeros(width), shared, num_pairs)
    parts = rng.multivariate_normal(np.zeros(width), covariance - shared, (2, num_pairs))
    return tuple(np.rint((common + part) * SCORE_UNITS).astype(np.int64) for part in parts)


def test_a_unit_has_one_pair_of_siblings_at_most(rng):
    owners = rng.integers(-1, 40, 300)
    units = np.where(owners >= 0, owners // 4, np.arange(300) + 1000)
    units[rng.random(300) < 0.1] = LEFT_OUT
    first, second = choose_pairs(units, owners, rng)

    assert (first != second).all()
    assert (owners[first] == owners[second]).all() and owners[first].min() >= 0
    assert (units[first] == units[second]).all() and units[first].min() >= 0
    assert len(set(units[first])) == len(first) == 10


def test_only_children_have_no_siblings(rng):
    owners = np.array([0, 1, 2, 2, -1, -1])
    first, second = choose_pairs(np.array([0, 1, 2, 2, 7, 7]), owners, rng)

    assert {*first, *second} == {2, 3}


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
@pytest.mark.parametrize('width', [1, 2, 5])
def test_no_pair_moves_the_products_farther_than_stated(rng, width, neighbors, monkeypatch):
    radius, farthest = 40, 0.0
    some = [rng.integers(-60, 60, (7, width)) for _ in range(2)]
    base, sensitivity = products(*some, radius, monkeypatch, neighbors)
    for trial in range(60):
        pair = [rng.integers(-60, 60, (1, width)) for _ in range(2)]
        if trial == 0:
            # The worst case: both siblings have the same scores, as long as the radius allows.
            pair = [np.array([[radius] + [0] * (width - 1)])] * 2
        more = [np.concatenate([old, new]) for old, new in zip(some, pair, strict=True)]
        moved, _ = products(*more, radius, monkeypatch, neighbors)
        if neighbors == 'replace_one':
            other = [rng.integers(-60, 60, (1, width)) for _ in range(2)]
            more = [np.concatenate([old, new]) for old, new in zip(some, other, strict=True)]
            base, _ = products(*more, radius, monkeypatch, neighbors)
        farthest = max(farthest, np.linalg.norm(moved - base))
        assert farthest <= sensitivity
    if neighbors == 'add_remove':
        assert farthest > 0.7 * sensitivity


def test_without_noise_the_covariance_between_siblings_comes_back(rng):
    covariance = np.array([[1.0, 0.3], [0.3, 1.0]])
    shared = np.array([[0.6, 0.1], [0.1, 0.2]])
    pairs = draw_pairs(rng, 40_000, covariance, shared)
    found, receipt = release_siblings(
        pairs, 8 * SCORE_UNITS, mu=math.inf, neighbors='add_remove', noise=lambda *_: 0
    )

    assert found.count == pytest.approx(40_000)
    assert np.abs(found.covariance - shared).max() < 0.05
    assert receipt.noise_scale == 0


def test_a_mean_of_the_scores_is_taken_out(rng):
    pairs = draw_pairs(rng, 20_000, np.eye(1), np.zeros((1, 1)))
    shifted = tuple(scores + 2 * SCORE_UNITS for scores in pairs)
    found, _ = release_siblings(
        shifted, 8 * SCORE_UNITS, mu=math.inf, neighbors='add_remove', noise=lambda *_: 0
    )

    assert abs(found.covariance[0, 0]) < 0.06


def test_units_without_siblings_are_released_too(noise):
    none = np.zeros((0, 2), dtype=np.int64)
    found, receipt = release_siblings(
        (none, none), 4 * SCORE_UNITS, mu=1.0, neighbors='add_remove', noise=noise(0)
    )

    assert found.count >= 1
    assert np.isfinite(found.covariance).all()
    assert receipt.mu == 1.0


@pytest.mark.parametrize('seed', range(20))
def test_the_effect_leaves_something_to_each_row(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    rest = root @ root.T / 5 + 0.1 * np.eye(3)
    wild = rng.normal(size=(3, 3)) * 2
    moments, none = SiblingMoments(1e5, wild + wild.T, 0.01), np.zeros((3, 3))
    effect = shared_effect(moments, np.ones(3), none, rest)

    assert effect == pytest.approx(effect.T)
    assert np.linalg.eigvalsh(effect).min() > -1e-9
    assert np.linalg.eigvalsh(rest * MOST_SHARED - effect).min() > -1e-9
