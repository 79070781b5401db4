"""Sequences in a database: rows of an owner rise by a named index, and follow the row before."""

import numpy as np
import pandas as pd
import pytest
from restored import restore
from sdv.cag import Inequality
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.constraints import After, Ranks

SIZE = 300
START = pd.Timestamp('2024-01-01')


def make_tables():
    """Patients, their stays with wards that seldom change, in no order, and drugs of each stay."""
    rng = np.random.default_rng(0)
    patients = pd.DataFrame({'id': range(SIZE), 'sex': rng.choice(['f', 'm'], SIZE)})
    patients['born'] = rng.integers(1930, 2000, SIZE)
    patients['joined'] = START + pd.to_timedelta(rng.integers(0, 99, SIZE), unit='D')
    rows = []
    for who, joined in zip(patients['id'], patients['joined'], strict=True):
        day, ward = joined + pd.Timedelta(days=3), rng.choice(['north', 'south'])
        for _ in range(rng.integers(1, 6) - (who % 10 == 0)):
            rows.append((who, day, ward))
            day += pd.Timedelta(days=int(rng.integers(0, 3)))
            ward = rng.choice(['north', 'south']) if rng.random() < 0.1 else ward
    stays = pd.DataFrame(rows, columns=['patient', 'day', 'ward'])
    stays = stays.assign(id=range(len(stays)), number=1, length=rng.integers(1, 9, len(stays)))
    stays['number'] = stays.groupby('patient').cumcount() + 1
    stays = stays.sample(frac=1, random_state=0, ignore_index=True)
    drugs = pd.DataFrame({'stay': rng.choice(stays['id'], 500), 'dose': rng.integers(1, 5, 500)})
    return {'patient': patients, 'stay': stays, 'drug': drugs}


def describe(**keys):
    kinds = {
        'patient': dict.fromkeys(('id', 'joined'), 'id') | {'sex': 'categorical', 'born': ''},
        'stay': {'id': 'id', 'patient': 'id', 'ward': 'categorical', 'length': '', 'number': ''},
        'drug': {'stay': 'id', 'dose': ''},
    }
    tables = {
        name: {'columns': {each: {'sdtype': kind or 'numerical'} for each, kind in own.items()}}
        for name, own in kinds.items()
    }
    date = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
    tables['patient']['columns']['joined'] = tables['stay']['columns']['day'] = date
    tables['patient']['primary_key'] = tables['stay']['primary_key'] = 'id'
    tables['stay'] |= keys or {'sequence_key': 'patient', 'sequence_index': 'day'}
    links = [
        {
            'parent_table_name': above, 'parent_primary_key': 'id',
            'child_table_name': below, 'child_foreign_key': key,
        }
        for above, below, key in (('patient', 'stay', 'patient'), ('stay', 'drug', 'stay'))
    ]  # fmt: skip
    return Metadata.load_from_dict({'tables': tables, 'relationships': links})


RULES = [
    After('stay.day', 'patient.joined'),
    Ranks('stay.number', 'patient', 'stay.day'),
]


@pytest.fixture(scope='module')
def fitted():
    synthesizer = ClustMixMultiTableSynthesizer(describe(), epsilon=100.0, verbose=False)
    synthesizer.add_constraints(RULES)
    synthesizer.fit(make_tables())
    return synthesizer


@pytest.fixture(scope='module')
def sampled(fitted):
    fitted.reset_sampling()
    return fitted.sample_scale(1.0)


def test_rows_of_an_owner_come_in_order_and_go_on_as_in_the_data(sampled):
    stays = sampled['stay']
    assert list(stays.columns) == list(describe().tables['stay'].columns)
    gaps = stays.groupby('patient', sort=False)['day'].diff().dropna().dt.days
    assert len(gaps) > SIZE
    assert (gaps >= 0).all()
    assert (gaps <= 2).mean() > 0.9
    before = stays.groupby('patient', sort=False)['ward'].shift()
    assert (before == stays['ward'])[before.notna()].mean() > 0.8
    assert set(sampled['drug']['stay']) <= set(stays['id'])


def test_rules_on_the_index_hold_and_it_rises_still(fitted, sampled):
    stays = sampled['stay'].merge(sampled['patient'], left_on='patient', right_on='id')
    assert (stays['day'] >= stays['joined']).all()
    ranks = sampled['stay'].groupby('patient', sort=False).cumcount() + 1
    assert (sampled['stay']['number'] == ranks).all()
    fitted.validate_constraints(sampled)


def test_a_sequence_starts_where_its_owner_says(sampled):
    """In the tables, three days after the patient joined."""
    first = sampled['stay'].groupby('patient')['day'].min()
    joined = sampled['patient'].set_index('id')['joined'][first.index]
    days = [(each - START).dt.days for each in (first, joined)]
    assert np.corrcoef(*days)[0, 1] > 0.6


def test_a_release_in_a_file_keeps_the_order(fitted, tmp_path):
    loaded = restore(fitted, tmp_path / 'file', lambda each: each.sample_scale(0.1))
    assert loaded.metadata.tables['stay'].sequence_index == 'day'
    assert 'day' in loaded.datasheet().to_markdown()
    again = ClustMixMultiTableSynthesizer(loaded.get_metadata(), verbose=False)
    assert again.metadata.tables['stay'].sequence_key == 'patient'


def test_an_order_of_rows_that_have_no_common_owner_is_refused():
    metadata = describe(sequence_index='day', sequence_key='length')
    metadata.tables['stay'].columns['length'] = {'sdtype': 'id'}
    with pytest.raises(SynthesizerInputError, match=r"foreign key .* \['patient'\]"):
        ClustMixMultiTableSynthesizer(metadata)
    tables = describe(sequence_key='patient', sequence_index='day').to_dict()
    tables['tables']['stay'] |= {'sequence_key': 'second'}
    tables['tables']['stay']['columns']['second'] = {'sdtype': 'id'}
    tables['relationships'].append(tables['relationships'][0] | {'child_foreign_key': 'second'})
    with pytest.raises(SynthesizerInputError, match=r"foreign key .* owns .* \['patient'\]"):
        ClustMixMultiTableSynthesizer(Metadata.load_from_dict(tables))
    with pytest.raises(SynthesizerInputError, match="'stay' must have a sequence_key"):
        ClustMixMultiTableSynthesizer(describe(sequence_index='day'))
    alone = {'columns': {'who': {'sdtype': 'id'}, 'day': {'sdtype': 'numerical'}}}
    keys = {'sequence_key': 'who', 'sequence_index': 'day'}
    with pytest.raises(SynthesizerInputError, match='ClustMixSequentialSynthesizer'):
        ClustMixMultiTableSynthesizer(Metadata.load_from_dict({'tables': {'t': {**alone, **keys}}}))


def test_an_index_is_no_target_and_has_no_other_rules():
    keys = {'sequence_key': 'patient', 'sequence_index': 'number'}
    synthesizer = ClustMixMultiTableSynthesizer(describe(**keys), verbose=False)
    for rule, said in (
        (Inequality('number', 'length', table_name='stay'), "The sequence_index 'number'"),
        (After('stay.number', 'stay.length'), 'so only After and'),
        (Ranks('stay.number', 'patient'), 'so only After and'),
    ):
        with pytest.raises(SynthesizerInputError, match=said):
            synthesizer.add_constraints([rule])
    targeted = ClustMixMultiTableSynthesizer(
        describe(**keys), target_column={'stay': 'number'}, verbose=False
    )
    with pytest.raises(SynthesizerInputError, match='no target'):
        targeted.fit(make_tables())
    assert targeted.num_releases == 0
