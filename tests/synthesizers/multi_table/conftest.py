"""Made databases of every schema, their metadata, and synthesizers for them."""

import copy

import numpy as np
import pandas as pd
import pytest
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer

NUM_ROWS = 150

#: Foreign keys by schema, as ``child.column>parent``; a ``?`` may be missing, ``pk`` is the key.
SCHEMAS = {
    'chain': ['b.a_id>a', 'c.b_id>b', 'd.c_id>c'],
    'several_parents': ['b.a_id>a', 'b.x_id>x', 'b.y_id?>y'],
    'two_keys': ['b.sender>a', 'b.receiver>a'],
    'diamond': ['b.a_id>a', 'c.a_id>a', 'd.b_id>b', 'd.c_id?>c'],
    'star': [f'{child}.a_id>a' for child in 'bcde'],
    'unrelated': ['b.a_id>a', 'y.x_id>x'],
    'nullable': ['b.a_id?>a', 'c.b_id?>b'],
    'one_to_one': ['b.pk>a', 'c.b_id>b'],
    'one_to_one_beside': ['b.a_id>a', 'b.pk>x'],
    'keyless': ['b.a_id>a', 'b.x_id>x'],
    'public_parent': ['b.a_id>a', 'b.p_id>p', 'a.p_id?>p'],
    'one_to_one_public': ['b.a_id>a', 'b.pk>p'],
    'deep_public': ['p.q_id>q', 'a.p_id>p', 'b.a_id>a', 'b.q_id?>q'],
}

KEYLESS = {'keyless': {'b'}}

KINDS = {
    'amount': 'numerical', 'kind': 'categorical', 'most': 'numerical', 'code': 'categorical',
}  # fmt: skip


def list_links(name):
    for text in SCHEMAS[name]:
        (child, column), parent = text.split('>')[0].split('.'), text.split('>')[1]
        yield child, column.strip('?'), parent, column.endswith('?')


def order_tables(links):
    """Parents first."""
    found, waiting = [], {table for child, _, parent, _ in links for table in (child, parent)}
    while waiting:
        ready = sorted(
            t for t in waiting if not any(c == t and p in waiting for c, _, p, _ in links)
        )
        found += ready
        waiting -= set(ready)
    return found


def draw_tables(name, num_rows=NUM_ROWS, seed=0):
    rng, links, tables = np.random.default_rng(seed), list(list_links(name)), {}
    for table in order_tables(links):
        edges = [each for each in links if each[0] == table]
        size = 6 if table in 'pq' else int(1.3 * num_rows) if edges else num_rows
        if any(column == 'pk' for _, column, _, _ in edges):
            size = min(len(tables[parent]) for _, column, parent, _ in edges if column == 'pk')
        kind = rng.choice(['u', 'v'], size)
        rows = {'pk': rng.permutation(10_000)[:size]}
        for _, column, parent, nullable in edges:
            keys = tables[parent]['pk'].to_numpy()
            if column == 'pk':
                rows['pk'] = rng.permutation(keys)[:size]
                continue
            rows[column] = pd.Series(rng.choice(keys, size))
            if nullable:
                rows[column] = rows[column].mask(rng.random(size) < 0.2)
        rows |= {'amount': np.round(rng.normal(40, 9, size) + 20 * (kind == 'u')), 'kind': kind}
        tables[table] = pd.DataFrame(rows)
        if table in KEYLESS.get(name, ()):
            del tables[table]['pk']
    return tables


def describe_schema(name, tables):
    described = {
        table: {column: KINDS.get(column, 'id') for column in rows}
        for table, rows in tables.items()
    }
    links = ((child, column, parent, 'pk') for child, column, parent, _ in list_links(name))
    return describe_tables(described, *links, **{t: 'pk' for t in tables if 'pk' in tables[t]})


def build(name, tables=None, **settings):
    tables = draw_tables(name) if tables is None else tables
    options = {
        'epsilon': 8.0,
        'delta': 1e-5,
        'privacy_unit': 'a',
        'public_tables': [table for table in tables if table in 'pq'],
        **settings,
    }
    return ClustMixMultiTableSynthesizer(describe_schema(name, tables), **options)


def check_references(name, real, sampled):
    for child, column, parent, nullable in list_links(name):
        referred = sampled[child][column]
        assert nullable or referred.notna().all()
        assert set(referred.dropna()) <= set(sampled[parent]['pk'])
    for table, rows in sampled.items():
        assert list(rows.columns) == list(real[table].columns)
        assert len(rows)
        if 'pk' in rows:
            assert rows['pk'].is_unique and rows['pk'].notna().all()
        if table in 'pq':
            pd.testing.assert_frame_equal(rows, real[table])


@pytest.fixture(scope='session')
def make():
    return build


@pytest.fixture(scope='session')
def make_tables():
    return draw_tables


@pytest.fixture(scope='session')
def make_metadata():
    return describe_schema


@pytest.fixture(scope='session')
def read_links():
    return list_links


@pytest.fixture(scope='session')
def check_integrity():
    return check_references


@pytest.fixture(params=SCHEMAS)
def schema(request):
    """The name of each schema."""
    return request.param


@pytest.fixture(scope='session')
def tables():
    return draw_tables('chain')


@pytest.fixture(scope='session')
def chain(tables):
    synthesizer = build('chain', tables)
    synthesizer.fit(tables)
    return synthesizer


@pytest.fixture
def fitted(chain):
    return copy.deepcopy(chain)
