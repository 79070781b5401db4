"""What a user is told of losses: the table, one warning, the statement; and what samples show."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from described import describe
from sdv.errors import SynthesizerInputError
from sdv.sampling import Condition

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.datasets import load_hospital

COLUMNS = ['loss', 'share', 'at_least', 'at_most', 'shown', 'stated', 'said']


def make_metadata(table, **facts):
    columns = {
        name: {'sdtype': 'numerical' if each.dtype.kind in 'iuf' else 'categorical'}
        | facts.get(name, {})
        for name, each in table.items()
    }
    return describe(columns)


def fit(table, metadata=None, **settings):
    """Fit a table; return the synthesizer, and what was warned of losses."""
    terms = {'accept': 'noise'} | settings
    synthesizer = ClustMixSynthesizer(metadata or make_metadata(table), **terms)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer.fit({'t': table})
    return synthesizer, [str(each.message) for each in caught if 'has lost' in str(each.message)]


def covers(loss, share):
    """Whether an interval holds a share, were it of six standard deviations and not of three."""
    return abs(loss['share'] - share) < 2 * (loss['at_most'] - loss['share'])


@pytest.fixture(scope='module')
def patients():
    """Few patients: one diagnosis in four is too rare, and the rarer outcome may be."""
    rng = np.random.default_rng(0)
    shares = np.array([0.4, 0.36, *[0.24 / 40] * 40])
    names = ['heart', 'lungs', *(f'secret {at}' for at in range(40))]
    return pd.DataFrame(
        {
            'age': rng.normal(60, 12, 2000).round().clip(18, 95),
            'diagnosis': rng.choice(names, 2000, p=shares),
            'died': rng.choice(['no', 'yes'], 2000, p=[0.8, 0.2]),
        }
    )


@pytest.fixture(scope='module')
def fitted(patients):
    return fit(patients, target_column='died')


def test_losses_are_a_table_by_column(fitted, patients):
    losses = fitted[0].get_losses()

    assert losses.index.tolist() == list(patients)
    assert losses.columns.tolist() == COLUMNS
    assert losses.loc['diagnosis', 'loss'] == 'values'
    assert losses.loc['diagnosis', 'shown'] == '2 values'
    others = patients['diagnosis'].str.startswith('secret').mean()
    assert covers(losses.loc['diagnosis'], others)
    assert 'samples show them as missing' in losses.loc['diagnosis', 'said']
    assert losses.loc['died', 'shown'] == '2 values: no, yes'
    assert losses['at_most'].between(0, 1).all()


def test_one_warning_of_three_lines_says_what_matters_most_and_what_helps(fitted, patients):
    _, (told,) = fitted
    how_much, matters, help = told.splitlines()
    assert '1 column lacks rare values' in how_much
    assert "values that were not released in 'diagnosis': 2" in matters
    assert 'secret' not in told
    assert help == 'get_losses() says more, and check() says what to state.'


def test_made_up_columns_are_losses_in_every_account_of_them():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({'n': rng.normal(size=400), 'key': range(400), 'town': 'Bern', 'x': 'y'})
    made_up = {'key': {'sdtype': 'id'}, 'town': {'sdtype': 'city'}, 'x': {'sdtype': 'unknown'}}
    metadata = make_metadata(table, **made_up)
    metadata.set_primary_key('key', 't')
    synthesizer, (told,) = fit(table, metadata, epsilon=9.0)

    assert "2 columns are made up.\nMade up, and not learned: 'town', 'x'." in told
    assert synthesizer.get_losses()['loss'].to_dict() == {
        'n': synthesizer.get_losses().loc['n', 'loss'], 'town': 'made up', 'x': 'made up',
    }  # fmt: skip
    assert set(synthesizer.get_privacy_statement().lost) >= {'town', 'x'}
    assert 'town: All values are made up' in synthesizer.datasheet().to_markdown()


def test_the_known_share_is_missing_in_samples_and_other_shares_are_right(fitted, patients):
    sampled = fitted[0].sample(4000)['t']['diagnosis']
    shares = sampled.value_counts(normalize=True, dropna=False)

    assert abs(sampled.isna().mean() - 0.24) < 0.12
    assert abs(shares['heart'] - 0.4) < 0.12
    assert set(sampled.dropna()) == {'heart', 'lungs'}


@pytest.mark.parametrize('unreleased', ['Other', {'diagnosis': 'Other'}])
def test_a_stated_value_stands_for_values_that_are_not_released(patients, unreleased):
    synthesizer, _ = fit(patients, unreleased=unreleased)
    sampled = synthesizer.sample(4000)['t']

    assert abs((sampled['diagnosis'] == 'Other').mean() - 0.24) < 0.12
    assert sampled['diagnosis'].notna().all()
    assert "as 'Other'" in synthesizer.get_losses().loc['diagnosis', 'said']
    again = pickle.loads(pickle.dumps(synthesizer))
    assert again.get_losses().equals(synthesizer.get_losses())
    (asked,) = synthesizer.sample_from_conditions([Condition({'diagnosis': 'Other'}, 5)]).values()
    assert set(asked['diagnosis']) == {'Other'}


def test_whole_numbers_that_are_codes_stay_whole_numbers(patients):
    codes = patients['diagnosis'].rank(method='dense').astype('int64')
    table = pd.DataFrame({'code': codes, 'age': patients['age']})
    metadata = make_metadata(table, code={'sdtype': 'categorical'})
    # NumPy's integers cannot be missing, so they come back as they were.
    plain, _ = fit(table, metadata)
    spread = plain.sample(2000)['t']['code']
    assert spread.dtype == 'int64'
    assert set(spread) <= set(codes)

    named, _ = fit(table, metadata, unreleased={'code': 'missing'})
    sampled = named.sample(2000)['t']['code']
    assert sampled.dtype == 'Int64'
    assert abs(sampled.isna().mean() - 0.24) < 0.12
    assert set(sampled.dropna()) <= set(codes)


@pytest.mark.parametrize('unreleased', [None, 1.5j, ['Other'], {'age': 'Other'}, {'diagnosis': []}])
def test_what_can_stand_for_values_is_checked(patients, unreleased):
    with pytest.raises(SynthesizerInputError, match='unreleased'):
        ClustMixSynthesizer(make_metadata(patients), unreleased=unreleased)


def test_a_target_of_one_class_is_named_with_what_it_means():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({'x': rng.normal(size=300), 'y': ['no'] * 285 + ['yes'] * 15})
    synthesizer, (told,) = fit(table, target_column='y')

    assert "The target 'y': only one value was found. Samples cannot train a model." in told
    assert synthesizer.get_losses().loc['y', 'loss'] == 'constant'
    assert synthesizer.get_losses().loc['y', 'at_most'] > 0.05
    assert 'y' in synthesizer.get_privacy_statement().lost


def test_nothing_is_said_where_nothing_is_lost():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({'x': rng.choice(['a', 'b'], 1000), 'n': rng.integers(0, 5, 1000)})
    facts = {'range_is_nullable': False}
    metadata = make_metadata(
        table,
        x={'range_values': ['a', 'b'], **facts},
        n={'range_min': 0, 'range_max': 4, **facts},
    )
    synthesizer, told = fit(table, metadata, public_metadata=True, epsilon=8.0)

    assert told == []
    assert synthesizer.get_losses()['loss'].eq('').all()
    assert synthesizer.get_losses().loc['x', 'stated'] == 'values, nullability'
    assert synthesizer.get_losses().loc['n', 'stated'].startswith('lowest, highest')
    assert synthesizer.get_privacy_statement().lost == {}
    assert 'do not show' not in str(synthesizer.get_privacy_statement())


def test_losses_of_a_database_are_told_by_table():
    tables, metadata = load_hospital()
    tables = copy.deepcopy(tables)
    tables['patient'] = tables['patient'].head(1500)
    kept = tables['encounter']['patient_nbr'].isin(tables['patient']['patient_nbr'])
    tables['encounter'] = tables['encounter'][kept]
    metadata.update_column('A1Cresult', 'encounter', sdtype='unknown', pii=True)
    public = ['admission_type', 'discharge_disposition', 'admission_source']
    made = ClustMixMultiTableSynthesizer(metadata, privacy_unit='patient', public_tables=public)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        made.fit(tables)
    (told,) = (str(each.message) for each in caught if 'has lost' in str(each.message))
    losses = made.get_losses()

    assert losses.index.names == ['table', 'column']
    assert losses.columns.tolist() == COLUMNS
    assert set(losses.index.get_level_values('table')) == {'patient', 'encounter'}
    assert '1 column is made up' in told
    assert losses.loc[('encounter', 'A1Cresult'), 'loss'] == 'made up'
    assert 'what samples of patient do not show' in str(made.get_privacy_statement())
