"""Rules between tables: they hold in written tables, whatever the tables look like."""

import numpy as np
import pandas as pd
import pytest
from orders import RULES, SINGLE, draw_tables, make_metadata
from sdv.cag import Inequality
from sdv.errors import SynthesizerInputError

from sdv_threea.constraints import After, ExactlyOne, Ranks, SameAs, TotalOf, Within
from sdv_threea.constraints.constraint_set import read_constraint
from sdv_threea.constraints.linked import Linked
from sdv_threea.constraints.planning import keep_rules, plan


def keep(tables, rules=RULES, constraints=SINGLE, public=('product',)):
    metadata = make_metadata()
    linked = Linked(dict(tables), metadata)
    keep_rules(plan(rules, constraints, metadata, public), linked)
    for rule in rules:
        for name, valid in rule.is_valid(linked.tables, metadata).items():
            assert valid.all(), (rule, name)
    return linked.tables


@pytest.fixture(scope='module')
def real():
    return draw_tables()


@pytest.fixture(scope='module')
def kept(real):
    return keep(real)


def test_all_rules_hold_together(real, kept):
    metadata = make_metadata()
    broken = [not all(v.all() for v in rule.is_valid(real, metadata).values()) for rule in RULES]
    assert all(broken)
    for name, table in real.items():
        assert list(kept[name].columns) == list(table.columns)
        assert kept[name].dtypes.to_dict() == table.dtypes.to_dict()
    pd.testing.assert_frame_equal(kept['product'], real['product'])


def test_rules_mean_what_they_say(kept):
    orders = kept['order'].merge(kept['customer'], left_on='customer', right_on='id')
    same = orders['city_x'] == orders['city_y']
    assert (same | (orders['city_x'].isna() & orders['city_y'].isna())).all()
    since, until = (pd.to_datetime(orders[each], format='mixed') for each in ('since', 'until'))
    day = pd.to_datetime(orders['day'])
    assert not ((day < since) | (day > until)).any()
    for _, own in orders.groupby('customer'):
        assert sorted(own['number']) == list(range(1, len(own) + 1))
        assert own.sort_values('number')['day'].dropna().is_monotonic_increasing
        assert own['main'].sum() == 1

    lines = kept['line'].merge(kept['product'], left_on='product', right_on='id')
    assert (lines['price_x'] == lines['price_y']).all()
    assert np.allclose(lines['amount'], (lines['price_x'] * lines['pieces']).round(2))
    totals = kept['line'].groupby('order')['amount'].sum()
    assert np.allclose(
        kept['order'].set_index('id')['total'], totals.reindex(kept['order']['id'], fill_value=0)
    )
    assert (
        kept['line'].groupby('order')['kind'].apply(lambda own: (own == 'main').sum()) == 1
    ).all()


def test_rows_that_obey_stay_as_they_are(real, kept):
    moved = real['order']['day'].fillna('') != kept['order']['day'].fillna('')
    assert 0 < moved.sum() < len(moved)
    again = keep(kept)
    for name, table in kept.items():
        pd.testing.assert_frame_equal(again[name], table)


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('sizes', [(1, 1, 1, 1), (3, 2, 40, 0), (30, 3, 2, 90)])
def test_rules_hold_in_odd_tables(seed, sizes):
    keep(draw_tables(seed, sizes))


def test_an_end_beyond_all_values_is_taken_in_the_format_of_the_column(real):
    tables = {**real, 'customer': real['customer'].assign(since='2031-05-06 07:08', until=None)}
    found = keep(tables, [After('order.day', 'customer.since', foreign_key='seller')], [])
    assert set(found['order']['day'].dropna()) == {'2031-05-07'}


def test_dtypes_of_any_storage_keep_the_rules(real):
    tables = {name: table.convert_dtypes() for name, table in real.items()}
    tables['line']['kind'] = tables['line']['kind'].astype('category')
    tables['line']['price'] = tables['line']['price'].astype('float32')
    tables['order']['total'] = tables['order']['total'].astype('float32')
    tables['order']['city'] = tables['order']['city'].astype(object)
    tables['order']['day'] = pd.to_datetime(tables['order']['day'])
    found = keep(tables)
    for name in ('line', 'order'):
        assert found[name].dtypes.to_dict() == tables[name].dtypes.to_dict()


def test_rules_are_written_as_json_and_read_again():
    for rule in RULES:
        assert repr(read_constraint(rule.get_constraint_dict())) == repr(rule)


@pytest.mark.parametrize(
    ('rules', 'message'),
    [
        ([After('order.dy', 'customer.since')], "no column 'order.dy'"),
        ([After('day', 'customer.since')], "no column 'day'"),
        ([After('order.day', 'customer.since')], 'several foreign keys'),
        ([After('order.day', 'customer.since', foreign_key='x')], 'No foreign key that starts'),
        ([After('customer.since', 'product.price')], 'all numbers, or all dates'),
        ([After('order.total', 'customer.city', foreign_key='seller')], 'categorical'),
        ([After('order.day', 'order.day')], 'must differ'),
        ([Within('line.day', 'order.day', 'customer.until')], 'columns of one table'),
        ([SameAs('order.total', 'line.price')], "No foreign key leads from the table 'order'"),
        ([SameAs('order.city', 'customer.since', foreign_key='seller')], 'the same sdtype'),
        ([SameAs('line.order', 'order.id')], 'part of a key'),
        ([TotalOf('product.price', 'line.price')], 'public table'),
        ([TotalOf('order.total', 'line.price + product.price')], 'columns of one table'),
        ([TotalOf('order.total', 'line.day * 2')], 'datetime'),
        ([SameAs('line.amount', 'product.price')], 'write'),
        ([SameAs('line.price', 'order.total'), TotalOf('order.total', 'line.price')], 'a circle'),
        ([SameAs('line.price', 'product.price'), SameAs('line.price', 'order.total')], 'Several'),
        ([ExactlyOne('line.day', 'x', 'order')], 'datetime'),
        ([ExactlyOne('line.kind', 'x', 'nothing')], "to 'nothing'"),
        ([Ranks('order.number', 'customer', 'line.day', foreign_key='seller')], 'of the table'),
        (
            [
                After('order.day', 'customer.since', foreign_key='seller'),
                After('customer.until', 'order.day', foreign_key='customer'),
            ],
            'do not lead to each other',
        ),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(rules, message):
    with pytest.raises(SynthesizerInputError, match=message):
        plan(rules, SINGLE, make_metadata(), ['product'])


def test_a_constraint_on_a_written_column_is_refused():
    order = Inequality('pieces', 'price', table_name='line')
    with pytest.raises(SynthesizerInputError, match="'Inequality' would not be kept"):
        plan([SameAs('line.price', 'product.price')], [order], make_metadata(), ['product'])


@pytest.mark.parametrize(
    'make',
    [
        lambda: After('a.b', 3),
        lambda: Ranks('a.b', None),
        lambda: Within('a.b', 'a.c', 'a.d', foreign_key=[1]),
        lambda: ExactlyOne('a.b', None, 'c'),
        lambda: ExactlyOne('a.b', float('nan'), 'c'),
        lambda: TotalOf('a.b', 'c.d; 1'),
        lambda: TotalOf('a.b', 'c.d', decimals=-1),
    ],
)
def test_wrong_arguments_are_refused(make):
    with pytest.raises(ValueError, match='.'):
        make()
