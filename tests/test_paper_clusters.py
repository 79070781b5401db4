"""The clusters of the algorithm of the paper: private expectation maximisation."""

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest

from sdv_threea import paper
from sdv_threea.approximate.moments import SCORE_UNITS
from sdv_threea.paper import ROUNDS, assign, first_centres, move_centres
from sdv_threea.rows.chunks import chunk_arrays
from sdv_threea.rows.clipping import clip_norm
from sdv_threea.rows.records import Grouped

NEIGHBORS = ('add_remove', 'replace_one')
RADIUS = 1_000


@pytest.fixture
def rng():
    return np.random.default_rng(23)


def silent(size, scale):
    return np.zeros(size, dtype=np.int64)


def integer_noise(rng):
    return lambda size, scale: np.rint(rng.normal(0, scale, size)).astype(np.int64)


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


# Where components start


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


def test_one_component_per_class_needs_no_draws(rng):
    centroids = first_centres(np.ones((5, 2), dtype=np.int64), np.zeros(5, dtype=int), 3, 1, rng)

    assert centroids.shape == (3, 1, 2)


# Who belongs where


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


def test_ties_go_to_the_first_centroid_and_one_component_is_the_class():
    points, classes = np.zeros((3, 2), dtype=np.int64), np.array([0, 1, 0])

    assert assign(points, classes, np.ones((2, 3, 2), dtype=np.int64)).tolist() == [0, 3, 0]
    assert assign(points, classes, np.ones((2, 1, 2), dtype=np.int64)).tolist() == [0, 1, 0]
    assert assign(points[:0], classes[:0], np.ones((2, 3, 2), dtype=np.int64)).shape == (0,)


# Private EM


def make_round(points, classes, centroids, *, mu=1.0, neighbors='add_remove', noise=silent):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, 'ROUNDS', 1)
        terms = {'mu': mu, 'neighbors': neighbors, 'noise': noise}
        rows = chunk_arrays(Grouped(points, classes))
        moved, (receipt,) = move_centres(rows, centroids, RADIUS, **terms)
    return moved, receipt


def test_vectors_of_two_records_never_have_a_negative_inner_product(rng):
    scores = clip_norm(rng.integers(-(10**6), 10**6, (200, 4)), RADIUS)
    opposite = np.concatenate([scores, -scores, [[RADIUS, 0, 0, 0], [-RADIUS, 0, 0, 0]]])
    vectors = np.concatenate([np.full((len(opposite), 1), RADIUS), opposite], axis=1)
    products = vectors @ vectors.T

    assert products.min() == 0
    assert np.diagonal(products).max() == 2 * RADIUS**2


@pytest.mark.parametrize(('neighbors', 'factor'), [('add_remove', 2**0.5), ('replace_one', 2.0)])
def test_the_receipt_of_a_round_states_the_proven_sensitivity(rng, neighbors, factor):
    points, classes, _ = make_blobs(rng)
    drawn = []

    _, receipt = make_round(
        points, classes, np.zeros((2, 3, 2), dtype=np.int64), neighbors=neighbors, noise=spy(drawn)
    )

    assert receipt.sensitivity == pytest.approx(factor * RADIUS / SCORE_UNITS)
    assert receipt.noise_scale == pytest.approx(factor * RADIUS / SCORE_UNITS, rel=1e-3)
    assert [size for size, _ in drawn] == [2 * 3 * 3]


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

    noisy, receipt = make_round(points, classes, centroids, mu=0.01, noise=integer_noise(rng))
    empty, _ = make_round(points, classes, far, mu=math.inf)

    assert receipt.noise_scale > 100 * RADIUS / SCORE_UNITS
    assert np.array_equal(noisy, centroids)
    assert np.array_equal(empty[:, 1], far[:, 1])


def test_rounds_of_blocks_of_rows_read_sums_only(rng):
    points, classes, _ = make_blobs(rng)
    centroids, order = np.array([[[-9, 0], [9, 0]], [[0, -9], [0, 9]]]), rng.permutation(600)

    moved, _ = make_round(points, classes, centroids)
    shuffled, _ = make_round(points[order], classes[order], centroids)

    assert np.array_equal(moved, shuffled)


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


def test_em_without_noise_never_raises_the_distance_to_the_centroids(rng):
    points, classes = rng.integers(-500, 500, (2_000, 3)), np.zeros(2_000, dtype=np.int64)
    centroids = rng.integers(-500, 500, (1, 4, 3))
    distances = []
    for _ in range(6):
        own = centroids[0][assign(points, classes, centroids)]
        distances.append(np.square(points - own).sum())
        centroids, _ = make_round(points, classes, centroids, mu=math.inf)

    assert distances[-1] < distances[0]
    # Centroids are rounded, which costs up to a quarter per record and column.
    assert all(later <= earlier + 2_000 for earlier, later in pairwise(distances))
