"""Values that share buckets, counted with noise: how many there are, and how often each occurs."""

import numpy as np
import pytest

from sdv_threea.maths.buckets import fit_sizes, occupy, share_out

NUM_BUCKETS, TOTAL = 2048, 30_000


def count(sizes, scale, rng):
    """Count values in buckets, with noise; as in a fit, the noise is whole numbers."""
    buckets = rng.integers(NUM_BUCKETS, size=len(sizes))
    exact = np.bincount(buckets, sizes, NUM_BUCKETS)
    return exact + np.rint(rng.normal(0, scale, NUM_BUCKETS)) if scale else exact


def deal(number, power, rng):
    """Deal the rows out to values: evenly, or the k-th most frequent gets ``1 / k^power``."""
    shares = np.arange(1.0, number + 1) ** -power
    sizes = rng.multinomial(TOTAL, shares / shares.sum())
    return sizes[sizes > 0]


def read(counts, scale, known=0):
    return share_out(occupy(counts, scale, TOTAL, known), known)


def misplaced(one, other):
    """The share of rows by which two lists of sizes differ, the largest first."""
    length = max(len(one), len(other))
    one, other = (
        np.pad(np.sort(each)[::-1] / each.sum(), (0, length - len(each))) for each in (one, other)
    )
    return np.abs(one - other).sum() / 2


@pytest.mark.parametrize(
    ('number', 'power', 'scale', 'lowest', 'highest', 'off'),
    [
        (300, 0.0, 0.0, 290, 305, 0.02),
        (300, 0.0, 15.0, 270, 330, 0.12),
        (300, 0.0, 40.0, 150, 600, 0.4),
        (3000, 1.0, 0.0, 2300, 3100, 0.1),
        (3000, 1.0, 15.0, 1500, 4500, 0.2),
        (15_000, 0.0, 0.0, 12_000, 17_000, 0.2),
    ],
)
def test_values_are_as_many_and_as_frequent_as_they_are(
    number, power, scale, lowest, highest, off, rng
):
    sizes = deal(number, power, rng)
    buckets, found = read(count(sizes, scale, rng), scale)

    assert lowest <= len(found) <= highest
    assert misplaced(sizes, found) < off
    assert np.array_equal(buckets, np.sort(buckets))
    assert found.min() >= 1


@pytest.mark.parametrize('scale', [5.0, 40.0])
def test_unlike_values_are_told_from_repeated_ones(scale, rng):
    alone = fit_sizes(count(np.ones(TOTAL), scale, rng), scale, TOTAL)
    assert alone.rate > 10
    buckets, _ = read(count(deal(300, 0.0, rng), scale, rng), scale)
    assert len(buckets)


def test_a_known_number_of_values_is_kept(rng):
    counts = count(deal(300, 1.0, rng), 15.0, rng)
    occupied = occupy(counts, 15.0, TOTAL, 300)
    _, found = share_out(occupied, 300)

    assert len(found) <= 300
    assert found.sum() == occupied.sum()


def test_the_values_of_a_bucket_add_up_to_its_count(rng):
    counts = count(deal(3000, 1.0, rng), 0.0, rng)
    buckets, found = share_out(counts)

    assert np.array_equal(np.bincount(buckets, found, NUM_BUCKETS), counts)


@pytest.mark.parametrize('counts', [np.zeros(NUM_BUCKETS), np.full(NUM_BUCKETS, -3.0)])
@pytest.mark.parametrize('total', [0.0, 5.0])
def test_a_bucket_can_occur_whatever_the_noise(counts, total):
    occupied = occupy(counts, 2.0, total)

    assert (occupied >= 0).all()
    assert occupied.any() or not total


def test_counts_beyond_all_reach_are_one_large_value_each(rng):
    counts = count(np.full(40, 10**5), 0.0, rng)
    buckets, found = share_out(counts)

    assert len(found) >= np.count_nonzero(counts)
    assert np.array_equal(np.bincount(buckets, found, NUM_BUCKETS), counts)
