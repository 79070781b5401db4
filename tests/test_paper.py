"""The algorithm of the paper: its objective, its slopes, and that its mixes are sums of groups."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from chance import draw_from, silent
from chunked import chunk_arrays
from described import describe
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixSynthesizer, paper
from sdv_threea.adapt.features import make_features
from sdv_threea.adapt.ntk import ReluNtk
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.paper import (
    LEAST_MIXED,
    ROUNDS,
    _see,
    assign,
    first_centres,
    group_size,
    induce,
    move_centres,
    support_loss,
)
from sdv_threea.rows.records import Grouped

pytestmark = pytest.mark.filterwarnings('ignore')

COLUMNS = {
    'x': {'sdtype': 'numerical', 'range_min': -9.0, 'range_max': 9.0},
    'y': {'sdtype': 'numerical', 'range_min': -9.0, 'range_max': 9.0},
    'kind': {'sdtype': 'categorical', 'range_values': ['one', 'other']},
}


@pytest.fixture(scope='module')
def features():
    points = np.random.default_rng(0).integers(-8000, 8000, size=(400, 2))
    terms = {'num_landmarks': 50, 'rank': 6, 'unclipped': 0.9}
    return make_features(points, np.ones(len(points)), ReluNtk(), **terms)


@pytest.fixture(scope='module')
def moments():
    vectors = np.random.default_rng(1).normal(size=(60, 8))
    return vectors.T @ vectors


def test_the_loss_has_the_slope_that_it_says(moments):
    rng = np.random.default_rng(2)
    phi, targets = rng.normal(size=(4, 6)), np.eye(2)[[0, 0, 1, 1]]
    _, slope = support_loss(phi, targets, moments)
    for at in np.ndindex(*phi.shape):
        nudge = np.zeros_like(phi)
        nudge[at] = 1e-6
        up, down = (support_loss(phi + sign * nudge, targets, moments)[0] for sign in (1, -1))
        assert slope[at] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-9)


def test_points_move_downhill_and_stay_where_only_the_density_counts(features, moments):
    start = np.random.default_rng(3).normal(size=(4, 2))
    targets = np.eye(2)[[0, 0, 1, 1]]
    known = targets, features, moments
    assert np.array_equal(induce(start, *known, alpha=1.0), start)
    moved = induce(start, *known, alpha=0.0)
    before = support_loss(_see(start, features)[0], targets, moments)[0]
    after = support_loss(_see(moved, features)[0], targets, moments)[0]
    assert after < 0.99 * before


def test_groups_are_as_large_as_the_noise_of_their_mean_asks():
    radius = 3 * 2**12
    assert group_size(radius, math.inf) == LEAST_MIXED
    assert group_size(radius, 0.01) == pytest.approx(10 * group_size(radius, 0.1), rel=0.1)


def make_clusters(num_rows):
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=num_rows)
    points = np.where(kind[:, None] == 1, [4.0, 4.0], [-4.0, 4.0])
    points = points * rng.choice([-1, 1], size=(num_rows, 1)) + rng.normal(size=(num_rows, 2))
    table = pd.DataFrame(points.clip(-9, 9).round(2), columns=['x', 'y'])
    return table.assign(kind=np.where(kind == 1, 'one', 'other'))


@pytest.mark.parametrize('guarantee', ['end_to_end', 'paper'])
@pytest.mark.parametrize('mixing', ['clusters', 'random'])
def test_mixes_are_fitted_charged_and_sampled(mixing, guarantee):
    metadata = describe(COLUMNS, 'toy')
    settings = {'mixing': mixing, 'guarantee': guarantee, 'alpha': 0.2}
    synthesizer = ClustMixSynthesizer(
        metadata, epsilon=50.0, target_column='kind', public_metadata=True, **settings
    )
    table = make_clusters(3000)
    synthesizer.fit({'toy': table})
    records = synthesizer.get_privacy_statement().receipts
    adapted = {'components', 'features'} if mixing == 'clusters' else set()
    assert {'mixes'} | adapted <= {each.statistic for each in records}
    charged = {each.statistic for each in records if each.charged}
    assert ('features' in charged) == (bool(adapted) and guarantee == 'end_to_end')
    assert 'mixes' in charged
    budget = synthesizer.settings.budget(thresholds=True).mu
    spent = math.hypot(*(each.mu for each in records if each.charged))
    assert spent == pytest.approx(budget, rel=1e-6)
    samples = synthesizer.sample(2000)['toy']
    # A class has two clusters, at opposite corners: clusters are kept apart, a random mix is not.
    same_side = (np.sign(samples['x']) == np.sign(samples['y'])) == (samples['kind'] == 'one')
    assert (same_side.mean() > 0.9) == (mixing == 'clusters')


def test_another_way_to_mix_is_refused():
    metadata = describe(COLUMNS, 'toy')
    with pytest.raises(SynthesizerInputError, match='mixing must be one of'):
        ClustMixSynthesizer(metadata, mixing='clustres')


RADIUS = 1_000


def spy(asked):
    """No noise, but a note of how much was asked for."""

    def noise(size, scale):
        asked.append((size, scale))
        return silent(size, scale)

    return noise


def make_blobs(rng, num_rows=600):
    """Two classes of two well-separated blobs each, in units of the grid."""
    classes, sides = rng.integers(0, 2, num_rows), rng.choice([-1, 1], num_rows)
    centers = np.stack([sides * np.where(classes == 0, 400, 0), sides * 400 * classes], axis=1)
    return np.rint(centers + rng.normal(0, 40, (num_rows, 2))).astype(np.int64), classes, sides


def test_centroids_start_at_the_modes_of_each_class(rng):
    points, classes, _ = make_blobs(rng)

    centroids = first_centres(points, classes, 2, 2, rng)

    for label, axis in ((0, 0), (1, 1)):
        found = centroids[label][np.argsort(centroids[label][:, axis])]
        expected = np.zeros((2, 2))
        expected[:, axis] = [-400, 400]
        assert found == pytest.approx(expected, abs=20)


@pytest.mark.parametrize(
    'draws',
    [
        np.zeros((50, 3), dtype=np.int64),
        np.repeat([[0, 5, 9], [7, 5, 9]], 25, axis=0),
        np.arange(6).reshape(2, 3),
    ],
)
def test_centroids_start_somewhere_in_degenerate_draws_and_without_a_warning(rng, draws):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        centroids = first_centres(draws, np.zeros(len(draws), dtype=np.int64), 2, 3, rng)

    assert centroids.shape == (2, 3, draws.shape[1])
    assert (centroids[1] == 0).all()


def test_records_without_columns_share_one_component_through_every_round(rng):
    points, classes = np.zeros((50, 0), dtype=np.int64), np.repeat([0, 1], 25)

    centroids = first_centres(points, classes, 2, 3, rng)
    moved, _ = run_em(points, classes, centroids, 1.0, silent)

    assert centroids.shape == moved.shape == (2, 1, 0)
    assert assign(points, classes, moved).tolist() == classes.tolist()


def test_records_belong_to_the_nearest_centroid_of_their_class(rng):
    points, classes = rng.integers(-900, 900, (300, 5)), rng.integers(0, 3, 300)
    centroids = rng.integers(-900, 900, (3, 4, 5))

    components = assign(points, classes, centroids)

    distances = np.square(points[:, None] - centroids[classes]).sum(axis=2)
    assert np.array_equal(components, 4 * classes + distances.argmin(axis=1))


@pytest.mark.parametrize('size', [10**3, 10**9])
def test_the_component_of_a_record_depends_on_that_record_alone(rng, size):
    points, classes = rng.integers(-size, size, (70_000, 3)), rng.integers(0, 2, 70_000)
    centroids, order = rng.integers(-size, size, (2, 5, 3)), rng.permutation(70_000)

    components = assign(points, classes, centroids)

    assert np.array_equal(assign(points[order], classes[order], centroids), components[order])
    assert np.array_equal(assign(points[69_990:], classes[69_990:], centroids), components[69_990:])
    for at in (0, 65_535, 65_536, 69_999):
        alone = slice(at, at + 1)
        assert assign(points[alone], classes[alone], centroids)[0] == components[at]


def make_round(points, classes, centroids, *, mu=1.0, neighbors='add_remove', noise=silent):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, 'ROUNDS', 1)
        terms = {'mu': mu, 'neighbors': neighbors, 'noise': noise}
        rows = chunk_arrays(Grouped(points, classes))
        moved, (receipt,) = move_centres(rows, centroids, RADIUS, **terms)
    return moved, receipt


def test_without_noise_a_round_moves_centroids_to_the_means_of_their_records(rng):
    points, classes, sides = make_blobs(rng)
    centroids = np.array([[[-100, 0], [100, 0]], [[0, -100], [0, 100]]])

    moved, _ = make_round(points, classes, centroids, mu=math.inf)

    for label in (0, 1):
        for component, side in enumerate((-1, 1)):
            own = points[(classes == label) & (sides == side)]
            assert moved[label, component] == pytest.approx(own.mean(axis=0), abs=0.5)


def test_centroids_stay_where_noise_would_move_them(rng):
    points, classes, _ = make_blobs(rng)
    centroids = np.array([[[-100, 0], [100, 0]], [[0, -100], [0, 100]]])
    far = np.array([[[0, 0], [9_999, 0]], [[0, 0], [9_999, 0]]])

    noisy, receipt = make_round(points, classes, centroids, mu=0.01, noise=draw_from(rng))
    empty, _ = make_round(points, classes, far, mu=math.inf)

    assert receipt.noise_scale > 100 * RADIUS / SCORE_UNITS
    assert np.array_equal(noisy, centroids)
    assert np.array_equal(empty[:, 1], far[:, 1])


def run_em(points, classes, centroids, mu, noise):
    return move_centres(
        chunk_arrays(Grouped(points, classes)),
        centroids,
        RADIUS,
        mu=mu,
        neighbors='add_remove',
        noise=noise,
    )


def test_rounds_compose_to_the_price_and_draw_noise_afresh(rng):
    points, classes, _ = make_blobs(rng)
    drawn = []

    _, receipts = run_em(points, classes, np.zeros((2, 2, 2), dtype=np.int64), 0.3, spy(drawn))

    assert len(receipts) == len(drawn) == ROUNDS
    assert math.hypot(*(receipt.mu for receipt in receipts)) == pytest.approx(0.3)
