"""Tables that a column is fitted to, as its particles see them."""

from itertools import permutations

import numpy as np
import pytest

from sdv_threea.joint.terms import ParentPair, Term, Triples

MERGED = np.array([0, 0, 1]), np.array([0, 1, 1, 2]), np.array([1, 0])


def test_a_table_says_how_often_its_places_are_wanted(rng):
    table, places = rng.random((2, 4)), np.array([0, 0, 1, 0])

    wanted = Term(places, table).expect(np.full(4, 0.25))

    given = table / table.sum(axis=1, keepdims=True)
    assert wanted == pytest.approx(given * [[3], [1]])


def test_rows_that_the_table_does_not_know_are_as_the_column_is():
    own = np.array([0.5, 0.2, 0.3])

    assert Term(np.array([1]), np.zeros((2, 3))).expect(own)[1] == pytest.approx(own)
    merged = Term(np.array([1]), np.zeros((2, 2)), np.array([0, 1, 1])).expect(own)
    assert merged[1] == pytest.approx([0.5, 0.5])


def test_bins_of_one_coarser_bin_take_the_same_step(rng):
    term = Term(np.array([0]), rng.random((2, 2)), np.array([0, 1, 1]))
    chances = rng.random((2, 3))

    assert term.merge(chances) == pytest.approx(
        np.stack([chances[:, 0], chances[:, 1] + chances[:, 2]], axis=1)
    )
    steps = rng.random((2, 2))
    assert term.spread(steps).tolist() == steps[:, [0, 1, 1]].tolist()


def test_the_bins_of_two_columns_are_one_place(rng):
    both = ParentPair((2, 0), (MERGED[1], MERGED[0]), rng.random((6, 5)))

    places = both.find(np.array([[2, 9, 3], [0, 9, 1], [1, 9, 0]]))

    assert places.tolist() == [2 * 2 + 1, 1 * 2 + 0, 0]


@pytest.mark.parametrize('order', list(permutations(range(3))))
def test_the_last_of_three_columns_sees_the_two_others(rng, order):
    table = rng.random((2, 3, 2))
    place = {column: at for at, column in enumerate(order)}

    seen = Triples({(0, 1, 2): table}, MERGED).look_back(place)

    one, two, last = order
    (both,) = seen.pop(last)
    assert all(found == [] for found in seen.values())
    assert both.parents == (one, two)
    assert both.numbers.tolist() == table.transpose(order).reshape(-1, table.shape[last]).tolist()
    assert [each.tolist() for each in both.merged] == [MERGED[at].tolist() for at in (one, two)]
