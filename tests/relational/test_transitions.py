"""Ranks, the row before a row, and the rounds in which rows are drawn."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.relational.transitions import draw_gaps, list_rounds, rank_rows
from sdv_threea.rows.units.membership import find_previous, shuffle_ranks

OWNERS = np.array([4, 2, 4, -1, 4, 2, -1])


def test_ranks_and_rows_before_are_those_of_the_owner():
    ranks = rank_rows(OWNERS)
    assert ranks.tolist() == [0, 0, 1, 0, 2, 1, 0]
    assert find_previous(OWNERS, ranks).tolist() == [-1, -1, 0, -1, 2, 1, -1]


def test_shuffled_ranks_lead_through_all_rows_of_an_owner():
    ranks = shuffle_ranks(OWNERS, np.random.default_rng(1))
    assert sorted(ranks[OWNERS == 4]) == [0, 1, 2]
    assert ranks[OWNERS < 0].tolist() == [0, 0]
    previous = find_previous(OWNERS, ranks)
    here = previous >= 0
    assert here.sum() == 3
    assert (OWNERS[previous[here]] == OWNERS[here]).all()


@pytest.mark.parametrize(('ordered', 'rounds'), [(True, 100), (False, 2)])
def test_each_row_is_drawn_once_and_after_another_row_of_its_owner(ordered, rounds):
    owners = np.repeat([0, 1, -1, -1], [100, 3, 1, 1])
    seen = np.zeros(len(owners), dtype=bool)
    listed = list(list_rounds(owners, ordered=ordered))
    assert len(listed) == rounds
    for number, (rows, previous) in enumerate(listed):
        assert not seen[rows].any()
        if number:
            assert seen[previous].all()
            assert (owners[previous] == owners[rows]).all()
            assert not ordered or (previous == rows - 1).all()
        seen[rows] = True
    assert seen.all()


def test_rows_without_a_gap_are_drawn_again_as_long_as_that_helps():
    """Row 1 is alone and needs no gap; no other row gets one in the round that would help row 4."""
    tries, helps = np.zeros(5, dtype=int), np.array([1, 1, 2, 3, 5])

    def draw(rows):
        tries[rows] += 1
        return pd.DataFrame({'gap': np.where((tries == helps)[rows] & (rows != 1), rows, np.nan)})

    followed = np.array([True, False, True, True, True])
    found = draw_gaps(draw, 'gap', followed, np.array([4, 3, 2, 1, 0]))
    np.testing.assert_array_equal(found['gap'], [np.nan, 3, 2, np.nan, 0])
    assert tries.tolist() == [1, 1, 2, 3, 4]
