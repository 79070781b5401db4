import math
import operator

import numpy as np
import pytest
from triangles import pack

from sdv_threea.accounting.sensitivities import (
    distance_sensitivity,
    histogram_sensitivity,
    moment_sensitivity,
    sum_sensitivity,
)
from sdv_threea.rows.clipping import clip_norm
from sdv_threea.rows.statistics import (
    first_moments,
    histogram,
    second_moments,
    sum_distances,
    unweighted_moments,
    weighted_histogram,
)

NEIGHBORS = ('add_remove', 'replace_one')


def distance(first, second):
    """The L2 distance of two lists of arrays of exact integers."""
    moves = (one - other for one, other in zip(first, second, strict=True))
    return math.sqrt(sum(int(np.square(move).sum()) for move in moves))


def neighbours(rng, table, extreme):
    """Each kind of neighbour of a table (a tuple of arrays), with and of an extreme record."""
    rows = [np.concatenate([part, record]) for part, record in zip(table, extreme, strict=True)]
    last = tuple(part[:-1] for part in rows)
    other = int(rng.integers(len(rows[0]) - 1))
    swapped = tuple(np.concatenate([part[:-1], part[other : other + 1]]) for part in rows)
    return {'add_remove': (tuple(rows), last), 'replace_one': (tuple(rows), swapped)}


#: What is summed over records of three columns in two groups.
SUMS = {
    'histograms': lambda codes, groups: histogram(codes % 7, groups, [7] * 3, 2),
    'shortened histograms': lambda codes, groups: weighted_histogram(
        codes % 7, groups, [np.arange(7)] * 3, 2, 9
    ),
    'second moments': lambda vectors, groups: [second_moments(vectors, groups, 2)],
    'first moments': lambda vectors, groups: [first_moments(vectors << 20, groups, 2)],
}


@pytest.mark.parametrize('name', SUMS)
def test_sums_of_blocks_in_any_order_add_up_to_those_of_the_whole(rng, name):
    records, groups = rng.integers(-(2**20), 2**20, (20_000, 3)), rng.integers(0, 2, 20_000)
    whole, order = SUMS[name](records, groups), rng.permutation(20_000)
    for cut in (0, 1, 8_192, 20_000):
        parts = [SUMS[name](records[each], groups[each]) for each in np.split(order, [cut])]
        for one, two, both in zip(*parts, whole, strict=True):
            assert np.array_equal(one + two, both)
            assert one.any() or cut == 0


def test_sums_of_no_columns_are_empty():
    groups = np.zeros(5, dtype=np.int64)
    assert histogram(np.zeros((5, 0), dtype=np.int64), groups, [], 2) == ()
    assert second_moments(np.zeros((5, 0), dtype=np.int64), groups, 2).shape == (2, 0)


@pytest.mark.parametrize('group', [-1, 2])
@pytest.mark.parametrize('name', SUMS)
def test_a_group_that_does_not_exist_is_refused(name, group):
    with pytest.raises(ValueError, match=r'a group is out of range|in \[0, 2\)'):
        SUMS[name](np.ones((1, 3), dtype=np.int64), np.array([group]))


# Histograms


def test_histogram_counts_what_a_loop_counts(rng):
    sizes, num_groups = (2, 5, 3), 4
    codes = np.stack([rng.integers(-1, size, 200) for size in sizes], axis=1)
    groups = rng.integers(0, num_groups, 200)
    expected = [np.zeros((num_groups, size), dtype=np.int64) for size in sizes]
    for row, group in zip(codes, groups, strict=True):
        for column, code in enumerate(row):
            if code >= 0:
                expected[column][group, code] += 1

    counts = histogram(codes, groups, sizes, num_groups)

    for found, wanted in zip(counts, expected, strict=True):
        assert found.dtype == np.int64
        assert np.array_equal(found, wanted)


def test_histogram_of_small_codes_does_not_wrap_around():
    codes = np.full((3, 1), 99, dtype=np.int8)

    (counts,) = histogram(codes, np.array([0, 9, 9], dtype=np.int8), [100], 10)

    assert counts[0, 99] == 1
    assert counts[9, 99] == 2
    assert counts.sum() == 3


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_histogram_sensitivity_bounds_all_neighbours_and_is_reached(rng, neighbors):
    worst = {columns: 0.0 for columns in (1, 2, 7)}
    for _ in range(300):
        columns = int(rng.choice(list(worst)))
        sizes = rng.integers(1, 5, columns).tolist()
        table = (
            np.stack([rng.integers(-1, size, 6) for size in sizes], axis=1),
            rng.integers(0, 3, 6),
        )
        extreme = np.array([[size - 1 for size in sizes]]), rng.integers(0, 3, 1)
        pair = neighbours(rng, table, extreme)[neighbors]
        moved = distance(*(histogram(*rows, sizes, 3) for rows in pair))
        assert moved <= histogram_sensitivity(columns, neighbors) * (1 + 1e-15)
        worst[columns] = max(worst[columns], moved)

    assert worst == pytest.approx(
        {columns: histogram_sensitivity(columns, neighbors) for columns in worst}
    )


