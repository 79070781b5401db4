"""The digests of releases see what a change of the code would change, and nothing else."""

from __future__ import annotations

import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer


@pytest.fixture(scope='module')
def golden(load_script):
    with load_script('golden', 'benchmarks') as module:
        yield module


TABLE = pd.DataFrame({'x': range(300), 'c': ['u', 'v', 'w'] * 100})
COLUMNS = {'x': {'sdtype': 'numerical'}, 'c': {'sdtype': 'categorical'}}


def make(**settings):
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': COLUMNS}}})
    return ClustMixSynthesizer(metadata, **settings)


def test_a_release_has_one_digest(golden):
    assert golden.digest(make(), {'t': TABLE}) == golden.digest(make(), {'t': TABLE.copy()})


def test_another_table_or_setting_has_another(golden):
    first = golden.digest(make(), {'t': TABLE})

    assert golden.digest(make(), {'t': TABLE.assign(x=TABLE['x'] // 2)}) != first
    assert golden.digest(make(target_column='c'), {'t': TABLE}) != first


def test_a_database_has_one_too(golden):
    facts = {
        'tables': {
            't': {'columns': {**COLUMNS, 'key': {'sdtype': 'id'}}, 'primary_key': 'key'},
            'child': {'columns': {**COLUMNS, 'of': {'sdtype': 'id'}}},
        },
        'relationships': [
            {
                'parent_table_name': 't',
                'child_table_name': 'child',
                'parent_primary_key': 'key',
                'child_foreign_key': 'of',
            }
        ],
    }
    metadata = Metadata.load_from_dict(facts)
    tables = {'t': TABLE.assign(key=TABLE['x']), 'child': TABLE.assign(of=TABLE['x'] // 2)}
    digests = {
        golden.digest(ClustMixMultiTableSynthesizer(metadata, epsilon=3.0), tables)
        for _ in range(2)
    }

    assert len(digests) == 1
