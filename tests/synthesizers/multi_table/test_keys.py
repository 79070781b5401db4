"""Keys whose columns are modelled, and keys of many digits, through a whole fit."""

import numpy as np
import pandas as pd
import pytest
from relationships import relate
from sdv.cag import Inequality
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.audit import measure_mu

NUM_PATIENTS, NUM_STAYS, MORE = 60, 120, 60

NUMBER, DAY, ID = {'sdtype': 'numerical'}, {'sdtype': 'datetime'}, {'sdtype': 'id'}


def describe(part, birth=None):
    """Describe patients whose key is a part that is modelled, and a number; and their stays."""
    own = {'part': part, 'num': ID, 'age': NUMBER} | ({'birth': birth} if birth else {})
    plain = {'sdtype': part['sdtype']}
    stays = {'sid': ID, 'part': plain, 'num': ID, 'los': NUMBER}
    return Metadata.load_from_dict(
        {
            'tables': {
                'patient': {'columns': own, 'primary_key': ['part', 'num']},
                'stay': {'columns': stays, 'primary_key': 'sid'},
            },
            'relationships': [relate('stay', ['part', 'num'], 'patient', ['part', 'num'])],
        }
    )


def build(parts, strange, more):
    """Make the tables, and one patient more with stays, whose key a model would read wrongly."""
    rng = np.random.default_rng(3)
    part = pd.Series(rng.choice(parts, NUM_PATIENTS))
    patients = pd.DataFrame({'part': part, 'num': np.arange(NUM_PATIENTS), 'age': 50.0})
    own = rng.integers(0, NUM_PATIENTS, NUM_STAYS)
    if more:
        patients.loc[NUM_PATIENTS] = [strange, NUM_PATIENTS, 50.0]
        own = np.append(own, np.full(more, NUM_PATIENTS))
    stays = patients[['part', 'num']].iloc[own].reset_index(drop=True)
    stays = stays.assign(sid=np.arange(len(own)), los=2.0)
    stays['num'] = stays['num'].astype('Int64')
    return {'patient': patients, 'stay': stays}


def measure(metadata, parts, strange, change=lambda tables: tables, constraints=(), **settings):
    """Measure how far one patient with many stays moves a release, beside what is claimed."""

    def fit(tables):
        synthesizer = ClustMixMultiTableSynthesizer(
            metadata, epsilon=1.0, privacy_unit='patient', **settings
        )
        if constraints:
            synthesizer.add_constraints(list(constraints))
        synthesizer.fit(tables)
        return synthesizer

    return measure_mu(fit, *(change(build(parts, strange, more)) for more in (0, MORE)))


def test_a_key_with_more_decimals_than_stated_keeps_its_stays():
    metadata = describe({'sdtype': 'numerical', 'decimal_places': 0})
    assert not measure(metadata, [0.0, 1.0, 2.0], 7.25, public_metadata=True).refuted


def test_a_key_that_a_constraint_is_about_keeps_its_stays():
    days = list(pd.date_range('2020-01-01', periods=30))

    def add_birth(tables):
        patients = tables['patient']
        birth = patients['part'] - pd.to_timedelta(patients['num'] % 9, 'D')
        return {**tables, 'patient': patients.assign(birth=birth)}

    rule = Inequality('birth', 'part', table_name='patient')
    strange = pd.Timestamp('2021-05-05')
    assert not measure(describe(DAY, DAY), days, strange, add_birth, [rule]).refuted


def test_an_unlisted_key_that_is_coerced_keeps_its_stays():
    metadata = describe({'sdtype': 'categorical'})
    metadata.update_column('part', table_name='patient', range_values=['x', 'y'])
    settings = {'public_metadata': True, 'invalid_cells': 'coerce'}
    assert not measure(metadata, ['x', 'y'], 'z', **settings).refuted


@pytest.mark.parametrize('dtype', ['Int64', 'float64', 'object'])
def test_references_to_a_public_table_lead_to_its_rows(dtype):
    """A nullable key once became floats, which hold no more than 15 digits."""
    rng = np.random.default_rng(0)
    start = 1000 if dtype == 'float64' else 2**60
    codes = pd.DataFrame({'code': start + np.arange(5), 'size': range(5)})
    referred = pd.Series(rng.choice(codes['code'], 200), dtype='Int64').mask(rng.random(200) < 0.2)
    stays = pd.DataFrame({'sid': np.arange(200), 'code': referred.astype(dtype), 'los': 1.0})
    metadata = Metadata.load_from_dict(
        {
            'tables': {
                'codes': {
                    'columns': {'code': ID, 'size': NUMBER},
                    'primary_key': 'code',
                },
                'stay': {'columns': {'sid': ID, 'code': ID, 'los': NUMBER}, 'primary_key': 'sid'},
            },
            'relationships': [relate('stay', 'code', 'codes', 'code')],
        }
    )
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=20.0, public_tables=['codes'])
    synthesizer.fit({'codes': codes, 'stay': stays})
    sampled = synthesizer.sample_scale(1.0)['stay']['code']

    assert sampled.dtype == stays['code'].dtype
    assert sampled.isna().any()
    assert {int(each) for each in sampled.dropna()} <= set(codes['code'])
