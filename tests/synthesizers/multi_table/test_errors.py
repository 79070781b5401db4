"""What is refused, by name and before anything is spent."""

import pandas as pd
import pytest
from relationships import relate
from sdv.errors import (
    InvalidDataError,
    InvalidDataTypeError,
    SamplingError,
    SynthesizerInputError,
)
from sdv.metadata import Metadata
from sdv.metadata.errors import InvalidMetadataError

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers import multi_table

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


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


@pytest.mark.parametrize('is_there', [True, False])
def test_a_key_must_be_unique_and_there_even_where_other_cells_are_replaced(
    make, make_tables, is_there
):
    """A row with the key of another would take the rows that refer to it."""
    real = make_tables('nullable')
    synthesizer = make('nullable', real, invalid_cells='coerce')
    more = real['a'].iloc[[0]]
    more = more if is_there else more.assign(pk=None)
    real['a'] = pd.concat([real['a'], more], ignore_index=True)
    with pytest.raises(
        InvalidDataError, match='primary key .* of table .a. has (repeated|missing)'
    ):
        synthesizer.fit(real)


@pytest.mark.parametrize('name', BROKEN)
def test_a_broken_database_is_refused_before_anything_is_spent(
    name, monkeypatch, make, make_tables
):
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


@pytest.mark.parametrize('data', [None, 3, [], {'a': [1, 2]}])
def test_what_is_no_database_is_refused(tables, data, make):
    with pytest.raises(InvalidDataTypeError, match='dictionary'):
        make('chain', tables).fit(data)


@pytest.mark.parametrize(
    ('settings', 'message'),
    [
        ({'delta': 2.0}, 'delta'),
        ({'privacy_unit': 'nobody'}, "no table 'nobody'"),
        ({'privacy_unit': None}, "'privacy_unit'"),
        ({'public_tables': ['nobody']}, "no tables \\['nobody'\\]"),
        ({'public_tables': ['b']}, "public table 'b' refers to the private"),
        ({'max_children': 0}, 'max_children'),
        ({'max_children': 2.5}, 'max_children'),
        ({'max_children': {'b': -3}}, 'max_children'),
        ({'max_children': {'a': 3}}, "max_children.*'a'"),
        ({'max_children': {'nobody': 3}}, "max_children.*'nobody'"),
        ({'max_children': 'many'}, 'max_children'),
        ({'max_children': True}, 'max_children'),
        ({'max_children': {('b', 'amount'): 3}}, r"max_children.*'amount'.*\('b', 'a_id'\)"),
        ({'max_children': {3: 3}}, 'max_children.*3'),
        ({'min_children': -1}, 'min_children.*at least 0'),
        ({'min_children': {'nobody': 1}}, "min_children.*'nobody'"),
        ({'min_children': 3, 'max_children': {'b': 2}}, r'min_children is 3 for b\(a_id\)'),
        ({'min_children': {('b', 'x_id'): 2}, 'max_children': {('b', 'x_id'): 1}}, r'b\(x_id\)'),
        ({'public_tables': 'x'}, 'public_tables'),
        ({'public_metadata': 'yes'}, 'public_metadata'),
        ({'target': {'b': 'nothing'}}, 'nothing'),
        ({'target': {'nobody': 'kind'}}, 'nobody'),
        ({'target': 'kind'}, 'target'),
        ({'public_tables': [None]}, 'public_tables'),
        ({'privacy_unit': ['a']}, 'privacy_unit'),
        ({'neighbors': []}, 'neighbors'),
        ({'epsilon': 10**400}, 'epsilon'),
    ],
)
def test_a_bad_setting_is_refused_by_name(settings, message, make):
    with pytest.raises(SynthesizerInputError, match=message):
        make('several_parents', **{'privacy_unit': 'a', **settings})


@pytest.mark.parametrize('links', [[('b', 'b')], [('b', 'c'), ('c', 'b')]])
def test_tables_that_refer_in_a_circle_are_refused(links):
    """Whoever sees it first, SDV or we: it is one error, before there are any rows."""
    columns = {'pk': {'sdtype': 'id'}, 'ref': {'sdtype': 'id'}}
    relationships = [relate(child, 'ref', parent, 'pk') for child, parent in links]
    tables = {name: {'columns': columns, 'primary_key': 'pk'} for name in ('b', 'c')}
    with pytest.raises((SynthesizerInputError, InvalidMetadataError), match='circular'):
        metadata = Metadata.load_from_dict({'tables': tables, 'relationships': relationships})
        ClustMixMultiTableSynthesizer(metadata, privacy_unit='b')
