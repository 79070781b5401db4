"""The two releases of counts: exact sums, the stated noise, and how far a record can move them."""

import math

import numpy as np
import pytest

from sdv_threea.approximate.counts import (
    BinPlan,
    Counts,
    release_class_counts,
    release_counts,
)
from sdv_threea.encoding.records import Encoded
from sdv_threea.privacy.guard import UnreadableRowsError
from sdv_threea.privacy.rows import chunk_arrays

NEIGHBORS = ('add_remove', 'replace_one')
SIZES = [3, 2, 5]

#: How the classes are counted here: in coarse bins, with weights that differ.
PLANS = tuple(
    BinPlan(np.array(bins), np.arange(max(bins) + 1) > 0, weight)
    for bins, weight in (([0, 1, 1], 5), ([0, 1], 17), ([0, 2, 1, 1, 2], 9))
)


@pytest.fixture
def rng():
    return np.random.default_rng(19)


@pytest.fixture(params=['whole', 'classes'])
def release(request):
    """Both releases of counts, in turn."""
    return {'whole': release_whole, 'classes': release_classes}[request.param]


def silent(size, scale):
    return np.zeros(size, dtype=np.int64)


def release_whole(codes, labels, *, mu=1.0, neighbors='add_remove', noise=silent):
    return release_counts(
        chunk_arrays(Encoded(codes, labels)), SIZES, 2, mu=mu, neighbors=neighbors, noise=noise
    )


def release_classes(codes, labels, *, mu=1.0, neighbors='add_remove', noise=silent):
    return release_class_counts(
        chunk_arrays(Encoded(codes, labels)), PLANS, 2, mu=mu, neighbors=neighbors, noise=noise
    )


def make_table(rng, num_rows):
    codes = np.stack([rng.integers(-1, size, num_rows) for size in SIZES], axis=1)
    return codes, rng.integers(0, 2, num_rows)


def released_values(counts):
    """The values that went through the door of noise, in released units."""
    if isinstance(counts, Counts):
        return np.concatenate([counts.totals, *counts.columns])
    weighted = zip(counts.columns, counts.plans, strict=True)
    return np.concatenate([(column * plan.weight).ravel() for column, plan in weighted])


def test_without_noise_the_counts_are_those_of_the_records(rng):
    codes, labels = make_table(rng, 300)

    counts, receipt = release_whole(codes, labels, mu=math.inf)

    assert (counts.scale, receipt.noise_scale) == (0, 0)
    assert counts.totals.tolist() == np.bincount(labels).tolist()
    for column, own, size in zip(counts.columns, codes.T, SIZES, strict=True):
        assert column.tolist() == np.bincount(own[own >= 0], minlength=size).tolist()


def test_without_noise_the_counts_of_classes_are_those_of_their_records_by_bin(rng):
    codes, labels = make_table(rng, 300)

    counts, receipt = release_classes(codes, labels, mu=math.inf)

    assert (counts.scales, receipt.noise_scale) == ((0, 0, 0), 0)
    assert counts.plans == PLANS
    for at, (column, plan) in enumerate(zip(counts.columns, PLANS, strict=True)):
        for label in (0, 1):
            own = codes[labels == label, at]
            bins, size = plan.bins[own[own >= 0]], plan.bins.max() + 1
            assert column[label] == pytest.approx(np.bincount(bins, minlength=size), rel=1e-15)


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_counts_move_by_at_most_the_declared_sensitivity_and_by_it(rng, release, neighbors):
    worst = 0.0
    codes, labels = np.zeros((4, 3), dtype=np.int64), np.array([0, 0, 1, 1])
    for _ in range(200):
        (first, second), own = make_table(rng, 2)
        one = np.concatenate([codes, [first]]), np.append(labels, own[0])
        other = np.concatenate([codes, [second]]), np.append(labels, own[1])
        if neighbors == 'add_remove':
            other = codes, labels

        pair = [release(*table, neighbors=neighbors) for table in (one, other)]

        # Exact counts are whole numbers, which dividing by a weight and multiplying may blur.
        moved = np.linalg.norm(np.subtract(*(np.rint(released_values(part)) for part, _ in pair)))
        assert moved <= pair[0][1].sensitivity * (1 + 1e-15)
        worst = max(worst, moved / pair[0][1].sensitivity)

    assert worst == pytest.approx(1)


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_the_declared_sensitivity_is_that_of_the_weights(neighbors):
    table, times = (np.zeros((1, 3), dtype=np.int64), np.zeros(1, dtype=np.int64)), {}
    times['add_remove'], times['replace_one'] = 1, 2

    _, whole = release_whole(*table, neighbors=neighbors)
    _, classes = release_classes(*table, neighbors=neighbors)

    assert whole.sensitivity == pytest.approx(math.sqrt(4 * times[neighbors]))
    squares = 5**2 + 17**2 + 9**2
    assert classes.sensitivity == pytest.approx(math.sqrt(squares * times[neighbors]))


