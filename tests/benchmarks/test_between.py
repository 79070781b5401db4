"""The measures between tables see what shuffled keys destroy, and no chance."""

import numpy as np
import pandas as pd
import pytest
from described import describe_tables


@pytest.fixture(scope='module')
def measured(load_script):
    """Forty owners with two pets of their own kind, measured as they are and with keys shuffled."""
    described = {
        'owner': {'id': 'id', 'likes': 'categorical'},
        'pet': {'owner': 'id', 'kind': 'categorical'},
    }
    metadata = describe_tables(described, ('pet', 'owner', 'owner', 'id'))
    likes, owners = np.array(['cat', 'dog'])[np.arange(40) % 2], np.repeat(np.arange(40), 2)
    tables = {
        'owner': pd.DataFrame({'id': np.arange(40), 'likes': likes}),
        'pet': pd.DataFrame({'owner': owners, 'kind': likes[owners]}),
    }
    dealt = np.random.default_rng(0).permutation(owners)
    shuffled = {**tables, 'pet': tables['pet'].assign(owner=dealt)}
    with load_script('between', 'benchmarks') as script:
        real = script.View(tables, metadata, 'owner')
        views = real, script.View(shuffled, metadata, 'owner', like=real)
        return [script.measure_between(real, each) for each in views]


@pytest.mark.parametrize('name', ['kept: owner', 'kept: siblings', 'const'])
def test_dependence_between_rows_is_all_there_or_shuffled(measured, name):
    assert measured[0][name] == pytest.approx(1.0)
    assert abs(measured[1][name]) < 0.5


def test_real_tables_have_no_errors(measured):
    assert measured[0]['two-individual'] == 0.0
    assert measured[0]['cardinality'] == 1.0


def test_measures_leave_out_what_chance_explains(load_script):
    """Pets refer to public towns at random, and two units alone have a rare illness."""
    described = {
        'town': {'id': 'id', 'land': 'categorical'},
        'owner': {'id': 'id'},
        'pet': {'owner': 'id', 'town': 'id', 'ill': 'categorical', 'kind': 'categorical'},
    }
    links = [('pet', 'owner', 'owner', 'id'), ('pet', 'town', 'town', 'id')]
    rng, owners = np.random.default_rng(1), np.repeat(np.arange(200), 2)
    towns = pd.DataFrame({'id': range(20), 'land': rng.choice(list('abc'), 20)})
    pets = pd.DataFrame({'owner': owners, 'ill': np.where(owners < 2, 'yes', 'no')})
    pets['kind'] = rng.choice(['cat', 'dog'], 200)[owners]
    pets['town'] = rng.integers(20, size=400)
    tables = {'town': towns, 'owner': pd.DataFrame({'id': range(200)}), 'pet': pets}
    with load_script('between', 'benchmarks') as script:
        metadata = describe_tables(described, *links)
        real = script.View(tables, metadata, 'owner', ('town',))
        healthy = {**tables, 'pet': pets.assign(ill='no')}
        other = script.View(healthy, metadata, 'owner', ('town',), like=real)
        measured = script.measure_between(real, other)
    assert 'kept: public parent' not in measured
    assert measured['const'] == pytest.approx(1.0)
