"""Databases that are not in memory: the release is that of the same tables in memory."""

import math
from functools import partial
from operator import methodcaller

import numpy as np
import pandas as pd
import pytest
from chance import by_size
from described import describe, describe_tables
from sdv.errors import InvalidDataError, InvalidDataTypeError
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSequentialSynthesizer
from sdv_threea.relational.databases import release_database
from sdv_threea.synthesizers import multi_table

dask_frames = pytest.importorskip('dask.dataframe', reason='Dask is not installed')

pytestmark = [
    pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order'),
    pytest.mark.usefixtures('without_pairs', 'fixed_noise'),
]


@pytest.fixture
def fixed_noise(monkeypatch):
    def release(*given, **terms):
        return release_database(*given, **terms, noise=by_size, rng=np.random.default_rng(5))

    monkeypatch.setattr(multi_table, 'release_database', release)


def split(table, npartitions=4):
    """Cut a table into partitions, the second of which is empty."""
    cut = partial(dask_frames.from_pandas, npartitions=npartitions, sort=False)
    half = len(table) // 3
    parts = table[:half], table[:0], table[half:]
    return dask_frames.concat([cut(each) if len(each) else cut(each, npartitions=1)
                               for each in parts])  # fmt: skip


def assert_same(make, tables, divided=None, sample=methodcaller('sample_scale', 1.0)):
    """Fit tables in memory and in parts, and compare the samples and the statements."""
    divided = divided or {name: split(table) for name, table in tables.items()}
    found = []
    for data in (tables, divided):
        synthesizer = make()
        synthesizer.validate(data)
        synthesizer.fit(data)
        assert not any('dask' in type(each).__module__ for each in vars(synthesizer).values())
        found.append((sample(synthesizer), synthesizer.get_privacy_statement()))
    for name in tables:
        one, other = (each[0][name].astype(object) for each in found)
        pd.testing.assert_frame_equal(
            one.where(one.notna(), None), other.where(other.notna(), None)
        )
    assert found[0][1] == found[1][1]


@pytest.mark.parametrize(
    ('name', 'epsilon'),
    [('two_keys', 20.0), ('nullable', 20.0), ('deep_public', math.inf)],
)
def test_tables_in_parts_give_the_release_of_the_same_tables(name, epsilon, make, make_tables):
    tables = make_tables(name)
    assert_same(lambda: make(name, tables, epsilon=epsilon, verbose=False), tables)


def make_visits(num_sites=60):
    """Make sites, their visits in no order and with keys of two columns, and notes of visits."""
    rng, size = np.random.default_rng(0), 4 * num_sites
    sites = pd.DataFrame({'site': range(num_sites), 'size': rng.integers(0, 9, num_sites)})
    visits = pd.DataFrame({'site': rng.integers(0, num_sites, size)})
    visits['line'] = visits.groupby('site').cumcount().astype(str)
    visits['day'] = rng.integers(0, 300, size)
    visits['kind'] = rng.choice(['a', 'b', 'c'], size, p=[0.6, 0.3, 0.1])
    notes = visits[['site', 'line']].sample(90, random_state=0, ignore_index=True)
    return {'site': sites, 'visit': visits, 'note': notes.assign(mark=rng.integers(0, 5, 90))}


def make_for_visits(**settings):
    """Make a synthesizer for visits that are in order."""
    key = ['site', 'line']
    columns = {
        'site': {'site': 'id', 'size': 'numerical'},
        'visit': {'site': 'id', 'line': 'id', 'day': 'numerical', 'kind': 'categorical'},
        'note': {'site': 'id', 'line': 'id', 'mark': 'numerical'},
    }
    links = ('visit', 'site', 'site', 'site'), ('note', key, 'visit', key)
    described = describe_tables(columns, *links).to_dict()
    described['tables']['visit'] |= {'sequence_key': 'site', 'sequence_index': 'day'}
    terms = {'epsilon': 50.0, 'verbose': False, 'accept': 'noise', **settings}
    return ClustMixMultiTableSynthesizer(Metadata.load_from_dict(described), **terms)