def test_noise_is_drawn_once_and_as_stated(rng, release):
    sizes = []

    def noise(size, scale):
        sizes.append(size)
        return np.rint(rng.normal(0, scale, size)).astype(np.int64)

    table = make_table(rng, 5_000)
    exact = released_values(release(*table)[0])
    errors = []
    for _ in range(300):
        counts, receipt = release(*table, mu=0.1, noise=noise)
        errors.append(released_values(counts) - exact)

    assert sizes == [len(exact)] * 300
    assert receipt.mu == 0.1
    assert receipt.noise_scale == pytest.approx(receipt.sensitivity / 0.1, rel=1e-3)
    assert np.std(errors) == pytest.approx(receipt.noise_scale, rel=0.05)
    by_value = np.std(errors, axis=0) / receipt.noise_scale
    assert 0.85 < by_value.min() < by_value.max() < 1.15
    assert abs(np.mean(errors)) < 0.1 * receipt.noise_scale


def test_the_noise_of_a_column_is_stated_in_records(rng):
    """A column that weighs more has less noise."""

    def noise(size, scale):
        return np.rint(rng.normal(0, scale, size)).astype(np.int64)

    table = make_table(rng, 1_000)
    whole, receipt = release_whole(*table, mu=0.1)
    assert whole.scale == receipt.noise_scale
    exact, receipt = release_classes(*table, mu=0.1)
    noisy = [release_classes(*table, mu=0.1, noise=noise)[0] for _ in range(300)]

    for at, plan in enumerate(PLANS):
        scale = exact.scales[at]
        assert scale == receipt.noise_scale / plan.weight
        errors = [counts.columns[at] - exact.columns[at] for counts in noisy]
        assert np.std(errors) == pytest.approx(scale, rel=0.06)


def test_counts_of_blocks_of_rows_add_up(rng, release):
    codes, labels = make_table(rng, 100)
    whole, _ = release(codes, labels)
    head, _ = release(codes[:40], labels[:40])
    tail, _ = release(codes[40:], labels[40:])

    added = released_values(head) + released_values(tail)
    assert released_values(whole) == pytest.approx(added, rel=1e-14)


def test_classes_have_at_least_one_record_however_the_noise_falls(rng):
    def noise(size, scale):
        return np.full(size, -round(9 * scale))

    counts, _ = release_whole(*make_table(rng, 10), mu=0.01, noise=noise)

    assert counts.totals.tolist() == [1, 1]
    assert (counts.columns[0] < 0).all()


@pytest.mark.parametrize('kind', [np.int8, np.int32, np.int64])
@pytest.mark.parametrize(('code', 'label'), [(3, 0), (99, 0), (0, 2), (0, -1)])
def test_records_outside_the_layout_are_refused_without_naming_them(release, code, label, kind):
    with pytest.raises(UnreadableRowsError, match='failed with a ValueError') as caught:
        release(np.array([[code, 0, 0]], dtype=kind), np.array([label]))

    assert '99' not in str(caught.value)
