"""The columns that are released of a table: names, domains, and how they are filled."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.encoding.encoders import CategoryEncoder, NumberEncoder
from sdv_threea.relational.layout import (
    Attribute,
    Level,
    Likeness,
    context_columns,
    lay_out,
    name_context,
    own_columns,
    own_domain,
)
from sdv_threea.relational.sizes import Children, complete_children
from sdv_threea.rows.units.membership import Database, find_units
from sdv_threea.schema import Link, Schema

TO_A = Link('b', ('a_id',), 'a', required=True)
TO_X = Link('b', ('x_id',), 'x')
TO_Y = Link('b', ('y_id',), 'y', required=True)
TO_P = Link('b', ('p_id',), 'p')
A_TO_P = Link('a', ('p_id',), 'p', required=True)
ONE = Link('c', ('id',), 'a', required=True, unique=True)
SCHEMA = Schema(
    ('p', 'x', 'y', 'a', 'b', 'c'),
    (TO_A, TO_X, TO_Y, TO_P, A_TO_P, ONE),
    unit='a',
    public=frozenset({'p'}),
)
AMOUNT = Number(name='amount', low=0, high=9, step=1.0, nullable=False)


def know(children):
    return complete_children(SCHEMA, children)


def test_the_domain_says_what_is_public_of_those_columns():
    layout, public = lay_out(SCHEMA, 'a', ('amount',)), {'p': 3}
    domain = own_domain(layout, Domain((AMOUNT,), 'amount'), public, know({TO_A: Children(1, 4)}))

    assert domain.target == 'amount'
    assert (domain['number of b(a_id)'].low, domain['number of b(a_id)'].high) == (1.0, 4.0)
    assert domain['number of c(id)'].high == 1.0
    assert domain['reference of a(p_id)'] == Category(
        name='reference of a(p_id)', values=(0, 1, 2), nullable=False
    )
    free = own_domain(layout, Domain((AMOUNT,)), public, know({}))
    assert free['number of b(a_id)'].high is None
    assert free['number of b(a_id)'].low == 0.0


def test_a_missing_reference_to_a_public_row_has_its_private_rate():
    domain = own_domain(lay_out(SCHEMA, 'b', ()), Domain(()), {'p': 2}, know({}))

    assert domain['reference of b(p_id)'].nullable is None
    expected = Category(name='presence of b(x_id)', values=(False, True), nullable=False)
    assert domain['presence of b(x_id)'] == expected


@pytest.fixture
def database():
    tables = {
        name: pd.DataFrame({'amount': np.arange(rows, dtype=float)})
        for name, rows in {'a': 3, 'b': 4, 'c': 2, 'x': 1, 'y': 1}.items()
    }
    parents = {
        TO_A: np.array([0, 0, 2, 2]),
        TO_X: np.array([0, -1, -1, 0]),
        TO_Y: np.zeros(4, dtype=int),
        TO_P: np.array([1, -1, 0, 1]),
        A_TO_P: np.array([0, 1, 1]),
        ONE: np.array([2, 0]),
    }
    return Database(tables, parents, {'a': 3, 'b': 4, 'c': 2, 'x': 1, 'y': 1, 'p': 2})


def test_the_columns_are_filled_row_by_row(database):
    units = find_units(SCHEMA, database.num_rows, database.parents)
    a = own_columns(lay_out(SCHEMA, 'a', ('amount',)), database, 'a', units)
    b = own_columns(lay_out(SCHEMA, 'b', ('amount',)), database, 'b', units)

    assert a['number of b(a_id)'].tolist() == [2.0, 0.0, 2.0]
    assert a['number of c(id)'].tolist() == [1.0, 0.0, 1.0]
    assert a['reference of a(p_id)'].tolist() == [0, 1, 1]
    assert b['amount'].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert b['reference of b(p_id)'].tolist() == [1, None, 0, 1]
    assert b['presence of b(x_id)'].tolist() == [True, False, False, True]
    assert list(a.columns) == list(
        own_domain(lay_out(SCHEMA, 'a', ('amount',)), Domain((AMOUNT,)), {'p': 2}, know({})).names
    )


def test_attributes_of_the_public_row_are_columns_and_those_that_a_row_has_come_first(database):
    size, kind = (
        Attribute('size', np.array([2, 1]), True),
        Attribute('kind', np.array([1, 1]), False),
    )
    alike = {'p': Likeness((1, 0), (0.0, 1.0), (size, kind))}
    layout = lay_out(SCHEMA, 'b', ('kind',), alike=alike)
    database.tables['b']['kind'] = 'u'
    units = find_units(SCHEMA, database.num_rows, database.parents)
    rows = own_columns(layout, database, 'b', units)

    names = [each.name for each in layout.attributes[TO_P]]
    assert names == ['kind of b(p_id)', 'size of b(p_id)']
    assert rows[names[0]].tolist() == [1, None, 1, 1]
    assert rows[names[1]].tolist() == [1, None, 2, 1]
    domain = own_domain(layout, Domain(()), {'p': 2}, know({}), alike=alike)
    assert domain[names[1]] == Category(name=names[1], values=(1, 2), ordered=True)
    # Attributes after those that tell all rows apart are left out.
    listed = {'p': Likeness((1, 0), (0.0, 1.0), (size, kind))}
    assert len(lay_out(SCHEMA, 'b', (), alike=listed).attributes[TO_P]) == 1
    # A root does not know yet how many rows it has.
    assert lay_out(SCHEMA, 'a', (), alike=alike).attributes == {A_TO_P: ()}


TRANSFORMERS = (
    NumberEncoder(np.array([0.0, 1.0, 2.0, 3.0]), 1.0, nullable=True).assign('n'),
    CategoryEncoder(('u', 'v'), ordered=False, nullable=False).assign('k'),
    CategoryEncoder(('u',), ordered=False, nullable=False).assign('constant'),
    CategoryEncoder(('u',), ordered=False, nullable=True).assign('may miss'),
    CategoryEncoder(('u', 'v'), ordered=False, nullable=False).assign('owner: deep'),
)


def test_the_context_of_a_row_is_the_codes_of_its_owner():
    rows = pd.DataFrame({'n': [0.0, 2.0, np.nan], 'k': np.array(['v', 'u', 'new'], dtype=object)})
    owner, above = Link('b', ('a_id',), 'a'), Link('a', ('o_id',), 'o')
    levels = Level(owner, TRANSFORMERS[:1], ('n',)), Level(above, TRANSFORMERS[1:2], ('k',))
    parents = {owner: np.array([2, 0, -1, 1]), above: np.array([1, -1, 0])}
    context = context_columns(levels, {'a': rows, 'o': rows}, parents)

    assert context['n'].tolist() == [None, 1, None, 3]
    assert context['k'].tolist() == [2, 1, None, None]


def test_names_of_the_users_columns_are_not_taken_again():
    own = ('number of b(a_id)', '_number of b(a_id)')
    layout = lay_out(SCHEMA, 'a', own)

    assert len({*own, *layout.counts.values()}) == len(own) + len(layout.counts)
    taken = ('owner: amount', *(f'owner: {each.name}' for each in TRANSFORMERS[:2]))
    assert not set(name_context(TRANSFORMERS[:2], taken)) & set(taken)
