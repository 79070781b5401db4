"""Foreign keys of samples: counts that add up; references levelled, kept within units."""

import numpy as np
import pytest

from sdv_threea.relational.foreign_keys import (
    _find_donors,
    adjust_counts,
    choose_within,
    keep_within,
    level,
    move_away,
)
from sdv_threea.relational.sizes import Children


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_counts_add_up_within_their_bounds(rng):
    for _ in range(500):
        counts = rng.integers(0, rng.choice([2, 5, 1000]), rng.integers(1, 12))
        total, most = int(rng.integers(0, 300)), rng.choice([None, 1, 2, 7])
        adjusted = adjust_counts(counts, total, most, rng)
        reachable = total if most is None else min(total, len(counts) * most)
        assert adjusted.sum() == reachable
        assert adjusted.min() >= 0
        assert most is None or adjusted.max() <= most


def test_references_occur_as_often_as_released(rng):
    chances = np.array([0.5, 0.3, 0.2, 0.0])
    drawn = rng.choice(4, 1000, p=[0.4, 0.3, 0.2, 0.1])
    levelled = level(drawn, chances, rng)

    assert np.bincount(levelled, minlength=4).tolist() == [500, 300, 200, 0]
    surplus = np.maximum(np.bincount(drawn, minlength=4) - [500, 300, 200, 0], 0).sum()
    assert (levelled != drawn).sum() == surplus


def test_columns_that_follow_from_a_reference_follow_the_one_that_a_row_got(rng):
    """Rows of two products changed places; a row of a product that nobody kept keeps its price."""
    drawn = np.array([0, 0, 1, 1, 2, None], dtype=object)
    got = np.array([0, 1, 1, 0, 3, None], dtype=object)

    donors = _find_donors(drawn, got, rng)

    assert donors.tolist() == [0, 2, 2, 0, 4, 5]


def test_rows_choose_within_their_unit(rng):
    theirs = rng.integers(0, 30, 200)
    units = rng.integers(0, 40, 500)
    chosen = choose_within(units, theirs, rng)
    has = np.isin(units, theirs)

    assert (theirs[chosen[has]] == units[has]).all()
    assert ((chosen >= 0) & (chosen < 200)).all()


def test_counts_are_no_smaller_than_the_least(rng):
    for _ in range(300):
        counts = rng.integers(0, 9, rng.integers(1, 12))
        least, total = int(rng.integers(0, 4)), int(rng.integers(0, 60))
        adjusted = adjust_counts(counts, total, 6, rng, least)
        assert adjusted.sum() == np.clip(total, least * len(counts), 6 * len(counts))
        assert adjusted.min() >= least
        assert adjusted.max() <= 6


@pytest.mark.parametrize('required', [True, False])
def test_references_keep_within_their_bounds(rng, required):
    for _ in range(300):
        children = Children(int(rng.integers(0, 4)), int(rng.integers(4, 9)))
        num_parents = int(rng.integers(1, 20))
        room = (children.least * num_parents, children.most * num_parents)
        # If each row has to refer to a parent, the number of rows has to fit the bounds.
        size = int(rng.integers(room[0], room[1] + 1)) + 50 * (not required)
        referred = rng.integers(0 if required else -1, num_parents, size)
        kept = keep_within(referred, num_parents, children, required, rng)
        counts = np.bincount(kept[kept >= 0], minlength=num_parents)
        assert children.least <= counts.min() and counts.max() <= children.most
        assert not required or (kept >= 0).all()


def test_rows_that_cannot_stay_within_change_places_with_rows_that_can():
    theirs, units = np.array([0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    away, here = np.array([True, False, True, True, False, True]), np.ones(6, dtype=bool)
    moved = move_away(units, theirs, away, here, np.random.default_rng(0))

    # Nothing of unit 2 is there, so one of the others that were away stays within.
    assert moved.sum() == away.sum()
    assert moved.tolist()[4:] == [True, True]
    assert not moved[1]
