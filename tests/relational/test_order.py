"""Rows in order: gaps and first indices of an owner are those of its own rows, and add up again."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.domain import Number
from sdv_threea.relational.layout import lay_out
from sdv_threea.relational.order import add_gaps, describe_index, order_rows
from sdv_threea.rows.units.membership import Database
from sdv_threea.schema import Link, Schema

OWNER = Link('b', ('a',), 'a', required=True)
BELOW = Link('c', ('b',), 'b', required=True)
SCHEMA = Schema(('a', 'b', 'c'), (OWNER, BELOW))
ORDERS = {'b': 'when'}
INDEX = Number(name='when')


def make(when, owners):
    when, owners = np.array(when, dtype=float), np.array(owners)
    tables = {
        'a': pd.DataFrame(index=range(4)),
        'b': pd.DataFrame({'when': when, 'x': when}),
        'c': pd.DataFrame(index=range(len(when))),
    }
    parents = {OWNER: owners, BELOW: np.arange(len(when))}
    return Database(tables, parents, {name: len(each) for name, each in tables.items()})


def order(when, owners):
    layouts = {name: lay_out(SCHEMA, name, (), ORDERS) for name in SCHEMA.private}
    group = order_rows(SCHEMA, layouts, {'b': INDEX}, make(when, owners))
    gaps = group.rows['b'][layouts['b'].gap].to_numpy()
    firsts = group.rows['a'][layouts['a'].firsts[OWNER]].to_numpy()
    return group, gaps, firsts


def test_gaps_and_places_follow_the_index():
    group, gaps, firsts = order([5, 1, 9, 2], [0, 1, 0, 1])
    assert group.places['b'].tolist() == [2, 0, 3, 1]
    assert group.places['c'].tolist() == [0, 1, 2, 3]
    assert gaps.tolist() == [4, 1, 4, 1]
    assert firsts[:2].tolist() == [5, 1]
    assert np.isnan(firsts[2:]).all()
    assert (group.units['b'] == group.units['a'][group.parents[OWNER]]).all()


@pytest.mark.parametrize('seed', range(5))
def test_gaps_of_an_owner_are_those_of_its_own_rows(seed):
    rng = np.random.default_rng(seed)
    when, owners = rng.integers(0, 9, 30).astype(float), rng.integers(0, 4, 30)
    when[rng.random(30) < 0.1] = np.nan
    whole, fewer = order(when, owners), order(when[owners != 2], owners[owners != 2])
    kept = owners != 2
    np.testing.assert_array_equal(whole[1][kept], fewer[1])
    np.testing.assert_array_equal(whole[2][[0, 1, 3]], fewer[2][[0, 1, 3]])
    assert np.isfinite(whole[1][np.isfinite(when)]).all()
    assert not (whole[1] < 0).any()


def test_a_row_alone_has_no_gap():
    """A gap of 0 would be one of the rows that follow others, where no row has it."""
    np.testing.assert_array_equal(order([5, 1, 9], [0, 1, 0])[1], [4, np.nan, 4])


@pytest.mark.parametrize('ends', [(-1e308, 1e308), (-(2.0**63), 2.0**63), (0.0, 2.0**64)])
def test_a_gap_between_valid_indices_is_valid(ends):
    """Or one sequence could keep a table of valid cells from being fitted."""
    gaps = order(ends, [0, 0])[1]
    assert (gaps > 1e18).all()
    assert (gaps < np.inf).all()


def test_gaps_add_up_from_the_first_index_of_the_owner():
    rng, owners = np.random.default_rng(0), np.array([0, 0, 0, 1, 1, 3, -1])
    firsts, gaps = np.array([10.0, 0.0, 5.0, np.nan]), np.array([7.0, 1, 2, 7, np.nan, 7, 7])
    index = describe_index(INDEX, Number(name='', high=10.0), Number(name='', high=2.0))
    found = add_gaps(firsts, gaps, owners, index, rng)
    assert found[:4].tolist() == [10, 11, 13, 0]
    assert found[4] in gaps
    assert set(found[5:]) <= {10.0, 0.0, 5.0}


def test_the_index_keeps_to_a_stated_end_and_to_its_granularity():
    index = describe_index(
        Number(name='when', high=12.0),
        Number(name='', low=0.0, high=10.0, step=1.0),
        Number(name='', high=2.0, step=0.5),
    )
    assert (index.low, index.high, index.step) == (0.0, 12.0, 0.5)
    rng, gaps = np.random.default_rng(0), np.array([0, 0.7, 9.0])
    found = add_gaps(np.array([5.1]), gaps, np.zeros(3, dtype=int), index, rng)
    assert found.tolist() == [5.0, 6.0, 12.0]
