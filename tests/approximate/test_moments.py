import math

import numpy as np
import pytest

from sdv_threea.approximate.constants import ApproximateConstants
from sdv_threea.approximate.moments import (
    SCORE_UNITS,
    Grouped,
    ScoreMoments,
    release_score_moments,
)
from sdv_threea.maths.triangles import pack
from sdv_threea.privacy.clipping import clip_norm
from sdv_threea.privacy.rows import chunk_arrays
from sdv_threea.statistics import registry

CONSTANTS = ApproximateConstants()

RADIUS = 2_000
WEIGHT = int(CONSTANTS.count_weight * RADIUS)
NEIGHBORS = ('add_remove', 'replace_one')


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def silent(size, scale):
    return np.zeros(size, dtype=np.int64)


def release(scores, groups, num_groups, *, mu=1.0, neighbors='add_remove', noise=silent):
    return release_score_moments(
        chunk_arrays(Grouped(scores, groups)),
        num_groups,
        RADIUS,
        CONSTANTS.count_weight,
        kind=registry.MOMENTS,
        mu=mu,
        neighbors=neighbors,
        noise=noise,
    )


def released_values(moments):
    """Undo the scaling: the values that went through the door of noise, in released units."""
    weight = WEIGHT / SCORE_UNITS
    rows, columns = np.triu_indices(moments.sums.shape[1])
    factors = np.where(rows == columns, 12, 17)
    return np.concatenate(
        [
            12 * weight**2 * moments.counts,
            17 * weight * moments.sums.ravel(),
            (factors * moments.triangles).ravel(),
        ]
    )


def test_without_noise_the_moments_are_those_of_the_records(rng):
    scores, groups = rng.integers(-300, 300, (200, 4)), rng.integers(0, 3, 200)

    moments, receipt = release(scores, groups, 3, mu=math.inf)

    assert (receipt.noise_scale, moments.sum_scale, moments.product_scale) == (0, 0, 0)
    for group in range(3):
        rows = scores[groups == group] / SCORE_UNITS
        assert moments.counts[group] == pytest.approx(len(rows))
        assert moments.sums[group] == pytest.approx(rows.sum(axis=0))
        assert moments.means[group] == pytest.approx(rows.mean(axis=0))
        assert moments.products[group] == pytest.approx(rows.T @ rows)


def test_records_outside_the_radius_are_clipped(rng):
    scores = rng.integers(-4_000, 4_000, (50, 3))

    moments, _ = release(scores, np.zeros(50, dtype=np.int64), 1)

    clipped = clip_norm(scores, RADIUS) / SCORE_UNITS
    assert not np.array_equal(clipped, scores / SCORE_UNITS)
    assert moments.products[0] == pytest.approx(clipped.T @ clipped)


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_moments_move_by_at_most_the_declared_sensitivity_and_nearly_by_it(rng, neighbors):
    worst = 0.0
    for _ in range(200):
        width = int(rng.choice([1, 3, 8]))
        scores, groups = rng.integers(-900, 900, (6, width)), np.array([0, 0, 0, 1, 1, 1])
        long = rng.choice([-(10**6), 10**6], (2, width)) * rng.choice([0, 1, 1], (2, width))
        own = rng.integers(0, 2, 2)
        first = np.concatenate([scores, long[:1]]), np.append(groups, own[0])
        second = np.concatenate([scores, long[1:]]), np.append(groups, own[1])
        if neighbors == 'add_remove':
            second = scores, groups

        (one, receipt), (other, _) = (
            release(*table, 2, neighbors=neighbors) for table in (first, second)
        )

        moved = np.linalg.norm(released_values(one) - released_values(other))
        assert moved <= receipt.sensitivity
        worst = max(worst, moved / receipt.sensitivity)

    assert worst > 0.99


