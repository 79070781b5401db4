"""The order of the columns: what is told most comes next, and trees are walked step by step."""

import numpy as np
import pytest

from sdv_threea.joint.column_order import choose_order

#: A chain of four columns, a star of three, and two columns by themselves.
TREES = {0: [1], 1: [0, 2], 2: [1, 3], 3: [2], 4: [5, 6], 5: [4], 6: [4]}


def make_information(rng, size):
    information = np.triu(rng.exponential(size=(size, size)), 1)
    return information + information.T


@pytest.mark.parametrize('first', [(), (3,), (5, 0), (4, 3, 2, 1, 0)])
def test_next_comes_the_column_that_those_before_it_tell_most_of(rng, first):
    information = make_information(rng, 6)

    order = choose_order(information, first, {})

    assert sorted(order) == list(range(6))
    assert tuple(order[: len(first)]) == first
    if not first:
        assert order[0] == information.sum(axis=1).argmax()
    for place in range(max(len(first), 1), 6):
        told = {at: information[order[:place], at].sum() for at in order[place:]}
        assert order[place] == max(told, key=told.get)


@pytest.mark.parametrize('first', [(), (8,), (0, 3), (3, 1), (5, 6, 0), (7, 2)])
def test_each_column_of_a_tree_has_one_of_its_neighbours_before_it(rng, first):
    """But for the root; so it follows from one other column, and nothing has to be reconciled."""
    for _ in range(20):
        order = choose_order(make_information(rng, 9), first, TREES)

        assert sorted(order) == list(range(9))
        places = [order.index(at) for at in first]
        assert places == sorted(places)
        for tree in ({0, 1, 2, 3}, {4, 5, 6}):
            before = [
                len(set(TREES[at]) & set(order[: order.index(at)])) for at in order if at in tree
            ]
            assert before == [0] + [1] * (len(tree) - 1)


def test_columns_on_the_way_between_given_ones_come_with_them(rng):
    information = make_information(rng, 9)

    assert choose_order(information, (0, 3), TREES)[:4] == [0, 1, 2, 3]
    assert choose_order(information, (8, 3, 1), TREES)[:4] == [8, 3, 2, 1]
    assert choose_order(information, (5, 8, 6), TREES)[:4] == [5, 8, 4, 6]
