"""Rules between tables hold in samples, whatever the private rows are, and are kept in files."""

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from orders import RULES, SINGLE, draw_tables, make_metadata
from restored import restore
from sdv.cag import Inequality
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.constraints import After, Ranks, SameAs, TotalOf

SIZES = (80, 7, 240, 400)


def make(constraints=(*RULES, *SINGLE), **settings):
    options = {
        'epsilon': 3.0,
        'delta': 1e-5,
        'privacy_unit': 'customer',
        'public_tables': ['product'],
        'verbose': False,
        **settings,
    }
    synthesizer = ClustMixMultiTableSynthesizer(make_metadata(), **options)
    if constraints:
        synthesizer.add_constraints(list(constraints))
    return synthesizer


def make_tables():
    """Orders that obey no rule but the formula of their lines, all of a customer and a seller."""
    tables = draw_tables(5, SIZES)
    tables['order']['seller'] = tables['order']['customer'].fillna(tables['customer']['id'][0])
    tables['order']['customer'] = tables['order']['seller']
    lines = tables['line']
    lines['amount'] = (lines['price'] * lines['pieces']).round(2)
    return tables


@pytest.fixture(scope='module')
def tables():
    return make_tables()


@pytest.fixture(scope='module')
def fitted(tables):
    synthesizer = make()
    synthesizer.fit(tables)
    return synthesizer


def check(synthesizer, sampled):
    assert synthesizer.get_constraints()
    synthesizer.validate_constraints(sampled)
    for rule in RULES:
        valid = rule.is_valid(sampled, make_metadata())
        assert all(each.all() for each in valid.values()), rule


@pytest.mark.parametrize('scale', [1.0, 0.02, 2.0])
def test_rules_hold_in_samples(fitted, tables, scale):
    sampled = fitted.sample_scale(scale)
    check(fitted, sampled)
    for name, table in tables.items():
        assert list(sampled[name].columns) == list(table.columns)
    assert set(sampled['order']['seller'].dropna()) <= set(sampled['customer']['id'])


@pytest.mark.parametrize('epsilon', [0.01, 1000.0])
def test_rules_hold_at_any_epsilon(tables, epsilon):
    synthesizer = make(epsilon=epsilon, accept='noise')
    synthesizer.fit(tables)
    check(synthesizer, synthesizer.sample_scale(1.0))


def test_computed_columns_cost_nothing(fitted):
    released = fitted._model.tables
    names = {name: set(each.released.domain.names) for name, each in released.items()}
    assert names['line'].isdisjoint({'price', 'amount'})
    assert names['order'].isdisjoint({'city', 'total', 'number'})
    assert {'pieces', 'kind', 'day'} <= names['line']


@pytest.mark.usefixtures('without_pairs')
def test_cells_of_computed_columns_are_never_read(tables):
    other = {name: table.copy() for name, table in tables.items()}
    other['order']['total'] = 77.0
    found = []
    for each in (tables, other):
        synthesizer = make(RULES, epsilon=float('inf'))
        synthesizer.fit(each)
        found.append(synthesizer._model.tables['order'].released.domain)
    assert found[0] == found[1]


def test_rules_are_saved_with_the_release(fitted, tmp_path):
    loaded = restore(fitted, tmp_path / 'orders.release', lambda each: each.sample_scale(1.0))
    assert list(map(repr, loaded.get_constraints())) == list(map(repr, fitted.get_constraints()))
    check(loaded, loaded.sample_scale(1.0))


def test_the_statement_names_the_rules(fitted, tables):
    said = ' '.join(fitted.get_privacy_statement().public)
    assert 'the rules between tables' in said
    assert all(repr(rule) in said for rule in RULES)
    plain = make(())
    plain.fit(tables)
    assert 'between tables' not in ' '.join(plain.get_privacy_statement().public)


def test_numbers_of_rows_may_be_part_of_a_key():
    orders = pd.DataFrame({'id': range(200)})
    lines = pd.DataFrame({'order': np.arange(600) % 200, 'number': np.arange(600) // 200 + 1})
    lines['price'] = np.arange(600) % 7
    line = {'order': 'id', 'number': 'numerical', 'price': 'numerical'}
    link = 'line', 'order', 'order', 'id'
    metadata = describe_tables(
        {'order': {'id': 'id'}, 'line': line}, link, line=['order', 'number']
    )
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata, epsilon=float('inf'), verbose=False, accept='made_up'
    )
    synthesizer.add_constraints([Ranks('line.number', 'order')])
    synthesizer.fit({'order': orders, 'line': lines})
    sampled = synthesizer.sample_scale(1.0)['line']
    assert len(sampled) == 600
    assert not sampled[['order', 'number']].duplicated().any()
    assert set(sampled['number']) == {1, 2, 3}


def test_a_target_that_rules_write_is_modelled(tables):
    synthesizer = make([TotalOf('order.total', 'line.amount')], target_column={'order': 'total'})
    synthesizer.fit(tables)
    assert 'total' in synthesizer._model.tables['order'].released.domain.names
    synthesizer.validate_constraints(synthesizer.sample_scale(1.0))


def test_wrong_rules_change_nothing(tables):
    synthesizer = make()
    before = list(map(repr, synthesizer.get_constraints()))
    wrong = [
        [After('order.day', 'customer.sinec', foreign_key='seller')],
        [SameAs('order.total', 'customer.city', foreign_key='seller')],
        [Inequality('pieces', 'price', table_name='line')],
    ]
    for each in wrong:
        with pytest.raises(SynthesizerInputError):
            synthesizer.add_constraints(each)
    assert list(map(repr, synthesizer.get_constraints())) == before
    assert synthesizer.num_releases == 0


def test_one_table_refuses_rules_between_tables():
    metadata = describe(dict.fromkeys('ab', 'numerical'))
    with pytest.raises(SynthesizerInputError):
        ClustMixSynthesizer(metadata).add_constraints([After('t.a', 't.b')])