def test_noise_is_drawn_once_for_everything():
    sizes = []

    def noise(size, scale):
        sizes.append(size)
        return silent(size, scale)

    release(np.zeros((5, 3), dtype=np.int64), np.zeros(5, dtype=np.int64), 4, noise=noise)

    assert sizes == [4 * 4 * 5 // 2]


def test_the_stated_noise_is_the_noise(rng):
    def noise(size, scale):
        return np.rint(rng.normal(0, scale, size)).astype(np.int64)

    scores, groups = np.zeros((30, 12), dtype=np.int64), np.repeat(np.arange(30), 1)
    moments, receipt = release(scores, groups, 30, mu=0.5, noise=noise)
    off_diagonal = moments.products[:, *np.triu_indices(12, 1)]

    assert receipt.noise_scale == pytest.approx(receipt.sensitivity / 0.5, rel=1e-3)
    assert np.std(moments.sums) == pytest.approx(moments.sum_scale, rel=0.15)
    assert np.std(off_diagonal) == pytest.approx(moments.product_scale, rel=0.1)
    assert (moments.products == moments.products.transpose(0, 2, 1)).all()


def test_counts_are_at_least_one_however_the_noise_falls():
    def noise(size, scale):
        return np.full(size, -round(5 * scale))

    moments, _ = release(
        np.zeros((3, 2), dtype=np.int64), np.zeros(3, dtype=np.int64), 2, noise=noise
    )

    assert moments.counts.tolist() == [1, 1]


@pytest.mark.parametrize('num_rows', [0, 7])
def test_tables_without_scores_are_counted(num_rows):
    groups = np.zeros(num_rows, dtype=np.int64)

    moments, _ = release(np.zeros((num_rows, 0), dtype=np.int64), groups, 2)

    assert moments.counts == pytest.approx([max(num_rows, 1), 1])
    assert moments.add(2).sums.shape == (1, 0)
    assert moments.average(moments).products.shape == (2, 0, 0)
    assert moments.unclipped(0.0, CONSTANTS.most_unclipped).products.shape == (2, 0, 0)


def make_moments(rng, num_groups=4, sum_scale=1.0, product_scale=2.0):
    return ScoreMoments(
        rng.uniform(1, 9, num_groups),
        rng.normal(size=(num_groups, 2)),
        rng.normal(size=(num_groups, 3)),
        sum_scale,
        product_scale,
    )


def test_neighbouring_groups_add_up(rng):
    moments = make_moments(rng)

    added = moments.add(2)

    assert added.counts == pytest.approx([moments.counts[:2].sum(), moments.counts[2:].sum()])
    assert added.sums[1] == pytest.approx(moments.sums[2] + moments.sums[3])
    assert added.products[0] == pytest.approx(moments.products[0] + moments.products[1])
    assert added.sum_scale == pytest.approx(math.sqrt(2))
    assert added.product_scale == pytest.approx(2 * math.sqrt(2))


def test_averaging_weighs_by_precision(rng):
    first, second = make_moments(rng, 1, 1.0, 2.0), make_moments(rng, 1, 2.0, 4.0)

    average = first.average(second)

    assert average.products == pytest.approx(0.8 * first.products + 0.2 * second.products)
    assert average.sums == pytest.approx(0.8 * first.sums + 0.2 * second.sums)
    assert average.product_scale == pytest.approx((2.0**-2 + 4.0**-2) ** -0.5)
    assert average.sum_scale == pytest.approx((1.0**-2 + 2.0**-2) ** -0.5)


def test_moments_without_noise_win_over_noisy_ones(rng):
    exact, noisy = make_moments(rng, 1, 0.0, 0.0), make_moments(rng, 1)

    assert exact.average(noisy) is exact
    assert noisy.average(exact) is exact


def test_unclipping_restores_the_sum_of_squares_but_not_out_of_noise(rng):
    scores = clip_norm(rng.normal(0, SCORE_UNITS, (500, 4)).astype(np.int64), 400) / SCORE_UNITS
    moments = ScoreMoments(
        np.array([500.0]), scores.sum(axis=0)[None], pack(scores.T @ scores)[None], 1.0, 2.0
    )
    kept = float(np.square(scores).sum())

    restored = moments.unclipped(1.5 * kept, CONSTANTS.most_unclipped)
    assert np.trace(restored.products[0]) == pytest.approx(1.5 * kept)
    assert restored.sums == pytest.approx(moments.sums * math.sqrt(1.5))
    assert restored.product_scale == pytest.approx(3.0)
    assert moments.unclipped(0.5 * kept, CONSTANTS.most_unclipped).products == pytest.approx(
        moments.products
    )
    assert moments.unclipped(100 * kept, CONSTANTS.most_unclipped).products == pytest.approx(
        2 * moments.products
    )


def test_selected_groups_are_those_groups(rng):
    moments = make_moments(rng)

    selected = moments.select(slice(1, 3))

    assert np.array_equal(selected.counts, moments.counts[1:3])
    assert np.array_equal(selected.means, moments.means[1:3])
    assert np.array_equal(selected.products, moments.products[1:3])
    assert selected.product_scale == moments.product_scale
