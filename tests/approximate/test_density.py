import math

import numpy as np
import pytest

from sdv_threea.approximate.density import CLIP, Counts, clip_radius, fit_scores, release_counts
from sdv_threea.moments import GRID

NEIGHBORS = ('add_remove', 'replace_one')
SIZES = [3, 1, 5]


@pytest.fixture
def rng():
    return np.random.default_rng(19)


def silent(size, scale):
    return np.zeros(size, dtype=np.int64)


def release(codes, labels, *, mu=1.0, neighbors='add_remove', noise=silent):
    return release_counts(codes, labels, SIZES, 2, mu=mu, neighbors=neighbors, noise=noise)


def make_table(rng, num_rows):
    codes = np.stack([rng.integers(-1, size, num_rows) for size in SIZES], axis=1)
    return codes, rng.integers(0, 2, num_rows)


def released_values(counts):
    return np.concatenate([counts.totals, *(part.ravel() for part in counts.columns)])


def test_without_noise_the_counts_are_those_of_the_records(rng):
    codes, labels = make_table(rng, 300)

    counts, receipt = release(codes, labels, mu=math.inf)

    assert (counts.scale, receipt.noise_scale) == (0, 0)
    assert counts.totals.tolist() == np.bincount(labels).tolist()
    for at, (part, size) in enumerate(zip(counts.columns, SIZES, strict=True)):
        for label in (0, 1):
            own = codes[labels == label, at]
            assert part[label].tolist() == np.bincount(own[own >= 0], minlength=size).tolist()


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_counts_move_by_at_most_the_declared_sensitivity_and_by_it(rng, neighbors):
    worst = 0.0
    codes, labels = np.zeros((4, 3), dtype=np.int64), np.array([0, 0, 1, 1])
    for _ in range(100):
        (first, second), own = make_table(rng, 2)
        one = np.concatenate([codes, [first]]), np.append(labels, own[0])
        other = np.concatenate([codes, [second]]), np.append(labels, own[1])
        if neighbors == 'add_remove':
            other = codes, labels

        pair = [release(*table, neighbors=neighbors) for table in (one, other)]

        moved = np.linalg.norm(np.subtract(*(released_values(part) for part, _ in pair)))
        assert moved <= pair[0][1].sensitivity * (1 + 1e-15)
        worst = max(worst, moved / pair[0][1].sensitivity)

    assert worst == pytest.approx(1)


def test_noise_is_drawn_once_and_as_stated(rng):
    sizes = []

    def noise(size, scale):
        sizes.append(size)
        return np.rint(rng.normal(0, scale, size)).astype(np.int64)

    table = make_table(rng, 5_000)
    exact = released_values(release(*table)[0])
    counts, receipt = release(*table, mu=0.1, noise=noise)
    errors = [released_values(release(*table, mu=0.1, noise=noise)[0]) - exact for _ in range(50)]

    assert set(sizes) == {2 * (1 + sum(SIZES))}
    assert len(sizes) == 51
    assert counts.scale == receipt.noise_scale == pytest.approx(2 / 0.1, rel=1e-3)
    assert np.std(errors) == pytest.approx(counts.scale, rel=0.1)


def test_counts_of_blocks_of_rows_add_up(rng):
    codes, labels = make_table(rng, 100)
    whole, _ = release(codes, labels)
    head, _ = release(codes[:40], labels[:40])
    tail, _ = release(codes[40:], labels[40:])

    assert np.array_equal(released_values(whole), released_values(head) + released_values(tail))


def test_classes_have_at_least_one_record_however_the_noise_falls(rng):
    def noise(size, scale):
        return np.full(size, -round(9 * scale))

    counts, _ = release(*make_table(rng, 10), mu=0.01, noise=noise)

    assert counts.totals.tolist() == [1, 1]
    assert (counts.columns[0] < 0).all()


@pytest.mark.parametrize(('code', 'label'), [(3, 0), (0, 2), (0, -1)])
def test_records_outside_the_layout_are_refused_without_naming_them(code, label):
    with pytest.raises(ValueError, match='out of range'):
        release(np.array([[code, 0, 0]]), np.array([label]))


# Scores


def test_scores_follow_the_counts_of_each_class_and_of_all(rng):
    counts = Counts((np.array([[0.0, 30.0, 10.0], [0.0, 40.0, 120.0]]),), np.array([40.0, 160]), 0)

    by_class, pooled = fit_scores(counts, [np.array([False, True, True])], [True], [False])

    assert by_class.cuts[0] == pytest.approx(np.array([[0, 0, 0.75, 1], [0, 0, 0.25, 1]]))
    assert pooled.cuts[0] == pytest.approx(np.array([[0, 0, 0.35, 1]]))


def test_numbers_keep_their_order_and_categories_take_that_of_their_lean():
    table = np.array([[10.0, 50.0, 40.0], [50.0, 10.0, 40.0]])
    counts = Counts((table, table), np.array([100.0, 100.0]), 0.0)

    by_class, pooled = fit_scores(counts, [np.ones(3, dtype=bool)] * 2, [True, False], [False] * 2)

    assert by_class.orders[0].tolist() == [0, 1, 2]
    assert by_class.orders[1].tolist() == [1, 2, 0]
    assert [order.tolist() for order in pooled.orders] == [[0, 1, 2], [1, 2, 0]]


def test_tables_without_columns_have_totals_and_empty_scores():
    counts, _ = release_counts(
        np.zeros((3, 0), dtype=np.int64),
        np.array([0, 1, 1]),
        [],
        2,
        mu=1.0,
        neighbors='add_remove',
        noise=silent,
    )
    by_class, pooled = fit_scores(counts, [], [], [])

    assert counts.totals.tolist() == [1, 2]
    assert (by_class.variances.shape, pooled.variances.shape) == ((2, 0), (1, 0))
    assert clip_radius(by_class) == math.ceil(CLIP * GRID)


def test_the_radius_is_a_multiple_of_the_mean_norm_of_the_widest_class():
    table = np.array([[50.0, 50.0], [100.0, 0.0]])
    counts = Counts((table,) * 4, np.array([100.0, 100.0]), 0.0)

    by_class, _ = fit_scores(counts, [np.ones(2, dtype=bool)] * 4, [True] * 4, [False] * 4)

    expected = CLIP * GRID * math.sqrt(4 * by_class.variances[0, 0])
    assert clip_radius(by_class) == math.ceil(expected)
    assert by_class.variances[0, 0] > 0.6
