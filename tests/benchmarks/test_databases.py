"""What the relational benchmark states as public is what the tables hold."""

import pandas as pd
import pytest
from relationships import relate
from sdv.metadata import Metadata


@pytest.fixture(scope='module')
def databases(load_script):
    with load_script('databases', 'benchmarks') as module:
        yield module


@pytest.fixture(scope='module')
def parts(databases):
    """Owners and pets, one owner held out; places are public, and nobody lives in one of them."""
    columns = {'id': {'sdtype': 'id'}, 'age': {'sdtype': 'numerical'}}
    place = {'place': {'sdtype': 'id'}}
    metadata = Metadata.load_from_dict(
        {
            'tables': {
                'place': {'columns': place, 'primary_key': 'place'},
                'owner': {'columns': columns | place, 'primary_key': 'id'},
                'pet': {'columns': {'owner': {'sdtype': 'id'}, 'kind': {'sdtype': 'categorical'}}},
            },
            'relationships': [
                _link('place', 'place', 'owner', 'place'),
                _link('owner', 'id', 'pet', 'owner'),
            ],
        }
    )
    train = {
        'place': pd.DataFrame({'place': [1, 2]}),
        'owner': pd.DataFrame({'id': [1, 2], 'age': [30.0, None], 'place': [1, 1]}),
        'pet': pd.DataFrame({'owner': [1, 1, 1, 2], 'kind': ['cat', 'cat', 'dog', 'cat']}),
    }
    test = {
        'place': train['place'],
        'owner': pd.DataFrame({'id': [3], 'age': [99.0], 'place': [1]}),
        'pet': pd.DataFrame({'owner': [3], 'kind': ['fish']}),
    }
    return databases.Parts(train, test, metadata)


def _link(parent, primary, child, foreign):
    return relate(child, foreign, parent, primary)


def test_facts_are_those_of_all_units(databases, parts):
    tables = databases.state_facts(parts).metadata.to_dict()['tables']
    age, kind = tables['owner']['columns']['age'], tables['pet']['columns']['kind']
    assert (age['range_min'], age['range_max'], age['range_is_nullable']) == (30.0, 99.0, True)
    assert (set(kind['range_values']), kind['range_is_nullable']) == ({'cat', 'dog', 'fish'}, False)
    assert 'range_min' not in parts.metadata.to_dict()['tables']['owner']['columns']['age']