def test_so_do_sequences_with_keys_of_several_columns_and_categories_in_files(tmp_path):
    tables = make_visits()
    tables['visit'].to_parquet(tmp_path / 'visits.parquet', row_group_size=50)
    kinds = split(tables['visit']).assign(kind=lambda rows: rows['kind'].astype('category'))
    for visits in (tmp_path / 'visits.parquet', kinds):
        divided = {'site': split(tables['site']), 'visit': visits, 'note': tables['note']}
        assert_same(make_for_visits, tables, divided)


def assert_refused(make, tables):
    """Fit and validate flawed tables in memory and in parts, and compare the errors."""
    said = []
    for data in (tables, {name: split(table) for name, table in tables.items()}):
        for method in ('fit', 'validate'):
            synthesizer = make()
            with pytest.raises(InvalidDataError) as caught:
                getattr(synthesizer, method)(data)
            said.append(str(caught.value))
            assert synthesizer.num_releases == 0
    assert len(set(said)) == 1
    return said[0]


def test_flawed_keys_are_found_across_parts():
    tables = make_visits()
    lost, twice = dict(tables), dict(tables)
    lost['note'] = tables['note'].assign(site=lambda rows: rows['site'] + 1)
    twice['visit'] = pd.concat([tables['visit'], tables['visit'][:1]])
    for flawed in (lost, twice):
        assert_refused(make_for_visits, flawed)


def make_sequences(num_sequences=60):
    """Make rows of sequences in no order, so that most of these have rows in several parts."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({'site': rng.integers(0, num_sequences, 4 * num_sequences)})
    table['size'] = rng.choice(['small', 'large', None], num_sequences)[table['site']]
    table['day'] = rng.integers(0, 30, len(table))
    table['mark'] = rng.normal(size=len(table)).round(1)
    return table.assign(site=table['site'].map('site {}'.format))


def make_for_sequences(index='day'):
    kinds = {'site': 'id', 'size': 'categorical', 'day': 'numerical', 'mark': 'numerical'}
    keys = {'sequence_key': 'site'} | ({'sequence_index': index} if index else {})
    terms = {'context_columns': ['size'], 'epsilon': 50.0, 'accept': 'noise'}
    return ClustMixSequentialSynthesizer(describe(kinds, 'visit', **keys), **terms)


def test_a_table_of_sequences_in_parts_gives_the_release_of_the_same_table(tmp_path):
    table, sample = make_sequences(), methodcaller('sample', 50)
    table.to_parquet(tmp_path / 'visits.parquet', row_group_size=50)
    sizes = split(table).assign(size=lambda rows: rows['size'].astype('category'))
    assert_same(make_for_sequences, {'visit': table}, {'visit': tmp_path}, sample)
    ordered = partial(make_for_sequences, index=None)
    assert_same(ordered, {'visit': table}, {'visit': sizes}, sample)


def test_flawed_sequences_are_found_across_parts():
    table = make_sequences()
    assert 'site' in assert_refused(
        make_for_sequences, {'visit': table.assign(site=table['site'].where(table.index != 5))}
    )
    last = table.duplicated('site') & (table.index == len(table) - 1)
    assert last.any()
    assert 'size' in assert_refused(
        make_for_sequences, {'visit': table.assign(size=table['size'].mask(last, 'other'))}
    )
    assert 'no rows' in assert_refused(make_for_sequences, {'visit': table[:0]})


def test_what_needs_the_tables_in_memory_says_so():
    tables = {name: split(table) for name, table in make_visits().items()}
    for method in ('preprocess', 'fit_processed_data'):
        with pytest.raises(InvalidDataTypeError, match=r'will do for fit\(\)'):
            getattr(make_for_visits(), method)(tables)


def test_no_file_of_private_rows_has_a_name(monkeypatch, tmp_path):
    """So nothing is left, even of a process that is killed."""
    monkeypatch.setattr('tempfile.tempdir', str(tmp_path))
    released = multi_table.release_database

    def look(database, *given, **terms):
        assert database.source.count > 1
        assert not any(tmp_path.iterdir())
        return released(database, *given, **terms)

    monkeypatch.setattr(multi_table, 'release_database', look)
    make_for_visits().fit({name: split(table) for name, table in make_visits().items()})
