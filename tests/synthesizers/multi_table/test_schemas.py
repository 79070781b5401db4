"""Databases of any schema come back, with all references intact."""

import math

import numpy as np
import pandas as pd
import pytest
from relationships import relate
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


def test_any_schema_comes_back_with_all_references_intact(
    schema, make, make_tables, check_integrity
):
    real = make_tables(schema)
    synthesizer = make(schema, real, epsilon=1.0)
    synthesizer.fit(real)

    for num_rows in (1, 40):
        sampled = synthesizer.sample(num_rows, main_table_name='a')
        assert list(sampled) == list(real)
        assert len(sampled['a']) == num_rows
        check_integrity(schema, real, sampled)
    check_integrity(schema, real, synthesizer.sample_scale(2.0))


@pytest.mark.parametrize('name', ['nullable', 'several_parents', 'public_parent'])
def test_missing_references_come_back_at_their_rate(name, make, make_tables, read_links):
    real = make_tables(name, 600)
    synthesizer = make(name, real, epsilon=math.inf)
    synthesizer.fit(real)
    sampled = synthesizer.sample_scale(2.0)
    for child, column, _, nullable in read_links(name):
        if nullable:
            assert sampled[child][column].isna().mean() == pytest.approx(0.2, abs=0.07)


def test_any_table_may_be_the_main_one(fitted):
    for table in 'abcd':
        assert len(fitted.sample(37, main_table_name=table)[table]) == 37


def test_sizes_are_those_of_the_private_tables(tables, make):
    synthesizer = make('chain', tables, epsilon=math.inf)
    synthesizer.fit(tables)
    sampled = synthesizer.sample_scale()
    for name, rows in tables.items():
        assert len(sampled[name]) == pytest.approx(len(rows), rel=0.15)
    assert len(synthesizer.sample_scale(3.0)['a']) == pytest.approx(3 * len(sampled['a']), abs=2)


def make_composite(num_rows=150):
    rng = np.random.default_rng(0)
    pairs = [(site, number) for site in 'xyz' for number in range(num_rows // 3)]
    a = pd.DataFrame(pairs, columns=['site', 'number'])
    a['amount'] = rng.integers(0, 20, len(a))
    owner = a.iloc[rng.integers(0, len(a), 2 * num_rows)].reset_index(drop=True)
    b = pd.DataFrame({'site': owner['site'], 'number': owner['number']})
    b['line'] = b.groupby(['site', 'number']).cumcount()
    b['amount'] = owner['amount'] + rng.integers(0, 3, len(b))
    metadata = {
        'tables': {
            'a': {
                'columns': {
                    'site': {'sdtype': 'categorical'},
                    'number': {'sdtype': 'id'},
                    'amount': {'sdtype': 'numerical'},
                },
                'primary_key': ['site', 'number'],
            },
            'b': {
                'columns': {
                    'site': {'sdtype': 'categorical'},
                    'number': {'sdtype': 'id'},
                    'line': {'sdtype': 'numerical'},
                    'amount': {'sdtype': 'numerical'},
                },
                'primary_key': ['site', 'number', 'line'],
            },
        },
        'relationships': [relate('b', ['site', 'number'], 'a', ['site', 'number'])],
    }
    return {'a': a, 'b': b}, metadata


def test_keys_of_several_columns_are_kept_and_unique():
    real, metadata = make_composite()
    synthesizer = ClustMixMultiTableSynthesizer(Metadata.load_from_dict(metadata), epsilon=20.0)
    synthesizer.fit(real)
    sampled = synthesizer.sample(90, 'a')

    keys = {name: list(map(tuple, sampled[name][['site', 'number']].to_numpy())) for name in 'ab'}
    assert len(sampled['a']) > 45
    assert len(set(keys['a'])) == len(keys['a'])
    assert set(keys['b']) <= set(keys['a'])
    assert not sampled['b'].duplicated(['site', 'number', 'line']).any()
