"""The synthesizer of relational tables through SDV's interface, method by method."""

import json
import math

import pytest
from sdmetrics.reports import DiagnosticReport
from sdv.errors import NotFittedError, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


def test_the_parameters_come_back(tables, make, make_metadata):
    synthesizer = make('chain', tables, max_children={'b': 5}, locales=['de_CH'])
    found = synthesizer.get_parameters()

    assert (found['epsilon'], found['delta'], found['privacy_unit']) == (8.0, 1e-5, 'a')
    assert (found['max_children'], found['locales']) == ({'b': 5}, ['de_CH'])
    again = ClustMixMultiTableSynthesizer(make_metadata('chain', tables), **found)
    assert again.get_parameters() == found


def test_no_target_is_chosen_for_one_table_if_the_user_named_one_in_another(make, make_tables):
    real = make_tables('chain')
    named = make('chain', real, target_column={'c': 'kind'}, accept='noise')
    named.fit(real)
    assert {own.split('.')[0] for own in named.get_privacy_statement().sharpened} <= {'c'}
    alphas = {
        name: named.get_table_parameters(name)['synthesizer_parameters']['alpha'] for name in 'abcd'
    }
    assert alphas == {'a': 1.0, 'b': 1.0, 'c': 0.5, 'd': 1.0}


@pytest.mark.parametrize('parameter', ['epsilon', 'delta', 'neighbors', 'guarantee'])
def test_the_promise_cannot_be_set_for_one_table(tables, parameter, make):
    with pytest.raises(SynthesizerInputError, match=f'{parameter}.*whole database'):
        make('chain', tables).set_table_parameters('b', {parameter: 1})


def test_the_statement_says_what_is_protected_table_by_table(make, make_tables):
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


@pytest.mark.parametrize('public', [True, False])
def test_the_statement_says_what_was_taken_as_public(make, make_tables, public):
    real = make_tables('nullable')
    synthesizer = make('nullable', real, public_metadata=public)
    synthesizer.fit(real)
    statement = synthesizer.get_privacy_statement()

    assert ('stated in the metadata' in str(statement)) == public
    assert any('dtypes of columns' in fact for fact in statement.public)
    lines = str(statement).splitlines()
    assert max(len(line) for line in lines if '  public  ' in line) <= 100
    words = ' '.join(str(statement).split())
    assert all(f' public {fact}' in words for fact in statement.public)


def test_units_that_a_large_delta_may_expose_are_counted(make, make_tables):
    real = make_tables('nullable')
    synthesizer = make('nullable', real, delta=9e-3, epsilon=100.0)
    with pytest.warns(UserWarning, match=r'released number of units.*exposed entirely'):
        synthesizer.fit(real)
    statement = synthesizer.get_privacy_statement()

    # Rows of the unit, and of other tables those that have no owner.
    assert len(real['a']) < statement.num_units < sum(map(len, real.values()))
    assert statement.exposed == math.ceil(9e-3 * statement.num_units)
    for said in (str(statement), synthesizer.datasheet().to_markdown()):
        assert f'{statement.exposed} of them were exposed entirely' in ' '.join(said.split())


def test_fitting_in_two_steps_is_fitting(tables, make, check_integrity):
    synthesizer = make('chain', tables)
    processed = synthesizer.preprocess(tables)
    assert list(processed['b'].columns) == ['row of b', 'row of a by a_id', 'amount', 'kind']
    synthesizer.fit_processed_data(processed)

    check_integrity('chain', tables, synthesizer.sample(25, 'a'))


def test_private_facts_in_the_metadata_are_dropped(tables):
    metadata = Metadata.detect_from_dataframes(tables)
    synthesizer = ClustMixMultiTableSynthesizer(metadata, privacy_unit='a')

    assert 'range_m' not in json.dumps(synthesizer.get_metadata().to_dict())


def state_facts(tables, metadata):
    facts = metadata.to_dict()
    for name, table in facts['tables'].items():
        for column, about in table['columns'].items():
            values = tables[name][column]
            about['range_is_nullable'] = bool(values.isna().any())
            if about['sdtype'] == 'categorical':
                about['range_values'] = sorted(values.dropna().unique())
            elif about['sdtype'] == 'numerical':
                about |= {'range_min': float(values.min()), 'range_max': float(values.max())}
    return Metadata.load_from_dict(facts)


def count_children(tables, child, column, parent):
    return tables[child][column].value_counts().reindex(tables[parent]['pk'], fill_value=0)


@pytest.fixture
def fit_public(make_tables, make_metadata, read_links):
    def fit(name, epsilon):
        tables = make_tables(name)
        metadata = state_facts(tables, make_metadata(name, tables))
        counts = {
            (child, column): count_children(tables, child, column, parent)
            for child, column, parent, _ in read_links(name)
            if child not in 'pq'
        }
        synthesizer = ClustMixMultiTableSynthesizer(
            metadata,
            epsilon=epsilon,
            delta=1e-5,
            privacy_unit='a',
            public_tables=[table for table in tables if table in 'pq'],
            public_metadata=True,
            min_children={key: int(each.min()) for key, each in counts.items()},
            max_children={key: int(each.max()) for key, each in counts.items()},
        )
        synthesizer.fit(tables)
        return synthesizer, tables

    return fit


@pytest.mark.usefixtures('without_pairs')
@pytest.mark.parametrize('schema', ['several_parents', 'diamond', 'one_to_one', 'deep_public'])
def test_a_database_of_stated_facts_passes_the_diagnostic_whatever_the_noise(schema, fit_public):
    synthesizer, tables = fit_public(schema, 0.1)
    report = DiagnosticReport()
    described = synthesizer.get_metadata().to_dict()
    report.generate(tables, synthesizer.sample_scale(1.0), described, verbose=False)

    assert report.get_score() == 1.0


def test_stated_numbers_of_children_are_public_and_cost_nothing(fit_public):
    synthesizer, _ = fit_public('public_parent', 1.0)
    statement = synthesizer.get_privacy_statement()

    assert 'the bounds on the number of rows that refer to one row' in statement.public
    released = [receipt.released for each in statement.receipts.values() for receipt in each]
    assert not any('ranges' in each for each in released)
