"""Public facts of a database: what is stated costs nothing, and is kept exactly."""

import pytest
from sdmetrics.reports import DiagnosticReport
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


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


def test_a_foreign_key_that_is_never_missing_may_be_stated(make_tables, make_metadata):
    """Stored as floats, as where one is missing, it would else have a private rate of gaps."""
    tables = make_tables('chain')
    tables['b']['a_id'] = tables['b']['a_id'].astype('float64')
    metadata = state_facts(tables, make_metadata('chain', tables))
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata, epsilon=0.1, privacy_unit='a', public_metadata=True
    )
    synthesizer.fit(tables)

    assert synthesizer._model.schema.owners['b'].required
    assert synthesizer.sample_scale(1.0)['b']['a_id'].notna().all()
