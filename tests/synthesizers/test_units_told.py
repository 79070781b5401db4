"""The unit of the promise is never the wrong one in silence: sequences, and ids that rows share."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.synthesizers.cautions import list_shared_ids

ID, NUMBER, DAY = {'sdtype': 'id'}, {'sdtype': 'numerical'}, {'sdtype': 'datetime'}
VISITS = {'patient': ID, 'visit': ID, 'day': DAY, 'cost': NUMBER}


def describe_visits(**keys):
    return Metadata.load_from_dict({'tables': {'visits': {'columns': VISITS, **keys}}})


def make_visits():
    days = pd.Timestamp('2024-01-01') + pd.to_timedelta(np.arange(60), 'D')
    return pd.DataFrame(
        {'patient': np.arange(60) // 20, 'visit': range(60), 'day': days, 'cost': np.arange(60.0)}
    )


def describe_hospital(visit_key='visit', **child):
    tables = {
        'patients': {'columns': {'patient': ID}, 'primary_key': 'patient'},
        'visits': {'columns': VISITS, 'primary_key': visit_key, **child},
    }
    link = {
        'parent_table_name': 'patients',
        'parent_primary_key': 'patient',
        'child_table_name': 'visits',
        'child_foreign_key': 'patient',
    }
    return Metadata.load_from_dict({'tables': tables, 'relationships': [link]})


@pytest.mark.parametrize(
    'keys',
    [
        {'sequence_key': 'patient'},
        {'sequence_key': 'patient', 'sequence_index': 'day'},
        {'sequence_index': 'day'},
    ],
)
def test_sequences_are_refused_at_birth_with_the_way_out(keys):
    with pytest.raises(SynthesizerInputError) as refused:
        ClustMixSynthesizer(describe_visits(**keys))
    for wanted in ("'visits'", *keys.values(), 'ClustMixMultiTableSynthesizer', 'privacy_unit'):
        assert wanted in str(refused.value)

    with pytest.raises(SynthesizerInputError, match='sequence_'):
        ClustMixMultiTableSynthesizer(describe_hospital(**keys))


@pytest.mark.parametrize('way', ['fit', 'preprocess'])
def test_an_id_that_rows_may_share_gets_one_line_that_says_how_to_protect_a_person(way):
    synthesizer = ClustMixSynthesizer(describe_visits(primary_key='visit'), epsilon=100.0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        getattr(synthesizer, way)({'visits': make_visits()})

    (line,) = [str(each.message) for each in told if 'sdtype id' in str(each.message)]
    assert '\n' not in line
    for wanted in ("'patient'", 'one row', 'privacy_unit', 'alternate key'):
        assert wanted in line
    assert "'visit'" not in line
    assert [each.filename for each in told if str(each.message) == line] == [__file__]


def test_the_line_costs_nothing_where_warnings_are_errors():
    synthesizer = ClustMixSynthesizer(describe_visits(), epsilon=100.0)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        with pytest.raises(UserWarning, match='sdtype id'):
            synthesizer.fit({'visits': make_visits()})
    assert synthesizer.num_releases == 0


@pytest.mark.parametrize(
    ('keys', 'shared'),
    [
        ({}, ['patient', 'visit']),
        ({'primary_key': 'visit'}, ['patient']),
        ({'primary_key': 'visit', 'alternate_keys': ['patient']}, []),
        # A patient may have several visits here: the key is both columns together.
        ({'primary_key': ['patient', 'visit']}, ['patient', 'visit']),
    ],
)
def test_keys_of_one_column_are_shared_by_no_rows(keys, shared):
    assert list_shared_ids(describe_visits(**keys), ['visits']) == shared


def test_a_database_is_told_of_ids_that_neither_are_keys_nor_refer_to_another_table():
    assert list_shared_ids(describe_hospital(), ['patients', 'visits']) == []
    assert list_shared_ids(describe_hospital(['patient', 'visit']), ['visits']) == []
    loose = describe_hospital()
    loose.add_column('ward', 'visits', sdtype='id')
    assert list_shared_ids(loose, ['patients', 'visits']) == ['visits.ward']
    assert list_shared_ids(loose, ['patients']) == []


def test_foreign_keys_of_a_database_are_passed_over_in_silence():
    visits = make_visits()
    tables = {'patients': visits[['patient']].drop_duplicates(), 'visits': visits}
    loose = describe_hospital()
    loose.add_column('ward', 'visits', sdtype='id')
    for metadata, lines in ((describe_hospital(), 0), (loose, 1)):
        synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=100.0)
        given = {name: table.copy() for name, table in tables.items()}
        if lines:
            given['visits']['ward'] = 7
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter('always')
            synthesizer.validate(given)
        assert len([each for each in told if 'sdtype id' in str(each.message)]) == lines
