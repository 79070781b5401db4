"""Cells that break what is stated of them: a refusal, or replaced without a word."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.cag import FixedIncrements, Inequality, OneHotEncoding
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import InvalidDataError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

SECRET = 'secret-4711'

COLUMNS = {
    'key': {'sdtype': 'id'},
    'score': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 10, 'decimal_places': 1},
    'day': {
        'sdtype': 'datetime',
        'datetime_format': '%Y-%m-%d',
        'range_min': '2000-01-01',
        'range_max': '2009-12-31',
    },
    'flag': {'sdtype': 'boolean', 'range_is_nullable': False},
    'kind': {'sdtype': 'categorical', 'range_values': ['u', 'v']},
}

#: Cells that break a rule, and what becomes of them.
BROKEN = {
    'score': [(-3, 0), (99.0, 10), (np.inf, 10), (SECRET, None), ([1], None), (10**400, 10)],
    'day': [('1999-05-06', '2000-01-01'), ('2020-01-01', '2009-12-31'), (SECRET, None), (7, None)],
    'flag': [(SECRET, None), (1, None), (None, None)],
    'kind': [('w', None), (SECRET, None), (['u'], None), (7, None)],
}


def make_table(num_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    table = {
        'key': [f'k{at}' for at in range(num_rows)],
        'score': rng.integers(0, 101, num_rows) / 10,
        'day': rng.choice(pd.date_range('2000', '2009-12-31').strftime('%Y-%m-%d'), num_rows),
        'flag': rng.random(num_rows) < 0.5,
        'kind': rng.choice(['u', 'v'], num_rows),
    }
    return pd.DataFrame({name: pd.Series(list(each), dtype=object) for name, each in table.items()})


def put(table, row, name, cell):
    table.at[row, name] = cell  # noqa: PD008 (a list is a cell)


def break_cells(table):
    """Break some cells; return the table, and the one with what becomes of them."""
    broken, replaced = table.copy(), table.copy()
    for name, cells in BROKEN.items():
        for at, (cell, becomes) in enumerate(cells):
            put(broken, at, name, cell)
            put(replaced, at, name, becomes)
    return broken, replaced


def make(columns=COLUMNS, **settings):
    settings = {'epsilon': 2.0, 'public_metadata': True, **settings}
    return ClustMixSynthesizer(describe(columns, primary_key='key'), **settings)


def fit_and_sample(table, **settings):
    synthesizer = make(invalid_cells='coerce', **settings)
    synthesizer.fit({'t': table})
    return synthesizer.sample(200)['t']


@pytest.mark.parametrize('target', [None, 'kind', 'score'])
def test_replaced_cells_count_as_what_they_become(fixed, target):
    broken, replaced = break_cells(make_table())
    sampled = [fit_and_sample(each, target_column=target) for each in (broken, replaced)]

    pd.testing.assert_frame_equal(*sampled)


def test_no_message_depends_on_cells_that_are_replaced(caplog, capsys):
    told = []
    for table in (make_table(), break_cells(make_table())[0]):
        table = table.assign(key='the same')
        # So little noise that there is no loss to warn of: how large it is depends on the noise.
        synthesizer = make(invalid_cells='coerce', target_column='kind', epsilon=100.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            synthesizer.validate({'t': table})
            synthesizer.fit({'t': table})
        told.append((sorted({str(each.message) for each in caught}), capsys.readouterr()))

    assert told[0] == told[1]
    assert SECRET not in caplog.text


def test_rows_that_break_a_constraint_are_taken_and_none_is_sampled():
    columns = dict.fromkeys(('low', 'high', 'tens', 'one', 'two'), 'numerical') | {'key': 'id'}
    rng = np.random.default_rng(0)
    low, one = rng.integers(0, 50, 400), rng.integers(0, 2, 400)
    table = pd.DataFrame(
        {
            'key': np.arange(400), 'low': low, 'high': low + rng.integers(0, 50, 400),
            'tens': rng.integers(0, 9, 400) * 10, 'one': one, 'two': 1 - one,
        }
    )  # fmt: skip
    constraints = [
        Inequality('low', 'high'),
        FixedIncrements('tens', 10),
        OneHotEncoding(['one', 'two']),
    ]
    table.loc[:2, 'high'] = -1
    table.loc[:2, 'tens'] = 7
    table.loc[:2, ['one', 'two']] = 1
    for setting in ('raise', 'coerce'):
        synthesizer = make(columns, public_metadata=False, invalid_cells=setting, epsilon=5.0)
        synthesizer.add_constraints(constraints)
        if setting == 'raise':
            with pytest.raises(ConstraintNotMetError):
                synthesizer.fit({'t': table})
    synthesizer.fit({'t': table})
    sampled = synthesizer.sample(300)['t']

    assert (sampled['low'] <= sampled['high']).all()
    assert (sampled['tens'] % 10 == 0).all()
    assert (sampled['one'] + sampled['two'] == 1).all()


def read_statement(synthesizer):
    """The statement in one line: its sentences are wrapped."""
    return ' '.join(str(synthesizer.get_privacy_statement()).split())


def test_the_statement_says_which():
    said = []
    for setting in ('raise', 'coerce'):
        synthesizer = make(invalid_cells=setting)
        synthesizer.fit({'t': make_table()})
        said.append(read_statement(synthesizer))

    assert 'that the table fits its metadata: any other would have been refused' in said[0]
    assert 'was replaced by the nearest stated bound' in said[1]


def make_database():
    parents = make_table(80)
    children = make_table(200, seed=1).assign(
        parent=parents['key'].sample(200, replace=True, random_state=0).to_numpy()
    )
    described = {'t': COLUMNS, 'c': COLUMNS | {'parent': 'id'}}
    metadata = describe_tables(described, ('c', 'parent', 't', 'key'), c='key')
    return metadata, {'t': break_cells(parents)[0], 'c': break_cells(children)[0]}


def test_a_database_replaces_cells_in_all_of_its_tables():
    metadata, tables = make_database()
    make_many = partial(ClustMixMultiTableSynthesizer, metadata, public_metadata=True, epsilon=5.0)
    with pytest.raises(InvalidDataError, match="Table 'c'") as caught:
        make_many().fit(tables)
    assert SECRET not in str(caught.value)

    synthesizer = make_many(invalid_cells='coerce')
    synthesizer.fit(tables)
    sampled = synthesizer.sample_scale()
    assert sampled['c']['parent'].isin(sampled['t']['key']).all()
    assert sampled['c']['score'].dropna().between(0, 10).all()
    assert 'was replaced by the nearest stated bound' in read_statement(synthesizer)

    tables['c'] = tables['c'].assign(parent='nobody')
    with pytest.raises(InvalidDataError, match='foreign key'):
        make_many(invalid_cells='coerce').fit(tables)