def test_histograms_refuse_records_that_would_count_elsewhere():
    with pytest.raises(ValueError, match='a code is out of range'):
        histogram(np.array([[3]]), np.array([0]), [3], 2)
    with pytest.raises(ValueError, match='out of range'):
        weighted_histogram(np.array([[3]]), np.array([0]), [np.arange(3)], 2, 9)


def test_histogram_refuses_shapes_that_disagree():
    with pytest.raises(ValueError, match='one row per group'):
        histogram(np.zeros((3, 2), dtype=np.int64), np.zeros(3, dtype=np.int64), [2], 1)


# Weighted histograms


def make_weighted(rng, num_rows, columns=3, size=6):
    codes = rng.integers(-1, size, (num_rows, columns))
    weights = [rng.integers(0, 40, size) for _ in range(columns)]
    return codes, rng.integers(0, 3, num_rows), weights


def test_weighted_histogram_sums_what_short_records_weigh(rng):
    codes, groups, weights = make_weighted(rng, 200)
    found = weighted_histogram(codes, groups, weights, 3, 100)

    counts = histogram(codes, groups, [6, 6, 6], 3)
    for sums, own, weight in zip(found, counts, weights, strict=True):
        assert sums.dtype == np.int64
        assert np.array_equal(sums, own * weight)


@pytest.mark.parametrize('neighbors', NEIGHBORS)
@pytest.mark.parametrize('radius', [1, 7, 30, 10_000])
def test_weighted_histograms_move_by_at_most_the_radius_for_all_neighbours(rng, neighbors, radius):
    """Whatever the weights are: also those by which no record is as short as the radius."""
    worst = 0.0
    for _ in range(300):
        codes, groups, weights = make_weighted(rng, 6)
        longest = np.array([[int(own.argmax()) for own in weights]])
        extreme = longest, rng.integers(0, 3, 1)
        pair = neighbours(rng, (codes, groups), extreme)[neighbors]
        moved = distance(*(weighted_histogram(*rows, weights, 3, radius) for rows in pair))
        assert moved <= sum_sensitivity(radius, neighbors) * (1 + 1e-15)
        worst = max(worst, moved / sum_sensitivity(radius, neighbors))

    assert worst > 0.8 or radius in (1, 10_000)


def test_weighted_histogram_refuses_weights_below_zero():
    """Of two records with weights of either sign one could be replaced by its opposite."""
    with pytest.raises(ValueError, match='at least zero'):
        weighted_histogram(np.array([[0]]), np.array([0]), [np.array([-1, 2])], 1, 9)


# Distances


def test_distances_are_added_up_histogram_by_histogram():
    counts, expected = np.array([3, 0, 5, 1, 1]), np.array([1, 2, 5, 0, 4])

    assert sum_distances(counts, expected, [2, 1, 2]).tolist() == [4, 0, 4]


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_distance_sensitivity_bounds_all_neighbours_and_is_reached(rng, neighbors):
    """For any expected counts: those that no record could have, too."""
    sizes, furthest = (2, 5, 3), 0.0
    bound = distance_sensitivity(len(sizes), neighbors)
    for _ in range(300):
        codes = np.stack([rng.integers(-1, size, 6) for size in sizes], axis=1)
        expected = rng.integers(-3, 8, sum(sizes))
        groups = np.zeros(len(codes), dtype=np.int64)
        tables = neighbours(rng, (codes, groups), (np.array([[1, 4, 2]]), groups[:1]))[neighbors]
        found = [
            sum_distances(
                np.concatenate([c[0] for c in histogram(*each, sizes, 1)]), expected, sizes
            )
            for each in tables
        ]
        furthest = max(furthest, distance([found[0]], [found[1]]))

    assert furthest <= bound
    assert furthest == pytest.approx(bound)


# Second moments


def test_second_moments_are_the_upper_triangles_of_the_sums_of_outer_products(rng):
    vectors, groups = rng.integers(-50, 50, (300, 4)), rng.integers(0, 3, 300)

    moments = unweighted_moments(second_moments(vectors, groups, 3))

    for group in range(3):
        rows = vectors[groups == group]
        assert np.array_equal(moments[group], pack(rows.T @ rows))


