"""Moments of features: sums of chunks add up, and draws are made to have them."""

import dataclasses
import math

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays
from triangles import pack

from sdv_threea.adapt.design import INPUT_UNITS
from sdv_threea.adapt.features import LARGEST_RADIUS, match_moments
from sdv_threea.approximate.moments import ScoreMoments, release_score_moments
from sdv_threea.constants import COUNT_WEIGHT
from sdv_threea.rows.clipping import clip_norm
from sdv_threea.rows.records import Grouped
from sdv_threea.statistics import registry


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
    rows = chunk_arrays(Grouped(features, np.zeros(5000, dtype=np.int64)), chunk_rows=999)
    terms = {'mu': math.inf, 'neighbors': 'add_remove', 'noise': silent}
    known = rows, 1, LARGEST_RADIUS, COUNT_WEIGHT
    moments, _ = release_score_moments(*known, kind=registry.FEATURES, **terms)

    expected = 5000 * int(features[0, 0]) ** 2 / INPUT_UNITS**2
    np.testing.assert_array_equal(moments.products, np.full((1, 4, 4), expected))
    assert moments.sums[0].tolist() == pytest.approx([5000 * features[0, 0] / INPUT_UNITS] * 4)
    assert moments.counts[0] == 5000
