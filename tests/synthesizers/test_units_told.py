"""The unit of the promise is never the wrong one in silence: sequences, and ids that rows share."""

import warnings

import numpy as np
import pandas as pd
import pytest
from described import describe, spell
from relationships import relate
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer
from sdv_threea.synthesizers.checking import list_shared_ids

VISITS = {'patient': 'id', 'visit': 'id', 'day': 'datetime', 'cost': 'numerical'}


def describe_visits(**keys):
    return describe(VISITS, 'visits', **keys)


def make_visits():
    days = pd.Timestamp('2024-01-01') + pd.to_timedelta(np.arange(60), 'D')
    return pd.DataFrame(
        {'patient': np.arange(60) // 20, 'visit': range(60), 'day': days, 'cost': np.arange(60.0)}
    )


def describe_hospital(visit_key='visit', **child):
    tables = {
        'patients': {'columns': spell({'patient': 'id'}), 'primary_key': 'patient'},
        'visits': {'columns': spell(VISITS), 'primary_key': visit_key, **child},
    }
    link = relate('visits', 'patient', 'patients', 'patient')
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
    for wanted in ("'visits'", *keys.values(), 'ClustMixSequentialSynthesizer'):
        assert wanted in str(refused.value)


@pytest.mark.parametrize('way', ['fit', 'preprocess'])
def test_an_id_of_persons_that_rows_may_share_stops_a_fit_with_the_line_that_goes_on(way):
    metadata = describe_visits(primary_key='visit')
    synthesizer = ClustMixSynthesizer(metadata, epsilon=100.0)
    with pytest.raises(SynthesizerInputError) as stopped:
        getattr(synthesizer, way)({'visits': make_visits()})
    line = str(stopped.value)
    for wanted in ("'patient'", 'one row', 'privacy_unit', 'alternate key', "accept=['unit']"):
        assert wanted in line
    assert "'visit'" not in line
    assert synthesizer.num_releases == 0

    accepted = ClustMixSynthesizer(metadata, epsilon=100.0, accept='unit')
    assert accepted.preprocess({'visits': make_visits()})


def test_another_id_that_rows_may_share_gets_one_line():
    metadata = describe_visits(primary_key='patient')
    synthesizer = ClustMixSynthesizer(metadata, epsilon=100.0)
    table = make_visits().assign(patient=range(60))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        synthesizer.preprocess({'visits': table})
    (line,) = [each for each in told if 'ids and no keys' in str(each.message)]
    assert "'visit'" in str(line.message)
    assert '\n' not in str(line.message)
    assert line.filename == __file__


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
