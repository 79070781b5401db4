"""The graph of tables: order, owners, roots, and what cannot be protected."""

import pytest

from sdv_threea.schema import Link, Schema, SchemaError


def link(child, parent, column=None, **facts):
    return Link(child, (column or f'{parent}_id',), parent, **facts)


def owner_names(schema):
    return {table: owner and owner.parent for table, owner in schema.owners.items()}


def test_parents_come_before_their_children():
    schema = Schema(('c', 'b', 'a', 'p'), (link('c', 'b'), link('b', 'a'), link('a', 'p')))

    assert schema.order == ('p', 'a', 'b', 'c')


def test_the_only_root_holds_the_units():
    schema = Schema(('c', 'b', 'a'), (link('c', 'b'), link('b', 'a')))

    assert schema.main == 'a'
    assert schema.reached == {'a', 'b', 'c'}
    assert owner_names(schema) == {'a': None, 'b': 'a', 'c': 'b'}
    assert {schema.root(table) for table in schema.tables} == {'a'}


def test_a_table_that_refers_to_public_ones_only_is_a_root():
    schema = Schema(('p', 'a', 'b'), (link('a', 'p'), link('b', 'a')), public=frozenset({'p'}))

    assert schema.private == ('a', 'b')
    assert schema.main == 'a'
    assert schema.owners['a'] is None


def test_without_private_tables_there_is_nothing_to_protect():
    schema = Schema(('p', 'q'), (link('q', 'p'),), public=frozenset({'p', 'q'}))

    assert (schema.main, schema.private, schema.reached) == (None, (), frozenset())


def test_rows_are_owned_through_a_parent_that_leads_to_the_units():
    links = (link('b', 'x'), link('b', 'a'), link('c', 'x'), link('c', 'b'))
    schema = Schema(('x', 'a', 'b', 'c'), links, unit='a')

    assert owner_names(schema) == {'x': None, 'a': None, 'b': 'a', 'c': 'b'}
    assert schema.root('x') == 'x'
    assert schema.unit_links['b'] == (links[1],)
    assert schema.unit_links['c'] == (links[3],)


def test_every_path_from_the_units_counts():
    links = (link('b', 'a'), link('c', 'a'), link('d', 'b'), link('d', 'c'))
    schema = Schema(('a', 'b', 'c', 'd'), links)

    assert schema.unit_links['d'] == links[2:]
    assert schema.owned_by('b') == (links[2],)
    assert schema.owned_by('c') == ()


def test_what_hangs_off_no_unit_has_roots_of_its_own():
    links = (link('y', 'x'), link('y', 'w'), link('b', 'a'))
    schema = Schema(('a', 'b', 'w', 'x', 'y'), links, unit='a')

    assert schema.reached == {'a', 'b'}
    assert owner_names(schema) == {'a': None, 'b': 'a', 'w': None, 'x': None, 'y': 'x'}
    assert schema.unit_links['y'] == (links[0],)
    assert schema.root('y') == 'x'


def test_the_units_may_hang_off_another_table():
    links = (link('b', 'a'), link('c', 'b'))
    schema = Schema(('a', 'b', 'c'), links, unit='b')

    assert owner_names(schema) == {'a': None, 'b': None, 'c': 'b'}
    assert schema.reached == {'b', 'c'}
    assert (schema.root('a'), schema.root('c')) == ('a', 'b')


@pytest.mark.parametrize('order', [1, -1])
def test_a_primary_key_that_refers_is_owned_through_that_reference(order):
    links = (link('b', 'a', 'id', required=True, unique=True), link('b', 'a', 'other'))[::order]
    schema = Schema(('a', 'b'), links)

    assert schema.owners['b'].columns == ('id',)


@pytest.mark.parametrize('order', [1, -1])
def test_rows_are_owned_through_a_reference_that_is_never_missing(order):
    links = (link('b', 'a', 'other'), link('b', 'a', 'one', required=True))[::order]
    schema = Schema(('a', 'b'), links)

    assert schema.owners['b'].columns == ('one',)
    assert schema.unit_links['b'][0] == schema.owners['b']


def test_a_star_of_many_tables_has_one_owner():
    children = tuple('bcdefghijkl')
    schema = Schema(('a', *children), tuple(link(child, 'a') for child in children))

    assert [each.child for each in schema.owned_by('a')] == list(children)


@pytest.mark.parametrize(
    ('tables', 'links', 'options', 'message'),
    [
        ('a', [('a', 'a')], {}, "'a' refers to itself by a\\(a_id\\)"),
        ('ab', [('a', 'b'), ('b', 'a')], {}, "\\['a', 'b'\\] refer to each other in a circle"),
        ('abc', [('b', 'a'), ('c', 'b'), ('b', 'c')], {}, 'circle'),
        ('a', [('a', 'z')], {}, "no tables \\['z'\\]"),
        ('a', [], {'public': frozenset({'q'})}, "no tables \\['q'\\]"),
        ('ab', [], {}, "'privacy_unit'.*'public_tables'"),
        ('ab', [('b', 'a')], {'unit': 'q'}, "no table 'q'"),
        ('ab', [('b', 'a')], {'unit': 'a', 'public': frozenset({'a'})}, 'cannot be a public table'),
        (
            'ab',
            [('b', 'a')],
            {'public': frozenset({'b'})},
            "public table 'b' refers to the private",
        ),
    ],
)
def test_what_cannot_be_protected_is_refused_by_name(tables, links, options, message):
    with pytest.raises(SchemaError, match=message):
        Schema(tuple(tables), tuple(link(*ends) for ends in links), **options)


def test_unrelated_tables_are_protected_row_by_row_once_a_unit_is_named():
    schema = Schema(('a', 'b', 'c'), unit='b')

    assert {table: schema.root(table) for table in schema.tables} == {'a': 'a', 'b': 'b', 'c': 'c'}
