"""Vectors are shortened to a norm in exact integers, each by itself."""

import numpy as np
import pytest

from sdv_threea.rows.clipping import clip_norm


def squared_norms(vectors):
    return [sum(int(value) ** 2 for value in row) for row in vectors]


def test_clipped_vectors_are_within_the_radius_in_exact_integers(rng):
    for _ in range(200):
        radius = int(rng.integers(0, 5_000))
        magnitude = 10.0 ** rng.uniform(0, 18)
        vectors = np.rint(rng.normal(size=(50, int(rng.integers(1, 30)))) * magnitude)
        vectors = np.clip(vectors, -(2.0**62), 2.0**62).astype(np.int64)
        assert max(squared_norms(clip_norm(vectors, radius))) <= radius**2


def test_vectors_within_the_radius_stay_and_one_step_outside_moves():
    vectors = np.array([[3, 4], [-5, 0], [0, 0], [4, 4]])

    clipped = clip_norm(vectors, 5)

    assert clipped[:3].tolist() == vectors[:3].tolist()
    assert clipped[3].tolist() == [3, 3]
    assert vectors[3].tolist() == [4, 4]


def test_clipping_keeps_the_direction_and_nearly_all_of_the_radius(rng):
    vectors, radius = rng.integers(-(10**9), 10**9, (100, 6)), 10_000

    clipped = clip_norm(vectors, radius)

    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert clipped == pytest.approx(directions * radius, abs=1)
    assert (abs(clipped) <= abs(directions * radius)).all()


def test_a_vector_is_clipped_alike_in_every_table(rng):
    vectors = rng.integers(-(10**12), 10**12, (1_000, 37))
    together = clip_norm(vectors, 4_096)

    for start, stop in ((0, 1), (17, 18), (3, 700)):
        assert np.array_equal(clip_norm(vectors[start:stop], 4_096), together[start:stop])
    assert np.array_equal(clip_norm(np.asfortranarray(vectors), 4_096), together)


def test_clipping_survives_the_ends_of_the_integers_and_nothing_at_all():
    ends = np.array([[-(2**63), 2**63 - 1], [-(2**63), 0]])

    assert clip_norm(ends, 100).tolist() == [[-70, 70], [-99, 0]]
    assert clip_norm(ends, 0).tolist() == [[0, 0], [0, 0]]
    assert clip_norm(np.zeros((0, 3), dtype=np.int64), 5).shape == (0, 3)


def test_clipping_refuses_radii_beyond_64_bits():
    with pytest.raises(OverflowError, match='coarser grid'):
        clip_norm(np.ones((1, 4), dtype=np.int64), 2**30)
