"""Sizes of tables: near what was released, and within the public bounds on children."""

import numpy as np
import pytest

from sdv_threea.relational.sizes import (
    Children,
    complete_children,
    scale_children,
    settle_sizes,
)
from sdv_threea.schema import Link, Schema

B_TO_A = Link('b', ('a_id',), 'a', required=True)
C_TO_B = Link('c', ('b_id',), 'b', required=True)
B_TO_P = Link('b', ('p_id',), 'p', required=True)
CHAIN = Schema(('p', 'a', 'b', 'c'), (B_TO_A, C_TO_B, B_TO_P), public=frozenset({'p'}))


def settle(wanted, children, schema=CHAIN, public=10):
    complete = complete_children(schema, children)
    return settle_sizes(wanted, schema, dict.fromkeys(schema.public, public), complete)


LOOSE = Link('b', ('a_id',), 'a')
UNIQUE = Link('b', ('id',), 'a', required=True, unique=True)
TO_Q = Link('b', ('q_id',), 'q', required=True)
CONTRADICTING = Schema(('p', 'q', 'b'), (B_TO_P, TO_Q), public=frozenset({'p', 'q'}))
TIGHT, DEMANDING = {B_TO_A: (2, 3), C_TO_B: (0, 1)}, {B_TO_A: (1, 2), B_TO_P: (4, 9)}

#: What bounds do: the bounds, the sizes that were released, and those that a sample has.
SETTLED = {
    'without bounds tables are as large as released': [
        (CHAIN, {}, {'a': 3.4, 'b': 0.2, 'c': 7.6}, {'a': 3, 'b': 1, 'c': 8}),
    ],
    'children keep to the bounds of their parents': [
        (CHAIN, TIGHT, {'a': 10, 'b': 5, 'c': 50}, {'a': 10, 'b': 20, 'c': 20}),
        (CHAIN, TIGHT, {'a': 10, 'b': 35, 'c': 5}, {'a': 10, 'b': 30, 'c': 5}),
    ],
    'parents have room for what public rows demand': [
        (CHAIN, DEMANDING, {'a': 1, 'b': 1, 'c': 1}, {'a': 20, 'b': 40, 'c': 1}),
        (CHAIN, DEMANDING, {'a': 500, 'b': 1, 'c': 1}, {'a': 90, 'b': 90, 'c': 1}),
    ],
    'a key that may be missing is no upper bound': [
        (Schema(('a', 'b'), (LOOSE,)), {LOOSE: (1, 2)}, {'a': 5, 'b': 50}, {'a': 5, 'b': 50}),
        (Schema(('a', 'b'), (LOOSE,)), {LOOSE: (1, 2)}, {'a': 5, 'b': 2}, {'a': 5, 'b': 5}),
    ],
    'a unique key has one child at most': [
        (Schema(('a', 'b'), (UNIQUE,)), {}, {'a': 5, 'b': 50}, {'a': 5, 'b': 5}),
        (Schema(('a', 'b'), (UNIQUE,)), {UNIQUE: (1, 7)}, {'a': 5, 'b': 2}, {'a': 5, 'b': 5}),
    ],
    'where bounds contradict each other upper ones are met': [
        (CONTRADICTING, {B_TO_P: (5, 6), TO_Q: (0, 2)}, {'b': 70}, {'b': 20}),
    ],
}


@pytest.mark.parametrize('sentence', SETTLED)
def test_sizes_keep_to_the_bounds_on_children(sentence):
    for schema, bounds, wanted, settled in SETTLED[sentence]:
        children = {link: Children(*each) for link, each in bounds.items()}
        assert settle(wanted, children, schema) == settled


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
