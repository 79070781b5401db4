import math

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays
from triangles import pack

from sdv_threea.approximate.moments import SCORE_UNITS, ScoreMoments, release_score_moments
from sdv_threea.constants import COUNT_WEIGHT, ApproximateConstants
from sdv_threea.rows.clipping import clip_norm
from sdv_threea.rows.records import Grouped
from sdv_threea.statistics import registry

CONSTANTS = ApproximateConstants()

RADIUS = 2_000


def release(scores, groups, num_groups, *, mu=1.0, neighbors='add_remove', noise=silent):
    return release_score_moments(
        chunk_arrays(Grouped(scores, groups)),
        num_groups,
        RADIUS,
        COUNT_WEIGHT,
        kind=registry.MOMENTS,
        mu=mu,
        neighbors=neighbors,
        noise=noise,
    )


def test_without_noise_the_moments_are_those_of_the_records(rng):
    scores, groups = rng.integers(-300, 300, (200, 4)), rng.integers(0, 3, 200)

    moments, receipt = release(scores, groups, 3, mu=math.inf)

    assert (receipt.noise_scale, moments.sum_scale, moments.product_scale) == (0, 0, 0)
    for group in range(3):
        rows = scores[groups == group] / SCORE_UNITS
        assert moments.counts[group] == pytest.approx(len(rows))
        assert moments.sums[group] == pytest.approx(rows.sum(axis=0))
        assert moments.products[group] == pytest.approx(rows.T @ rows)


def test_counts_are_at_least_one_however_the_noise_falls():
    def noise(size, scale):
        return np.full(size, -round(5 * scale))

    moments, _ = release(
        np.zeros((3, 2), dtype=np.int64), np.zeros(3, dtype=np.int64), 2, noise=noise
    )

    assert moments.counts.tolist() == [1, 1]


def test_unclipping_restores_the_sum_of_squares_but_not_out_of_noise(rng):
    scores = clip_norm(rng.normal(0, SCORE_UNITS, (500, 4)).astype(np.int64), 400) / SCORE_UNITS
    moments = ScoreMoments(
        np.array([500.0]), scores.sum(axis=0)[None], pack(scores.T @ scores)[None], 1.0, 2.0
    )
    kept = float(np.square(scores).sum())

    restored = moments.unclipped(1.5 * kept)
    assert np.trace(restored.products[0]) == pytest.approx(1.5 * kept)
    assert restored.sums == pytest.approx(moments.sums * math.sqrt(1.5))
    assert restored.product_scale == pytest.approx(3.0)
    assert moments.unclipped(0.5 * kept).products == pytest.approx(moments.products)
    assert moments.unclipped(100 * kept).products == pytest.approx(2 * moments.products)
