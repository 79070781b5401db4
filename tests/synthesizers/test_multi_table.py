"""The synthesizer of relational tables through SDV's interface: every schema, every method."""

from __future__ import annotations

import copy
import json
import logging
import math
import subprocess
import sys
import warnings

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, Inequality, ProgrammableConstraint
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import (
    InvalidDataError,
    InvalidDataTypeError,
    NotFittedError,
    RefitWarning,
    SamplingError,
    SynthesizerInputError,
)
from sdv.metadata import Metadata
from sdv.utils import load_synthesizer

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers import multi_table

NUM_ROWS = 150

#: Foreign keys by schema, as ``child.column>parent``; a ``?`` may be missing, ``pk`` is the key.
SCHEMAS = {
    'chain': ['b.a_id>a', 'c.b_id>b', 'd.c_id>c'],
    'several_parents': ['b.a_id>a', 'b.x_id>x', 'b.y_id?>y'],
    'two_keys': ['b.sender>a', 'b.receiver>a'],
    'diamond': ['b.a_id>a', 'c.a_id>a', 'd.b_id>b', 'd.c_id?>c'],
    'star': [f'{child}.a_id>a' for child in 'bcdefghi'],
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

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


def read_links(name):
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


def make_tables(name, num_rows=NUM_ROWS, seed=0):
    rng, links, tables = np.random.default_rng(seed), list(read_links(name)), {}
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


def make_metadata(name, tables):
    described = {}
    for table, rows in tables.items():
        keys = {'pk', *(column for child, column, _, _ in read_links(name) if child == table)}
        described[table] = {
            'columns': {
                column: {'sdtype': 'id' if column in keys else KINDS[column]}
                for column in rows.columns
            },
            **({'primary_key': 'pk'} if 'pk' in rows else {}),
        }
    relationships = [
        {
            'parent_table_name': parent,
            'child_table_name': child,
            'parent_primary_key': 'pk',
            'child_foreign_key': column,
        }
        for child, column, parent, _ in read_links(name)
    ]
    return Metadata.load_from_dict({'tables': described, 'relationships': relationships})


KINDS = {'amount': 'numerical', 'kind': 'categorical'}


def make(name, tables=None, **settings):
    tables = make_tables(name) if tables is None else tables
    options = {
        'epsilon': 8.0,
        'delta': 1e-5,
        'privacy_unit': 'a',
        'public_tables': [table for table in tables if table in 'pq'],
        **settings,
    }
    return ClustMixMultiTableSynthesizer(make_metadata(name, tables), **options)


@pytest.fixture(scope='module')
def tables():
    return make_tables('chain')


@pytest.fixture(scope='module')
def chain(tables):
    synthesizer = make('chain', tables)
    synthesizer.fit(tables)
    return synthesizer


@pytest.fixture
def fitted(chain):
    return copy.deepcopy(chain)


def check_integrity(name, real, sampled):
    for child, column, parent, nullable in read_links(name):
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


@pytest.mark.parametrize('epsilon', [1.0, math.inf])
@pytest.mark.parametrize('name', SCHEMAS)
def test_any_schema_comes_back_with_all_references_intact(name, epsilon):
    real = make_tables(name)
    synthesizer = make(name, real, epsilon=epsilon)
    synthesizer.fit(real)

    for num_rows in (1, 40):
        sampled = synthesizer.sample(num_rows, main_table_name='a')
        assert list(sampled) == list(real)
        assert len(sampled['a']) == num_rows
        check_integrity(name, real, sampled)
    check_integrity(name, real, synthesizer.sample_scale(2.0))


@pytest.mark.parametrize('name', ['nullable', 'several_parents', 'diamond', 'public_parent'])
def test_missing_references_come_back_at_their_rate(name):
    real = make_tables(name, 600)
    synthesizer = make(name, real, epsilon=math.inf)
    synthesizer.fit(real)
    sampled = synthesizer.sample_scale(2.0)
    for child, column, _, nullable in read_links(name):
        if nullable and name != 'diamond':
            assert sampled[child][column].isna().mean() == pytest.approx(0.2, abs=0.07)


def test_any_table_may_be_the_main_one(fitted):
    for table in 'abcd':
        assert len(fitted.sample(37, main_table_name=table)[table]) == 37


def test_sizes_are_those_of_the_private_tables(tables):
    synthesizer = make('chain', tables, epsilon=math.inf)
    synthesizer.fit(tables)
    sampled = synthesizer.sample_scale()
    for name, rows in tables.items():
        assert len(sampled[name]) == pytest.approx(len(rows), rel=0.15)
    assert len(synthesizer.sample_scale(3.0)['a']) == pytest.approx(3 * len(sampled['a']), abs=2)


def test_samples_differ_until_sampling_is_reset(fitted):
    first, second = fitted.sample(30, 'a'), fitted.sample(30, 'a')
    fitted.reset_sampling()
    again = fitted.sample(30, 'a')
    for name in first:
        pd.testing.assert_frame_equal(first[name], again[name])
    assert not first['a']['amount'].equals(second['a']['amount'])


def test_a_saved_synthesizer_samples_the_same_tables(fitted, tmp_path):
    fitted.reset_sampling()
    fitted.save(tmp_path / 'model.pkl')
    loaded = load_synthesizer(tmp_path / 'model.pkl')
    expected, found = fitted.sample(30, 'a'), loaded.sample(30, 'a')
    for name in expected:
        pd.testing.assert_frame_equal(found[name], expected[name])
    assert str(loaded.get_privacy_statement()) == str(fitted.get_privacy_statement())


def test_samples_are_written_to_a_folder(fitted, tmp_path):
    sampled = fitted.sample(20, 'a', output_folder_path=str(tmp_path / 'out'))
    for name, rows in sampled.items():
        written = pd.read_csv(tmp_path / 'out' / f'{name}.csv')
        pd.testing.assert_frame_equal(written, rows, check_dtype=False)


def test_the_parameters_come_back(tables):
    synthesizer = make('chain', tables, max_children={'b': 5}, locales=['de_CH'])
    found = synthesizer.get_parameters()

    assert (found['epsilon'], found['delta'], found['privacy_unit']) == (8.0, 1e-5, 'a')
    assert (found['max_children'], found['locales']) == ({'b': 5}, ['de_CH'])
    again = ClustMixMultiTableSynthesizer(make_metadata('chain', tables), **found)
    assert again.get_parameters() == found


def test_a_table_has_parameters_of_its_own(tables):
    synthesizer = make('chain', tables)
    synthesizer.set_table_parameters('b', {'n_components': 1, 'target_column': 'kind'})
    found = synthesizer.get_table_parameters('b')

    assert found['synthesizer_name'] == 'ClustMixSynthesizer'
    assert found['synthesizer_parameters']['n_components'] == 1
    assert found['synthesizer_parameters']['epsilon'] == 8.0
    synthesizer.fit(tables)
    assert synthesizer._model.tables['b'].released.mixture.weights.shape == (2, 1)


@pytest.mark.parametrize('parameter', ['epsilon', 'delta', 'neighbors', 'guarantee'])
def test_the_promise_cannot_be_set_for_one_table(tables, parameter):
    with pytest.raises(SynthesizerInputError, match=f'{parameter}.*whole database'):
        make('chain', tables).set_table_parameters('b', {parameter: 1})


def test_the_target_of_a_table_is_that_of_its_synthesizer(tables):
    synthesizer = make('chain', tables, target={'c': 'kind'})

    parameters = synthesizer.get_table_parameters('c')['synthesizer_parameters']
    assert parameters['target_column'] == 'kind'


def test_metadata_and_info_are_told(fitted, tables):
    assert fitted.get_metadata().to_dict() == make_metadata('chain', tables).to_dict()
    info = fitted.get_info()
    assert info['class_name'] == 'ClustMixMultiTableSynthesizer'
    assert info['is_fit'] is True


def test_private_facts_in_the_metadata_are_dropped(tables):
    metadata = Metadata.detect_from_dataframes(tables)
    synthesizer = ClustMixMultiTableSynthesizer(metadata, privacy_unit='a')

    assert 'range_m' not in json.dumps(synthesizer.get_metadata().to_dict())


def test_the_statement_says_what_is_protected_table_by_table():
    real = make_tables('several_parents')
    synthesizer = make('several_parents', real)
    with pytest.raises(NotFittedError):
        synthesizer.get_privacy_statement()
    synthesizer.fit(real)
    statement = synthesizer.get_privacy_statement()
    found = statement.to_dict()

    assert found['tables']['a'] == found['tables']['b']
    assert "one row of 'a' with every row that can be reached" in found['tables']['b']
    assert "one row of 'x' by itself" in found['tables']['x']
    assert '(8, 1e-05)-differential privacy for one unit' in str(statement)
    for root in 'axy':
        assert f'releases about units of {root}' in str(statement)
    assert set(found['receipts']) == set('axy')
    assert found['rows_per_unit'].keys() == real.keys()
    assert json.loads(json.dumps(found)) == found
    assert 0 < found['mu'] < math.inf


def test_the_statement_names_public_tables_and_missing_promises():
    real = make_tables('public_parent')
    synthesizer = make('public_parent', real, epsilon=math.inf)
    synthesizer.fit(real)
    statement = synthesizer.get_privacy_statement()

    assert statement.tables['p'] == 'public: not protected, copied as it is'
    assert 'nothing is promised' in str(statement)


def test_fitting_in_two_steps_is_fitting(tables):
    synthesizer = make('chain', tables)
    processed = synthesizer.preprocess(tables)
    assert list(processed['b'].columns) == ['a_id', 'pk', 'amount', 'kind']
    synthesizer.fit_processed_data(processed)

    check_integrity('chain', tables, synthesizer.sample(25, 'a'))


def test_fitting_again_warns_that_costs_add_up(fitted, tables):
    with pytest.warns(RefitWarning, match='costs add up'):
        fitted.preprocess(tables)


def test_the_users_tables_are_left_as_they_are(tables):
    before = {name: rows.copy(deep=True) for name, rows in tables.items()}
    make('chain', tables).fit(tables)

    for name, rows in tables.items():
        pd.testing.assert_frame_equal(rows, before[name])


def test_columns_may_have_whole_numbers_for_names():
    real = make_tables('chain')
    metadata = make_metadata('chain', real).to_dict()
    for table in metadata['tables'].values():
        table['columns'] = {RENAMED.get(k, k): v for k, v in table['columns'].items()}
    real = {name: rows.rename(columns={'amount': 7, 'kind': 8}) for name, rows in real.items()}
    synthesizer = ClustMixMultiTableSynthesizer(Metadata.load_from_dict(metadata), epsilon=8.0)
    synthesizer.fit(real)
    for name, rows in synthesizer.sample(20, 'a').items():
        assert list(rows.columns) == list(real[name].columns)
    assert 7 in real['a'].columns


RENAMED = {'amount': '7', 'kind': '8'}


def make_constrained():
    real = make_tables('chain')
    for rows in real.values():
        rows['most'] = rows['amount'] + np.arange(len(rows)) % 9
        rows['code'] = rows['kind'].map({'u': 1, 'v': 2})
    return real


CONSTRAINTS = [
    Inequality(table_name='a', low_column_name='amount', high_column_name='most'),
    FixedCombinations(table_name='b', column_names=['kind', 'code']),
    Inequality(table_name='c', low_column_name='amount', high_column_name='most'),
]


@pytest.fixture
def constrained(monkeypatch):
    monkeypatch.setitem(KINDS, 'most', 'numerical')
    monkeypatch.setitem(KINDS, 'code', 'categorical')
    return make('chain', make_constrained(), epsilon=100.0)


def test_constraints_of_tables_are_met(constrained):
    constrained.add_constraints(copy.deepcopy(CONSTRAINTS))
    constrained.set_table_parameters('a', {'n_components': 1})
    constrained.fit(make_constrained())
    sampled = constrained.sample(60, 'a')

    assert len(sampled['a']) == 60
    for name in 'ac':
        assert (sampled[name]['amount'] <= sampled[name]['most']).all()
    assert set(zip(sampled['b']['kind'], sampled['b']['code'], strict=True)) <= {('u', 1), ('v', 2)}
    check_integrity('chain', make_constrained(), sampled)
    constrained.validate_constraints(sampled)
    assert len(constrained.get_constraints()) == 3


def test_rows_that_break_a_constraint_are_refused_without_their_values(constrained):
    constrained.add_constraints(copy.deepcopy(CONSTRAINTS))
    real = make_constrained()
    real['a'].loc[3, 'most'] = -98765.0
    with pytest.raises((ConstraintNotMetError, InvalidDataError)) as error:
        constrained.fit(real)
    assert '98765' not in str(error.value)
    assert not constrained._fitted


@pytest.mark.parametrize(
    ('constraint', 'message'),
    [
        (FixedCombinations(column_names=['kind', 'code']), "missing the required.*'table_name'"),
        (ProgrammableConstraint(), 'ProgrammableConstraint'),
    ],
)
def test_constraints_that_cannot_be_kept_are_refused(constrained, constraint, message):
    with pytest.raises(SynthesizerInputError, match=message):
        constrained.add_constraints([constraint])


def make_composite(num_rows=150):
    rng = np.random.default_rng(0)
    pairs = [(site, number) for site in 'xyz' for number in range(num_rows // 3)]
    a = pd.DataFrame(pairs, columns=['site', 'number'])
    a['amount'] = rng.integers(0, 20, len(a))
    owner = a.iloc[rng.integers(0, len(a), 2 * num_rows)].reset_index(drop=True)
    b = pd.DataFrame({'site': owner['site'], 'number': owner['number']})
    b['line'] = b.groupby(['site', 'number']).cumcount()
    b['amount'] = owner['amount'] + rng.integers(0, 3, len(b))
    metadata = {
        'tables': {
            'a': {
                'columns': {
                    'site': {'sdtype': 'categorical'},
                    'number': {'sdtype': 'id'},
                    'amount': {'sdtype': 'numerical'},
                },
                'primary_key': ['site', 'number'],
            },
            'b': {
                'columns': {
                    'site': {'sdtype': 'categorical'},
                    'number': {'sdtype': 'id'},
                    'line': {'sdtype': 'numerical'},
                    'amount': {'sdtype': 'numerical'},
                },
                'primary_key': ['site', 'number', 'line'],
            },
        },
        'relationships': [
            {
                'parent_table_name': 'a',
                'child_table_name': 'b',
                'parent_primary_key': ['site', 'number'],
                'child_foreign_key': ['site', 'number'],
            }
        ],
    }
    return {'a': a, 'b': b}, metadata


def test_keys_of_several_columns_are_kept_and_unique():
    real, metadata = make_composite()
    synthesizer = ClustMixMultiTableSynthesizer(Metadata.load_from_dict(metadata), epsilon=20.0)
    synthesizer.fit(real)
    sampled = synthesizer.sample(90, 'a')

    keys = {name: list(map(tuple, sampled[name][['site', 'number']].to_numpy())) for name in 'ab'}
    assert len(sampled['a']) > 45
    assert len(set(keys['a'])) == len(keys['a'])
    assert set(keys['b']) <= set(keys['a'])
    assert not sampled['b'].duplicated(['site', 'number', 'line']).any()


#: What is changed in a database, by table, and what the complaint says.
BROKEN = {
    'reference': (
        {'b': lambda rows: rows.assign(a_id=98765)},
        r'b\(a_id\) has values that are not among the keys',
    ),
    'no_rows': ({'b': lambda rows: rows.iloc[:0]}, "'b' has no rows"),
    'no_table': ({'b': lambda _: None}, 'dictionary'),
    'missing_column': ({'b': lambda rows: rows.drop(columns='amount')}, 'amount'),
    'repeated_key': ({'a': lambda rows: rows.assign(pk=98765)}, 'pk'),
    'text': ({'b': lambda rows: rows.assign(amount='secret 98765')}, 'amount'),
}


@pytest.mark.parametrize('name', BROKEN)
def test_a_broken_database_is_refused_before_anything_is_spent(name, monkeypatch):
    changes, message = BROKEN[name]
    real = make_tables('nullable')
    synthesizer = make('nullable', real)
    real |= {table: change(real[table]) for table, change in changes.items()}
    monkeypatch.setattr(multi_table, 'release_database', lambda *_, **__: pytest.fail('spent'))
    with pytest.raises((InvalidDataError, InvalidDataTypeError), match=message) as error:
        synthesizer.fit(real)
    assert '98765' not in str(error.value)
    assert not synthesizer._fitted
    with pytest.raises(SamplingError):
        synthesizer.sample(5, 'a')


def test_tables_that_are_missing_or_unknown_are_named(tables):
    synthesizer = make('chain', tables)
    with pytest.raises(InvalidDataError, match="'c' of the metadata is not in the data"):
        synthesizer.fit({name: rows for name, rows in tables.items() if name != 'c'})
    with pytest.raises(InvalidDataError, match="'q' is not in the metadata"):
        synthesizer.fit({**tables, 'q': tables['a']})


@pytest.mark.parametrize('data', [None, 3, [], {'a': [1, 2]}])
def test_what_is_no_database_is_refused(tables, data):
    with pytest.raises(InvalidDataTypeError, match='dictionary'):
        make('chain', tables).fit(data)


def test_a_failed_fit_leaves_nothing_of_the_fit_before(fitted, tables):
    broken = {**tables, 'b': tables['b'].assign(a_id=-5)}
    with pytest.raises(InvalidDataError):
        fitted.fit(broken)
    assert not fitted._fitted
    assert fitted._model is None


@pytest.mark.parametrize(
    ('settings', 'message'),
    [
        ({'epsilon': 0}, 'epsilon'),
        ({'epsilon': -1.0}, 'epsilon'),
        ({'delta': 2.0}, 'delta'),
        ({'neighbors': 'swap'}, 'neighbors'),
        ({'privacy_unit': 'nobody'}, "no table 'nobody'"),
        ({'privacy_unit': None}, "'privacy_unit'"),
        ({'public_tables': ['nobody']}, "no tables \\['nobody'\\]"),
        ({'public_tables': ['b']}, "public table 'b' refers to the private"),
        ({'max_children': -1}, 'max_children'),
        ({'max_children': 0}, 'max_children'),
        ({'max_children': 2.5}, 'max_children'),
        ({'max_children': {'b': -3}}, 'max_children'),
        ({'max_children': {'a': 3}}, "max_children.*'a'"),
        ({'max_children': {'nobody': 3}}, "max_children.*'nobody'"),
        ({'max_children': 'many'}, 'max_children'),
        ({'max_children': True}, 'max_children'),
        ({'public_tables': 'x'}, 'public_tables'),
        ({'public_metadata': 'yes'}, 'public_metadata'),
        ({'target': {'b': 'nothing'}}, 'nothing'),
        ({'target': {'nobody': 'kind'}}, 'nobody'),
        ({'target': 'kind'}, 'target'),
    ],
)
def test_a_bad_setting_is_refused_by_name(settings, message):
    with pytest.raises(SynthesizerInputError, match=message):
        make('several_parents', **{'privacy_unit': 'a', **settings})


def test_the_log_has_no_row_counts(tables, caplog):
    caplog.set_level(logging.INFO)
    for name in ('MultiTableSynthesizer', 'SingleTableSynthesizer'):
        logging.getLogger(name).addHandler(caplog.handler)
    make('chain', tables).fit(tables)

    events = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    assert {'Fit', 'Fit processed data'} <= {event['EVENT'] for event in events}
    real = {len(rows) for rows in tables.values()} | {sum(map(len, tables.values()))}
    for event in events:
        assert not real & {value for value in event.values() if isinstance(value, int)}


def test_no_warning_shows_a_value(tables):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        make('chain', tables).fit(tables)
    keys = {str(key) for rows in tables.values() for key in rows['pk'] if key > 100}
    for each in caught:
        assert not keys & set(str(each.message).split())


@pytest.fixture
def fit_constant(chain, monkeypatch):
    """Fit a database, the release of another one put in the place of its own."""

    def fit(real, **settings):
        metadata = make_metadata('chain', real)
        for name, table in metadata.tables.items():
            # State private facts, as detection by SDV would.
            low, high = real[name]['amount'].min(), real[name]['amount'].max()
            table.columns['amount'] |= {'range_min': float(low), 'range_max': float(high)}
            table.columns['kind']['range_values'] = sorted(real[name]['kind'].unique())
        synthesizer = ClustMixMultiTableSynthesizer(metadata, **settings)
        with monkeypatch.context() as patch:
            patch.setattr(multi_table, 'release_database', lambda *_, **__: chain._model)
            synthesizer.fit(real)
        return synthesizer

    return fit


@pytest.fixture
def two_databases():
    one, other = make_tables('chain'), make_tables('chain', 83, seed=9)
    for rows in other.values():
        rows['amount'] = -3 * rows['amount'] - 1000
        rows['kind'] = rows['kind'].str.upper()
    return one, other


def test_a_fitted_synthesizer_is_a_function_of_the_release(fit_constant, two_databases, compare):
    one, other = (fit_constant(real) for real in two_databases)

    assert compare(one.__dict__, other.__dict__) == []
    for num_rows in (30, 60):
        drawn = [each.sample(num_rows, 'a') for each in (one, other)]
        for name in drawn[0]:
            pd.testing.assert_frame_equal(drawn[0][name], drawn[1][name])
    saved = [cloudpickle.loads(cloudpickle.dumps(each)) for each in (one, other)]
    assert compare(saved[0].__dict__, saved[1].__dict__) == []


def test_the_comparison_sees_a_difference(fit_constant, two_databases, compare):
    one, other = fit_constant(two_databases[0]), fit_constant(two_databases[0], epsilon=2.0)
    assert ".['epsilon']" in compare(one.__dict__, other.__dict__)
    leaky = fit_constant(two_databases[0])
    leaky._table_sizes['b'] += 1e-9
    assert len(compare(one.__dict__, leaky.__dict__)) == 1


@pytest.mark.parametrize('first', ['sdv', 'sdv_threea'])
def test_sdv_knows_the_class_whoever_is_imported_first(first):
    program = (
        f'import {first}\n'
        'from sdv.multi_table import ClustMixMultiTableSynthesizer as one\n'
        'from sdv_threea import ClustMixMultiTableSynthesizer as other\n'
        'assert one is other'
    )
    done = subprocess.run(
        [sys.executable, '-W', 'error::UserWarning', '-c', program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