def test_second_moments_are_exact_where_one_float_product_is_not(rng):
    vectors = rng.integers(2**25, 2**26, (50, 2))
    exact = [
        [sum(map(operator.mul, one, two)) for one in vectors.T.tolist()]
        for two in vectors.T.tolist()
    ]
    floats = vectors.astype(float)

    sums = second_moments(vectors, np.zeros(50, dtype=np.int64), 1)

    assert sums.tolist() == [[12 * exact[0][0], 17 * exact[0][1], 12 * exact[1][1]]]
    assert (floats.T @ floats).astype(int).tolist() != exact


def adversarial_vectors(rng, width, radius):
    """Vectors of norm at most ``radius`` that come close to it, in all kinds of directions."""
    random, axis = rng.normal(size=width), np.eye(width)[int(rng.integers(width))]
    signs, pair = rng.choice([-1.0, 1.0], width), np.zeros(width)
    pair[:2] = rng.choice([-1.0, 1.0], min(width, 2))
    directions = np.stack([random, axis, signs, pair])
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    return clip_norm(np.rint(directions / lengths * radius).astype(np.int64), radius)


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_moment_sensitivity_bounds_all_neighbours_and_is_nearly_reached(rng, neighbors):
    radius, worst = 3_000, 0.0
    for _ in range(300):
        width = int(rng.choice([1, 2, 3, 40]))
        vectors = adversarial_vectors(rng, width, radius)
        table = vectors[rng.permutation(4)], rng.integers(0, 2, 4)
        extreme = adversarial_vectors(rng, width, radius)[[rng.integers(4)]], rng.integers(0, 2, 1)
        pair = neighbours(rng, table, extreme)[neighbors]
        moved = distance(*([second_moments(*rows, 2)] for rows in pair))
        assert moved <= moment_sensitivity(radius, neighbors)
        worst = max(worst, moved)

    assert worst > 0.998 * moment_sensitivity(radius, neighbors)


def test_moments_of_two_vectors_meet_at_the_angle_of_the_proof(rng):
    for _ in range(100):
        first, second = rng.integers(-9, 9, (2, 5))
        moments = second_moments(np.stack([first, second]), np.array([0, 1]), 2)

        inner = 2 * int(moments[0] @ moments[1])
        assert inner == 17**2 * int(first @ second) ** 2 - int(first**2 @ second**2)


def test_second_moments_refuse_sums_beyond_64_bits():
    with pytest.raises(OverflowError, match='coarser grid'):
        second_moments(np.full((1, 2), -(2**30)), np.array([0]), 1)
    with pytest.raises(OverflowError, match='coarser grid'):
        second_moments(np.full((10_000, 1), 2**24), np.zeros(10_000, dtype=np.int64), 1)


# First moments


def test_first_moments_are_the_sums_of_each_group(rng):
    vectors, groups = rng.integers(-50, 50, (300, 4)), rng.integers(0, 3, 300)

    sums = first_moments(vectors, groups, 4)

    assert sums.dtype == np.int64
    for group in range(4):
        assert sums[group].tolist() == vectors[groups == group].sum(axis=0).tolist()


def test_first_moments_are_exact_where_floats_and_small_integers_are_not():
    large = np.array([[2**53], [1], [1]])
    small = np.full((3, 2), 100, dtype=np.int8)

    assert first_moments(large, np.zeros(3, dtype=np.int64), 1).tolist() == [[2**53 + 2]]
    assert first_moments(small, np.array([0, 0, 0], dtype=np.int8), 1).tolist() == [[300, 300]]


@pytest.mark.parametrize('neighbors', NEIGHBORS)
def test_sum_sensitivity_bounds_all_neighbours_and_is_nearly_reached(rng, neighbors):
    """Vectors behind a constant as long as they may be: no two have a negative inner product."""
    radius, worst = 3_000, 0.0
    bound = sum_sensitivity(math.sqrt(2) * radius, neighbors)

    def vectors_of(width):
        return np.pad(
            adversarial_vectors(rng, width, radius), ((0, 0), (1, 0)), constant_values=radius
        )

    for _ in range(300):
        width = int(rng.choice([1, 2, 3, 40]))
        vectors = vectors_of(width)
        table = np.concatenate([vectors, -vectors * ([-1] + [1] * width)]), rng.integers(0, 2, 8)
        extreme = vectors_of(width)[[rng.integers(4)]], rng.integers(0, 2, 1)
        pair = neighbours(rng, table, extreme)[neighbors]
        moved = distance(*([first_moments(*rows, 2)] for rows in pair))
        assert moved <= bound * (1 + 1e-15)
        worst = max(worst, moved)

    assert worst > 0.999 * bound
