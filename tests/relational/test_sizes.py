"""Sizes of tables: near what was released, and within the public bounds on children."""

import numpy as np
import pytest

from sdv_threea.relational.sizes import (
    Children,
    complete_children,
    scale_children,
    settle_sizes,
)
from sdv_threea.rows.units.schema import Link, Schema

B_TO_A = Link('b', ('a_id',), 'a', required=True)
C_TO_B = Link('c', ('b_id',), 'b', required=True)
B_TO_P = Link('b', ('p_id',), 'p', required=True)
CHAIN = Schema(('p', 'a', 'b', 'c'), (B_TO_A, C_TO_B, B_TO_P), public=frozenset({'p'}))


def settle(wanted, children, schema=CHAIN, public=10):
    complete = complete_children(schema, children)
    return settle_sizes(wanted, schema, dict.fromkeys(schema.public, public), complete)


def test_without_bounds_tables_are_as_large_as_released():
    assert settle({'a': 3.4, 'b': 0.2, 'c': 7.6}, {}) == {'a': 3, 'b': 1, 'c': 8}


def test_children_keep_to_the_bounds_of_their_parents():
    children = {B_TO_A: Children(2, 3), C_TO_B: Children(0, 1)}

    assert settle({'a': 10, 'b': 5, 'c': 50}, children) == {'a': 10, 'b': 20, 'c': 20}
    assert settle({'a': 10, 'b': 35, 'c': 5}, children) == {'a': 10, 'b': 30, 'c': 5}


def test_parents_have_room_for_what_public_rows_demand():
    children = {B_TO_A: Children(1, 2), B_TO_P: Children(4, 9)}

    assert settle({'a': 1, 'b': 1, 'c': 1}, children) == {'a': 20, 'b': 40, 'c': 1}
    assert settle({'a': 500, 'b': 1, 'c': 1}, children) == {'a': 90, 'b': 90, 'c': 1}


def test_a_key_that_may_be_missing_is_no_upper_bound():
    loose = Link('b', ('a_id',), 'a')
    schema = Schema(('a', 'b'), (loose,))

    assert settle({'a': 5, 'b': 50}, {loose: Children(1, 2)}, schema) == {'a': 5, 'b': 50}
    assert settle({'a': 5, 'b': 2}, {loose: Children(1, 2)}, schema) == {'a': 5, 'b': 5}


def test_a_unique_key_has_one_child_at_most():
    unique = Link('b', ('id',), 'a', required=True, unique=True)
    schema = Schema(('a', 'b'), (unique,))

    assert settle({'a': 5, 'b': 50}, {}, schema) == {'a': 5, 'b': 5}
    assert settle({'a': 5, 'b': 2}, {unique: Children(1, 7)}, schema) == {'a': 5, 'b': 5}


def test_public_rows_get_more_children_in_a_larger_sample():
    children = complete_children(CHAIN, {B_TO_A: Children(1, 3), B_TO_P: Children(3, 5)})
    scaled = scale_children(children, CHAIN, 2.5)

    assert scaled[B_TO_P] == Children(7, 13)
    assert scaled[B_TO_A] == Children(1, 3)


@pytest.mark.parametrize('seed', range(20))
def test_all_bounds_are_met_where_they_can_be(seed):
    """Draw bounds that can be kept, and sizes that break them: two parents, one of them public."""
    rng = np.random.default_rng(seed)
    b, a = int(rng.integers(50, 500)), int(rng.integers(5, 50))
    c = int(rng.integers(1, 900))
    real = {B_TO_A: b / a, C_TO_B: c / b, B_TO_P: b / 10}
    children = {
        link: Children(int(rng.integers(0, int(mean) + 1)), int(np.ceil(mean)) + 1)
        for link, mean in real.items()
    }
    sizes = settle(dict(zip('abc', rng.integers(1, 1000, 3).tolist(), strict=True)), children)
    sizes['p'] = 10
    for link, each in children.items():
        least, most = each.of(sizes[link.parent])
        assert least <= sizes[link.child] <= most


def test_where_bounds_contradict_each_other_upper_ones_are_met():
    b_to_q = Link('b', ('q_id',), 'q', required=True)
    schema = Schema(('p', 'q', 'b'), (B_TO_P, b_to_q), public=frozenset({'p', 'q'}))

    assert settle({'b': 70}, {B_TO_P: Children(5, 6), b_to_q: Children(0, 2)}, schema) == {'b': 20}
