"""Sequences: in order, of the lengths that are asked for, and protected as a whole."""

from functools import partial

import described
import numpy as np
import pandas as pd
import pytest
from chance import draw_from
from restored import restore
from sdv.cag import FixedCombinations, Inequality, SingleTableProgrammableConstraint
from sdv.errors import InvalidDataError, NotFittedError, SynthesizerInputError
from sdv.utils import load_synthesizer

from sdv_threea import BudgetLedger, ClustMixSequentialSynthesizer, ClustMixSynthesizer
from sdv_threea.constraints import After, Ranks, TotalOf
from sdv_threea.errors import ACCEPTABLE, InputError
from sdv_threea.relational.databases import release_database
from sdv_threea.synthesizers import multi_table

SIZE = 300


def make_table():
    """Wards that seldom change, days that go on by one or two, and a ward for each sex at first."""
    rng = np.random.default_rng(0)
    rows = []
    for who in range(SIZE):
        sex, day = rng.choice(['f', 'm']), pd.Timestamp('2024-01-01') + pd.Timedelta(days=who % 50)
        ward = rng.choice(['north', 'south'])
        for _ in range(rng.integers(1, 5)):
            rows.append((who, sex, day, ward))
            day += pd.Timedelta(days=rng.integers(1, 3))
            ward = rng.choice(['north', 'south']) if rng.random() < 0.1 else ward
    table = pd.DataFrame(rows, columns=['who', 'sex', 'day', 'ward'])
    return table.sample(frac=1, random_state=0, ignore_index=True)


def describe(**keys):
    day = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
    columns = {'who': 'id', 'sex': 'categorical', 'day': day, 'ward': 'categorical'}
    keys = keys or {'sequence_key': 'who', 'sequence_index': 'day'}
    return described.describe(columns, 'stays', **keys)


@pytest.fixture(scope='module')
def fitted():
    arguments = {'context_columns': ['sex'], 'epsilon': 100.0, 'max_length': 4}
    synthesizer = ClustMixSequentialSynthesizer(describe(), **arguments)
    chance = {'noise': draw_from(np.random.default_rng(0)), 'rng': np.random.default_rng(1)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multi_table, 'release_database', partial(release_database, **chance))
        synthesizer.fit({'stays': make_table()})
    return synthesizer


@pytest.fixture(scope='module')
def sampled(fitted):
    fitted.reset_sampling()
    return fitted.sample(400)['stays']


def test_sequences_are_as_many_and_as_long_as_asked_for(fitted, sampled):
    assert sampled['who'].nunique() == 400
    assert sampled.groupby('who').size().between(1, 4).all()
    assert sampled.groupby('who').size().nunique() == 4
    longer = fitted.sample(3, sequence_length=9)['stays']
    assert longer.groupby('who').size().tolist() == [9, 9, 9]
    assert list(longer.columns) == ['who', 'sex', 'day', 'ward']


def test_the_index_rises_and_the_context_is_constant(sampled):
    groups = sampled.groupby('who', sort=False)
    gaps = groups['day'].diff().dropna().dt.days
    assert gaps.between(1, 2).all()
    assert (groups['sex'].agg(set).map(len) == 1).all()
    assert sampled['day'].dtype == 'datetime64[ns]'


def test_a_row_follows_from_the_row_before(sampled):
    """In the table wards stay the same in 95 % of the steps, and in half of them by chance."""
    before = sampled.groupby('who', sort=False)['ward'].shift()
    assert (before == sampled['ward'])[before.notna()].mean() > 0.8


def test_sequences_of_known_context(fitted):
    known = pd.DataFrame({'sex': ['m', 'f', 'm']}, index=[5, 6, 7])
    rows = fitted.sample_sequential_columns(known, sequence_length=2)['stays']
    assert rows['sex'].tolist() == ['m', 'm', 'f', 'f', 'm', 'm']
    with pytest.raises(ValueError, match='not released'):
        fitted.sample_sequential_columns(pd.DataFrame({'sex': ['x']}))
    with pytest.raises(ValueError, match='ward'):
        fitted.sample_sequential_columns(pd.DataFrame({'ward': ['north']}))


def test_the_statement_is_about_sequences(fitted):
    statement = fitted.get_privacy_statement()
    assert all("one 'who'" in told for told in statement.tables.values())
    (ledger,) = statement.ledgers
    assert ledger.keeps(100.0, 1e-6)
    assert any('which value of a unit follows which' in each.released for each in ledger.receipts)
    assert fitted.num_releases == statement.fits == 1


def test_a_saved_synthesizer_samples_the_same(fitted, tmp_path):
    fitted.reset_sampling()
    first = fitted.sample(5)['stays']
    fitted.save(tmp_path / 'saved.pkl')
    for load in (ClustMixSequentialSynthesizer.load, load_synthesizer):
        loaded = load(tmp_path / 'saved.pkl')
        loaded.reset_sampling()
        pd.testing.assert_frame_equal(
            loaded.sample(5)['stays'].drop(columns='who'), first.drop(columns='who')
        )


def test_the_synthesizer_of_rows_names_that_of_sequences():
    with pytest.raises(SynthesizerInputError, match='ClustMixSequentialSynthesizer'):
        ClustMixSynthesizer(describe())


def test_a_table_that_is_refused_leaves_no_earlier_fit():
    synthesizer = ClustMixSequentialSynthesizer(describe(), epsilon=100.0)
    synthesizer.fit({'stays': make_table()})
    with pytest.raises(InvalidDataError):
        synthesizer.fit({'stays': make_table().assign(who=None)})
    with pytest.raises(NotFittedError):
        synthesizer.sample(1)
    assert synthesizer.num_releases == 1


