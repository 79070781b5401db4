"""Databases of any schema come back, with all references intact."""

import numpy as np
import pandas as pd
import pytest
from described import describe_tables
from sdv.cag import Inequality

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.audit import measure_mu

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


def test_any_table_may_be_the_main_one(fitted):
    for table in 'abcd':
        assert len(fitted.sample(37, main_table_name=table)[table]) == 37


def make_composite(num_rows=150):
    rng = np.random.default_rng(0)
    pairs = [(site, number) for site in 'xyz' for number in range(num_rows // 3)]
    a = pd.DataFrame(pairs, columns=['site', 'number'])
    a['amount'] = rng.integers(0, 20, len(a))
    owner = a.iloc[rng.integers(0, len(a), 2 * num_rows)].reset_index(drop=True)
    b = pd.DataFrame({'site': owner['site'], 'number': owner['number']})
    b['line'] = b.groupby(['site', 'number']).cumcount()
    b['amount'] = owner['amount'] + rng.integers(0, 3, len(b))
    own, key = {'site': 'categorical', 'number': 'id', 'amount': 'numerical'}, ['site', 'number']
    tables = {'a': own, 'b': own | {'line': 'numerical'}}
    return {'a': a, 'b': b}, describe_tables(tables, ('b', key, 'a', key), b=[*key, 'line'])


@pytest.mark.usefixtures('without_pairs')
def test_keys_of_several_columns_are_kept_and_unique():
    real, metadata = make_composite()
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=20.0)
    synthesizer.fit(real)
    sampled = synthesizer.sample(90, 'a')

    keys = {name: list(map(tuple, sampled[name][['site', 'number']].to_numpy())) for name in 'ab'}
    assert len(sampled['a']) > 45
    assert len(set(keys['a'])) == len(keys['a'])
    assert set(keys['b']) <= set(keys['a'])
    assert not sampled['b'].duplicated(['site', 'number', 'line']).any()


NUM_PATIENTS, NUM_STAYS, MORE = 60, 120, 60


def describe_stays(part, birth=None):
    """Describe patients whose key is a part that is modelled, and a number; and their stays."""
    own = {'part': part, 'num': 'id', 'age': 'numerical'} | ({'birth': birth} if birth else {})
    stays = {'sid': 'id', 'part': part['sdtype'], 'num': 'id', 'los': 'numerical'}
    link = 'stay', ['part', 'num'], 'patient', ['part', 'num']
    return describe_tables({'patient': own, 'stay': stays}, link, stay='sid')


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
    metadata = describe_stays({'sdtype': 'numerical', 'decimal_places': 0})
    assert not measure(metadata, [0.0, 1.0, 2.0], 7.25, public_metadata=True).refuted


def test_a_key_that_a_constraint_is_about_keeps_its_stays():
    day, days = {'sdtype': 'datetime'}, list(pd.date_range('2020-01-01', periods=30))

    def add_birth(tables):
        patients = tables['patient']
        birth = patients['part'] - pd.to_timedelta(patients['num'] % 9, 'D')
        return {**tables, 'patient': patients.assign(birth=birth)}

    rule = Inequality('birth', 'part', table_name='patient')
    strange = pd.Timestamp('2021-05-05')
    assert not measure(describe_stays(day, day), days, strange, add_birth, [rule]).refuted


def test_an_unlisted_key_that_is_coerced_keeps_its_stays():
    metadata = describe_stays({'sdtype': 'categorical', 'range_values': ['x', 'y']})
    settings = {'public_metadata': True, 'invalid_cells': 'coerce'}
    assert not measure(metadata, ['x', 'y'], 'z', **settings).refuted


@pytest.mark.usefixtures('without_pairs')
@pytest.mark.parametrize('dtype', ['Int64', 'float64', 'object'])
def test_references_to_a_public_table_lead_to_its_rows(dtype):
    """A nullable key once became floats, which hold no more than 15 digits."""
    rng = np.random.default_rng(0)
    start = 1000 if dtype == 'float64' else 2**60
    codes = pd.DataFrame({'code': start + np.arange(5), 'size': range(5)})
    referred = pd.Series(rng.choice(codes['code'], 200), dtype='Int64').mask(rng.random(200) < 0.2)
    stays = pd.DataFrame({'sid': np.arange(200), 'code': referred.astype(dtype), 'los': 1.0})
    described = {
        'codes': {'code': 'id', 'size': 'numerical'},
        'stay': {'sid': 'id', 'code': 'id', 'los': 'numerical'},
    }
    metadata = describe_tables(described, ('stay', 'code', 'codes', 'code'), stay='sid')
    synthesizer = ClustMixMultiTableSynthesizer(metadata, epsilon=20.0, public_tables=['codes'])
    synthesizer.fit({'codes': codes, 'stay': stays})
    sampled = synthesizer.sample_scale(1.0)['stay']['code']

    assert sampled.dtype == stays['code'].dtype
    assert sampled.isna().any()
    assert {int(each) for each in sampled.dropna()} <= set(codes['code'])
