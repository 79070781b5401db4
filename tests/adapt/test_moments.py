"""Moments of features: sums of chunks add up, and draws are made to have them."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from triangles import pack

from sdv_threea.adapt.constants import AdaptConstants
from sdv_threea.adapt.features import FEATURE_UNITS, LARGEST_RADIUS, make_features
from sdv_threea.adapt.moments import add_features, match_moments, release_feature_moments
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.adapt.slopes import Featured
from sdv_threea.approximate.moments import ScoreMoments
from sdv_threea.approximate.scores import normal_scores
from sdv_threea.rows.chunks import chunk_arrays
from sdv_threea.rows.clipping import clip_norm
from sdv_threea.rows.records import Encoded

CONSTANTS = AdaptConstants()
RADIUS = 5 * FEATURE_UNITS


def no_noise(size, scale):
    return np.zeros(size, dtype=np.int64)


def make_rows(features):
    features = np.asarray(features)
    size = len(features)
    codes, labels = np.zeros((size, 1), np.int8), np.arange(size, dtype=np.int8) % 2
    return Featured(codes, labels, features)


def draw_features(rng, size, spread, radius=RADIUS):
    found = np.rint(rng.normal(size=(size, len(spread))) @ spread * FEATURE_UNITS)
    return clip_norm(found.astype(np.int64), radius)


def release(rows, *, radius=RADIUS, mu=math.inf, neighbors='add_remove', noise=no_noise, cut=999):
    terms = {'mu': mu, 'neighbors': neighbors, 'noise': noise}
    rows = chunk_arrays(rows, chunk_rows=cut)
    return release_feature_moments(rows, radius, CONSTANTS, **terms)


def test_moments_of_chunks_add_up_to_those_of_the_table_to_the_bit():
    rows = make_rows(draw_features(np.random.default_rng(1), 2000, np.eye(5)))
    order = np.random.default_rng(2).permutation(2000)
    other = Featured(*(each[order] for each in rows))

    wholes = [release(rows, cut=cut)[0] for cut in (1, 7, 2000)] + [release(other)[0]]

    for one, two in pairwise(wholes):
        for name in ('counts', 'sums', 'products'):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_without_noise_moments_are_those_of_the_features():
    features = draw_features(np.random.default_rng(3), 300, np.diag([1, 0.5, 2]))
    moments, _ = release(make_rows(features))

    vectors = features / FEATURE_UNITS
    assert moments.counts[0] == 300
    np.testing.assert_allclose(moments.sums[0], vectors.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.products[0], vectors.T @ vectors, rtol=1e-12)
    assert moments.sum_scale == moments.product_scale == 0


def test_features_of_records_are_those_of_their_scores_and_the_rest_stays():
    chances = [np.full((1, 5), 0.2), np.full((1, 3), 1 / 3)]
    pooled = normal_scores(chances, [np.arange(5), np.arange(3)], 1)
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(-1, 5, 400), rng.integers(-1, 3, 400)], axis=1)
    chunk = Encoded(codes, rng.integers(0, 2, 400))
    scores = pooled(codes, np.zeros(400, np.int64))
    features = make_features(
        scores, np.ones(400), ReluNtk(), num_landmarks=60, rank=5, unclipped=0.9
    )

    found = add_features(pooled, features, chunk)
    order = rng.permutation(400)
    moved = add_features(pooled, features, Encoded(*(each[order] for each in chunk)))
    flipped = add_features(pooled, features, chunk._replace(labels=1 - chunk.labels))

    np.testing.assert_array_equal(found.codes, chunk.codes)
    np.testing.assert_array_equal(found.labels, chunk.labels)
    np.testing.assert_array_equal(moved.features, found.features[order])
    # A class tells nothing of the features: they are what it is to follow from.
    np.testing.assert_array_equal(flipped.features, found.features)


def make_moments(products, sums, count, sum_scale=0.0, product_scale=0.0):
    return ScoreMoments(
        np.array([float(count)]), sums[None], pack(products)[None], sum_scale, product_scale
    )


def moments_of(vectors, weights, **scales):
    products = (vectors * weights[:, None]).T @ vectors
    return make_moments(products, weights @ vectors, weights.sum(), **scales)


def measure(vectors, weights):
    return (vectors * weights[:, None]).T @ vectors / weights.sum()


def test_without_noise_draws_get_the_released_moments():
    rng = np.random.default_rng(4)
    spread = np.eye(6) + rng.normal(0, 0.1, (6, 6))
    spread[0] *= 6  # along one direction private rows vary forty times as much
    draws, weights = rng.normal(size=(3000, 6)), rng.uniform(1, 9, 3000)
    private = rng.normal(size=(5000, 6)) @ spread + 0.3

    moments = moments_of(private, np.full(5000, weights.sum() / 5000))
    matched = match_moments(draws, weights, moments)

    assert np.linalg.eigvalsh(measure(private, np.ones(5000))).max() > 30
    expected = measure(private, np.ones(5000))
    np.testing.assert_allclose(measure(matched, weights), expected, rtol=1e-3, atol=1e-3)


def test_what_stands_out_of_noise_is_seen_through_it():
    """One direction varies forty times as much; noise hides the rest."""
    rng = np.random.default_rng(5)
    draws, weights, scale = rng.normal(size=(4000, 30)), np.ones(4000), 400.0
    private = rng.normal(size=(4000, 30))
    private[:, 3] *= math.sqrt(40)
    noise = rng.normal(0, scale, (30, 30))
    noise = np.triu(noise) + np.triu(noise, 1).T
    exact = moments_of(private, weights, sum_scale=scale, product_scale=scale)

    matched = match_moments(
        draws, weights, dataclasses.replace(exact, triangles=exact.triangles + pack(noise))
    )

    variances = matched.var(axis=0)
    assert 30 < variances[3] < 50
    assert np.abs(np.delete(variances, 3) - 1).max() < 0.8


def test_rows_at_the_largest_radius_are_summed_exactly():
    features = clip_norm(np.full((5000, 4), LARGEST_RADIUS), LARGEST_RADIUS)
    moments, _ = release(make_rows(features), radius=LARGEST_RADIUS)

    expected = 5000 * int(features[0, 0]) ** 2 / FEATURE_UNITS**2
    np.testing.assert_array_equal(moments.products, np.full((1, 4, 4), expected))
    assert moments.sums[0].tolist() == pytest.approx([5000 * features[0, 0] / FEATURE_UNITS] * 4)
    assert moments.counts[0] == 5000