def test_sequences_of_another_key_are_other_units_in_a_ledger(tmp_path):
    """One sequence of wards is no person, so the costs of both do not add up."""
    table, path = make_table(), tmp_path / 'stays.ledger'
    for key in ('who', 'ward'):
        metadata = describe(sequence_key=key, sequence_index='day')
        metadata.tables['stays'].columns[key]['sdtype'] = 'id'
        synthesizer = ClustMixSequentialSynthesizer(metadata, ledger=path, accept=ACCEPTABLE)
        if key == 'who':
            synthesizer.fit({'stays': table})
            assert "one 'who'" in BudgetLedger(path).total().unit
        else:
            with pytest.raises(InputError, match="one 'who'"):
                synthesizer.fit({'stays': table})
    assert BudgetLedger(path).total().fits == 1


def test_of_a_sequence_longer_than_stated_no_more_rows_are_read():
    synthesizer = ClustMixSequentialSynthesizer(describe(), epsilon=100.0, max_length=2)
    synthesizer.fit({'stays': make_table()})
    assert synthesizer.get_privacy_statement().rows_per_unit['stays'] <= 2
    assert synthesizer.sample(50)['stays'].groupby('who').size().max() <= 2


def test_a_release_in_a_file_without_code_samples_the_same(fitted, tmp_path):
    loaded = restore(fitted, tmp_path / 'stays.release', lambda each: each.sample(5))
    again = ClustMixSequentialSynthesizer(loaded.get_metadata(), **loaded.get_parameters())
    assert again.get_parameters() == fitted.get_parameters()
    assert loaded.num_releases == 1
    assert 'sequence' in loaded.datasheet().to_markdown()
    with pytest.raises(SynthesizerInputError, match='no release of'):
        ClustMixSynthesizer.load_release(tmp_path / 'stays.release')


def make_bills():
    """Stays with an age at birth and now, days from arrival to departure, beds by ward, costs."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({'who': np.repeat(np.arange(SIZE), 3), 'day': np.tile(np.arange(3), SIZE)})
    table['born'] = rng.integers(1930, 2000, SIZE)[table['who']]
    table['moved'] = table['born'] + rng.integers(0, 20, SIZE)[table['who']]
    table['from'] = rng.integers(0, 50, len(table))
    table['to'] = table['from'] + rng.integers(0, 9, len(table))
    table['ward'] = rng.choice(['north', 'south'], len(table))
    table['bed'] = table['ward'] + rng.choice([' 1', ' 2'], len(table))
    table['number'] = table['day'] + 1
    table['cost'] = rng.integers(1, 99, len(table))
    return table.assign(total=table.groupby('who')['cost'].transform('sum'))


@pytest.fixture(scope='module')
def ruled():
    """Make a synthesizer of stays with constraints of SDV, and rules of ours."""
    table = make_bills()
    kinds = dict.fromkeys(table, 'numerical') | dict.fromkeys(('ward', 'bed'), 'categorical')
    keys = {'sequence_key': 'who', 'sequence_index': 'day'}
    metadata = described.describe(kinds | {'who': 'id'}, 'stays', **keys)
    context = ['born', 'moved', 'total']
    synthesizer = ClustMixSequentialSynthesizer(metadata, context_columns=context, epsilon=30.0)
    synthesizer.add_constraints(
        [
            Inequality('born', 'moved'),
            FixedCombinations(['ward', 'bed']),
            After('stays.to', 'stays.from'),
            After('stays.cost', 'stays.born'),
            Ranks('stays.number', 'who', 'stays.day'),
            TotalOf('stays.total', 'stays.cost'),
        ]
    )
    synthesizer.fit({'stays': table})
    return synthesizer


def test_constraints_and_rules_hold_in_every_sequence(ruled):
    ruled.reset_sampling()
    rows = ruled.sample(200)['stays']
    assert (rows['born'] <= rows['moved']).all()
    assert (rows['from'] <= rows['to']).all()
    assert (rows['cost'] >= rows['born']).all()
    assert all(ward in bed for ward, bed in zip(rows['ward'], rows['bed'], strict=True))
    groups = rows.groupby('who', sort=False)
    assert (groups['cost'].transform('sum') == rows['total']).all()
    assert (rows['number'] == groups.cumcount() + 1).all()
    assert (groups['day'].diff().dropna() >= 0).all()


def test_a_release_in_a_file_keeps_constraints(ruled, tmp_path):
    loaded = restore(ruled, tmp_path / 'file', lambda each: each.sample(9))
    assert list(map(repr, loaded.get_constraints())) == list(map(repr, ruled.get_constraints()))


def test_known_context_keeps_constraints(ruled):
    known = pd.DataFrame({'born': [1950, 1960]})
    rows = ruled.sample_sequential_columns(known)['stays']
    assert (rows['born'] <= rows['moved']).all()
    assert rows['born'].unique().tolist() == [1950, 1960]
    with pytest.raises(ValueError, match='total'):
        ruled.sample_sequential_columns(pd.DataFrame({'total': [5]}))


class _Programmed(SingleTableProgrammableConstraint):
    """A constraint that may read any column."""

    def __init__(self):
        self.table_name = 'stays'


@pytest.mark.parametrize(
    ('constraint', 'said'),
    [
        (Inequality('born', 'from'), "After\\('stays.high'"),
        (Ranks('stays.number', 'ward'), "the sequence key 'who'"),
        (Inequality('from', 'to', table_name='wards'), "'wards'"),
        (_Programmed(), 'sdv_threea.constraints'),
    ],
    ids=['apart', 'parent', 'table', 'programmed'],
)
def test_constraints_that_sequences_cannot_keep_are_refused(ruled, constraint, said):
    with pytest.raises(SynthesizerInputError, match=said):
        ruled.add_constraints([constraint])
