"""The two releases of counts: exact sums, and what is made of records that count too much."""

import math

import numpy as np
import pytest
from chance import silent
from chunked import chunk_arrays

from sdv_threea.approximate.column_stage import share_codes
from sdv_threea.approximate.counts import (
    BinPlan,
    ClassPlan,
    Counts,
    release_class_counts,
    release_counts,
)
from sdv_threea.rows.records import Encoded

NEIGHBORS = ('add_remove', 'replace_one')
SIZES = [3, 2, 5]

#: How the classes are counted here: in coarse bins, with weights that differ. The longest record
#: has the norm of the radius: 6^2 + 13^2 + 18^2 = 23^2.
COLUMNS = tuple(
    BinPlan(np.array(bins), True, np.array(weights))
    for bins, weights in (([0, 1, 1], [5, 6]), ([0, 1], [13, 3]), ([0, 2, 1, 1, 2], [9, 18, 4]))
)
WHOLE = tuple(np.ones(len(plan.weights)) for plan in COLUMNS)
PLAN = ClassPlan(COLUMNS, 23, WHOLE)


def release_whole(codes, labels, *, mu=1.0, neighbors='add_remove', noise=silent):
    return release_counts(
        chunk_arrays(Encoded(codes, labels)), SIZES, 2, mu=mu, neighbors=neighbors, noise=noise
    )


def release_classes(codes, labels, *, plan=PLAN, mu=1.0, neighbors='add_remove', noise=silent):
    return release_class_counts(
        chunk_arrays(Encoded(codes, labels)), plan, 2, mu=mu, neighbors=neighbors, noise=noise
    )


def make_table(rng, num_rows):
    codes = np.stack([rng.integers(-1, size, num_rows) for size in SIZES], axis=1)
    return codes, rng.integers(0, 2, num_rows)


def released_values(counts):
    """The values that went through the door of noise, in released units."""
    if isinstance(counts, Counts):
        return np.concatenate([counts.totals, *counts.columns])
    weighted = zip(counts.columns, counts.plans, strict=True)
    return np.concatenate([(column * plan.weights).ravel() for column, plan in weighted])


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

    assert receipt.noise_scale == 0
    assert not any(scales.any() for scales in counts.scales)
    for at, (column, plan) in enumerate(zip(counts.columns, COLUMNS, strict=True)):
        for label in (0, 1):
            own = codes[labels == label, at]
            bins, size = plan.bins[own[own >= 0]], plan.bins.max() + 1
            assert column[label] == pytest.approx(np.bincount(bins, minlength=size), rel=1e-15)


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_records_beyond_the_radius_are_shortened_to_it(rng, neighbors):
    plan, worst = PLAN._replace(radius=13), 0.0
    for _ in range(300):
        (first, second), own = make_table(rng, 2)
        tables = [([first], own[:1]), ([second], own[1:])]
        pair = [
            released_values(release_classes(np.array(codes), labels, plan=plan)[0])
            for codes, labels in tables
        ]
        assert all(np.linalg.norm(values) <= 13 * (1 + 1e-12) for values in pair)
        moved = pair[0] if neighbors == 'add_remove' else pair[0] - pair[1]
        declared = release_classes(*make_table(rng, 1), plan=plan, neighbors=neighbors)[1]
        assert np.linalg.norm(moved) <= declared.sensitivity
        worst = max(worst, np.linalg.norm(moved) / declared.sensitivity)

    assert worst > 0.9


def test_what_shortening_is_expected_to_take_is_given_back():
    codes, labels = np.zeros((50, 3), dtype=np.int64), np.zeros(50, dtype=np.int64)
    kept = tuple(np.full(len(plan.weights), 0.5) for plan in COLUMNS)

    once, receipt = release_classes(codes, labels)
    twice, _ = release_classes(codes, labels, plan=PLAN._replace(kept=kept))

    for one, two, scales in zip(once.columns, twice.columns, twice.scales, strict=True):
        assert two == pytest.approx(2 * one)
        assert len(scales) == two.shape[1]
    assert twice.scales[1] == pytest.approx(receipt.noise_scale / (COLUMNS[1].weights * 0.5))


def test_classes_have_at_least_one_record_however_the_noise_falls(rng):
    def noise(size, scale):
        return np.full(size, -round(9 * scale))

    counts, _ = release_whole(*make_table(rng, 10), mu=0.01, noise=noise)

    assert counts.totals.tolist() == [1, 1]
    assert (counts.columns[0] < 0).all()


@pytest.mark.parametrize(
    ('codes', 'shares'),
    [([0, 1, 1, 2], [0.25, 0.5, 0.25]), ([-1, 2, 2], [0, 0, 1]), ([-1, -1], [1 / 3] * 3)],
)
def test_values_without_a_code_have_no_share(codes, shares):
    assert share_codes(np.array(codes), 3) == pytest.approx(shares)
