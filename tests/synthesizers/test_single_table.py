from __future__ import annotations

import math
import warnings
from types import SimpleNamespace

import cloudpickle
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from sdv.errors import NotFittedError, RefitWarning, SamplingError, SynthesizerInputError
from sdv.metadata import Metadata
from sdv.utils import load_synthesizer

from sdv_threea import ClustMixSynthesizer
from sdv_threea.datasets import load_adult
from sdv_threea.storage.version import UNKNOWN, get_version
from sdv_threea.synthesizers import single_table

NAME = 'people'

NUMERICAL = {'sdtype': 'numerical'}


@pytest.fixture(scope='module')
def adult():
    train, _, metadata = load_adult()
    return train.sample(2_000, random_state=0).reset_index(drop=True), metadata


@pytest.fixture(scope='module')
def fitted_adult(adult):
    table, metadata = adult
    synthesizer = ClustMixSynthesizer(metadata, epsilon=1.0, delta=1e-6, target_column='income')
    synthesizer.fit({'adult': table})
    return synthesizer


@pytest.fixture(scope='module')
def fitted_small():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            'age': rng.integers(18, 90, 300),
            'income': rng.gamma(2, 10, 300).round(2),
            'city': rng.choice(['Bern', 'Basel'], 300),
        }
    )
    metadata = Metadata.load_from_dict(
        {
            'tables': {
                NAME: {
                    'columns': {
                        'age': {'sdtype': 'numerical'},
                        'income': {'sdtype': 'numerical'},
                        'city': {'sdtype': 'categorical'},
                    }
                }
            }
        }
    )
    synthesizer = ClustMixSynthesizer(metadata, epsilon=5.0)
    synthesizer.fit({NAME: table})
    return synthesizer


def test_three_lines_release_adult(adult, fitted_adult):
    table, _ = adult
    fitted_adult.reset_sampling()
    synthetic = fitted_adult.sample(num_rows=1_500)['adult']

    assert synthetic.shape == (1_500, table.shape[1])
    assert list(synthetic.columns) == list(table.columns)
    for name, column in table.select_dtypes('object').items():
        assert set(synthetic[name].dropna()) <= set(column)
    assert set(synthetic['income']) == set(table['income'])


def test_the_statement_of_adult(fitted_adult):
    statement = fitted_adult.get_privacy_statement()
    facts = statement.to_dict()

    assert (facts['epsilon'], facts['delta'], facts['guarantee']) == (1.0, 1e-6, 'end_to_end')
    assert facts['mu'] == pytest.approx(math.hypot(*(each['mu'] for each in facts['receipts'])))
    assert facts['mu'] < 0.3
    assert '(1, 1e-06)-differential privacy for one row added or removed' in str(statement)


def test_every_dtype_and_kind_of_column(mixed_table, mixed_metadata):
    synthesizer = ClustMixSynthesizer(mixed_metadata, epsilon=100.0, target_column='letter')
    synthesizer.fit({NAME: mixed_table})
    sampled = synthesizer.sample(400)[NAME]

    assert list(sampled.columns) == list(mixed_table.columns)
    assert sampled.dtypes.drop('category').to_dict() == (
        mixed_table.dtypes.drop('category').to_dict()
    )
    assert set(sampled['category'].cat.categories) == {'x', 'y'}
    has_missing = mixed_table.columns[mixed_table.isna().any()]
    assert sampled[has_missing].isna().any().all()
    assert not sampled.drop(columns=[*has_missing, 'many']).isna().any().any()
    assert (sampled['constant'] == 5).all()
    assert sampled['cents'].equals(sampled['cents'].round(2))
    assert (sampled['iso_moment'].dropna().str.slice(11) != '00:00:00').mean() > 0.9
    for name in ('text_date', 'iso_date', 'offset_date', 'number_date'):
        template = mixed_metadata.tables[NAME].columns[name].get('datetime_format', '%Y-%m-%d')
        texts = sampled[name].dropna().astype(str)
        assert (pd.to_datetime(texts, format=template).dt.strftime(template) == texts).all()


def test_public_metadata_is_used(build_metadata, small_table):
    columns = {
        'age': {
            'sdtype': 'numerical', 'range_min': 0, 'range_max': 120, 'decimal_places': 0,
            'range_is_nullable': False,
        },
        'income': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 1_000},
        'city': {'sdtype': 'categorical', 'range_values': ['Bern', 'Basel', 'Chur']},
    }  # fmt: skip
    # Of this few rows at a small epsilon, a stated range is a bound alone.
    known = ClustMixSynthesizer(build_metadata(columns), epsilon=50.0, public_metadata=True)
    known.fit({NAME: small_table})
    age, city = known._model.domain['age'], known._model.domain['city']

    assert (age.low, age.high, age.step, age.nullable) == (0.0, 120.0, 1.0, False)
    assert city.values == ('Bern', 'Basel', 'Chur')  # noqa: PD011 (not pandas)
    assert known.sample(50)[NAME]['age'].dtype == 'int64'
    assert any('ranges' in fact for fact in known.get_privacy_statement().public)

    poor = ClustMixSynthesizer(build_metadata(columns), epsilon=0.1, public_metadata=True)
    poor.fit({NAME: small_table})
    found = poor._model.domain['age']
    assert 0 <= found.low <= found.high <= 120


def test_private_metadata_is_dropped(build_metadata, small_table):
    columns = {
        'age': {'sdtype': 'numerical', 'range_min': 7.123, 'range_max': 777.123},
        'income': {'sdtype': 'numerical', 'decimal_places': 2},
        'city': {'sdtype': 'categorical', 'range_values': ['Bern', 'Basel', 'secret']},
    }
    synthesizer = ClustMixSynthesizer(build_metadata(columns), epsilon=5.0)
    synthesizer.fit({NAME: small_table})
    pickled = cloudpickle.dumps(synthesizer)

    assert 'range_min' not in str(synthesizer.get_metadata().to_dict())
    assert b'secret' not in pickled
    assert b'range_m' not in pickled
    assert not any('ranges' in fact for fact in synthesizer.get_privacy_statement().public)


@pytest.mark.parametrize(
    ('settings', 'expected'),
    [
        ({'epsilon': 0}, 'epsilon'),
        ({'epsilon': -1.0}, 'epsilon'),
        ({'epsilon': math.nan}, 'epsilon'),
        ({'epsilon': '1'}, 'epsilon'),
        ({'epsilon': None}, 'epsilon'),
        ({'delta': 0}, 'delta'),
        ({'delta': 1.0}, 'delta'),
        ({'delta': math.nan}, 'delta'),
        ({'n_components': 0}, 'n_components'),
        ({'n_components': 2.5}, 'n_components'),
        ({'n_components': 'many'}, 'n_components'),
        ({'alpha': -0.1}, 'alpha'),
        ({'alpha': 1.1}, 'alpha'),
        ({'kernel': 'linear'}, 'kernel'),
        ({'guarantee': 'none'}, 'guarantee'),
        ({'neighbors': 'swap'}, 'neighbors'),
        ({'public_metadata': 'yes'}, 'public_metadata'),
        ({'verbose': 'yes'}, 'verbose'),
        ({'target_column': 'wage'}, "'wage' is not in the metadata"),
        ({'target_column': 'key'}, "'key' is of the sdtype 'id'"),
        ({'target_column': 'email'}, "'email' is of the sdtype 'email'"),
        ({'target_column': 'moment'}, "'moment' is of the sdtype 'datetime'"),
        ({'enforce_rounding': 1}, 'enforce_rounding'),
    ],
)
def test_a_bad_setting_is_refused_before_any_row_is_seen(mixed_metadata, settings, expected):
    with pytest.raises(SynthesizerInputError, match=expected):
        ClustMixSynthesizer(mixed_metadata, **settings)


def test_a_target_without_values_is_refused(small_metadata, small_table):
    synthesizer = ClustMixSynthesizer(small_metadata, target_column='age')
    with pytest.raises(Exception, match="target column 'age' has no values"):
        synthesizer.fit({NAME: small_table.assign(age=np.nan)})


def gaussian_kernel(first, second):
    return jnp.exp(-((first[:, None] - second[None]) ** 2).sum(axis=-1))


def test_parameters_make_the_same_synthesizer_again(small_metadata):
    settings = {
        'enforce_min_max_values': False,
        'enforce_rounding': False,
        'locales': ['de_CH'],
        'epsilon': 2.0,
        'invalid_cells': 'coerce',
        'delta': 1e-7,
        'target_column': 'city',
        'public_metadata': True,
        'guarantee': 'end_to_end',
        'neighbors': 'replace_one',
        'n_components': 3,
        'alpha': 0.25,
        'kernel': gaussian_kernel,
        'verbose': True,
        'memory_limit': 2.5,
        'unreleased': {'city': 'Other'},
    }
    synthesizer = ClustMixSynthesizer(small_metadata, **settings)

    assert synthesizer.get_parameters() == settings
    again = ClustMixSynthesizer(synthesizer.get_metadata(), **synthesizer.get_parameters())
    assert again.get_parameters() == settings


def test_the_defaults_promise_end_to_end_privacy(small_metadata):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        parameters = ClustMixSynthesizer(small_metadata).get_parameters()

    assert parameters == {
        'enforce_min_max_values': True,
        'enforce_rounding': True,
        'locales': ['en_US'],
        'epsilon': 1.0,
        'delta': 1e-6,
        'target_column': None,
        'public_metadata': False,
        'guarantee': 'end_to_end',
        'neighbors': 'add_remove',
        'n_components': 'auto',
        'alpha': 0.5,
        'kernel': None,
        'verbose': False,
        'memory_limit': None,
        'invalid_cells': 'raise',
        'unreleased': 'missing',
    }


def test_a_column_without_a_common_value_is_named():
    metadata = Metadata.load_from_dict(
        {'tables': {'t': {'columns': {'rare': {'sdtype': 'categorical'}, 'x': NUMERICAL}}}}
    )
    table = pd.DataFrame({'rare': [f'secret {at}' for at in range(500)], 'x': range(500)})
    synthesizer = ClustMixSynthesizer(metadata)

    with pytest.warns(UserWarning, match="no value of 'rare' was common enough") as caught:
        synthesizer.fit({'t': table})

    assert not any('secret' in str(warning.message) for warning in caught)
    assert synthesizer.sample(10)['t']['rare'].isna().all()


def test_the_accounting_of_the_paper_warns_and_says_so(small_metadata, small_table):
    with pytest.warns(UserWarning, match='not an end-to-end guarantee'):
        synthesizer = ClustMixSynthesizer(small_metadata, guarantee='paper', target_column='city')
    synthesizer.fit({NAME: small_table})
    with pytest.warns(RefitWarning, match='promises nothing end to end') as warned:
        synthesizer.fit({NAME: small_table})
    statement = synthesizer.get_privacy_statement()

    assert not any('differential privacy' in str(each.message) for each in warned)
    assert (statement.guarantee, statement.fits) == ('paper', 2)
    assert '  promise   none end to end' in str(statement).splitlines()[1]
    assert 'differential privacy' not in str(statement)


def test_no_noise_is_no_promise(small_metadata, small_table):
    synthesizer = ClustMixSynthesizer(small_metadata, epsilon=math.inf)
    synthesizer.fit({NAME: small_table})

    assert synthesizer.get_privacy_statement().to_dict()['guarantee'] == 'none'
    assert list(synthesizer.sample(9)[NAME].dtypes) == list(small_table.dtypes)


def test_nothing_can_be_had_before_fitting(small_metadata):
    synthesizer = ClustMixSynthesizer(small_metadata)

    with pytest.raises(SamplingError, match='has not been fitted'):
        synthesizer.sample(1)
    with pytest.raises(NotFittedError, match='has not been fitted'):
        synthesizer.get_privacy_statement()


def test_fitting_again_is_another_release(small_metadata, small_table):
    synthesizer = ClustMixSynthesizer(small_metadata, epsilon=5.0)
    with warnings.catch_warnings():
        warnings.simplefilter('error', RefitWarning)
        synthesizer.fit({NAME: small_table})
    with pytest.warns(RefitWarning, match=r'costs add up.*sqrt\(2\) times the mu'):
        synthesizer.fit({NAME: small_table})

    assert len(synthesizer.sample(3)[NAME]) == 3


def test_a_large_delta_is_noticed_by_the_released_number_of_rows(small_metadata, small_table):
    for delta, expected in ((1e-3, False), (9e-3, True)):
        synthesizer = ClustMixSynthesizer(small_metadata, epsilon=5.0, delta=delta)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            synthesizer.fit({NAME: small_table})
        messages = [str(each.message) for each in caught if 'exposed' in str(each.message)]
        assert bool(messages) is expected
        statement = synthesizer.get_privacy_statement()
        assert (statement.exposed > 0) is expected
        for said in (str(statement), synthesizer.datasheet().to_markdown()):
            assert ('exposed entirely' in ' '.join(said.split())) is expected
        assert not any(str(len(small_table)) in message for message in messages)


def raise_error(*_):
    raise OverflowError('the sums do not fit')


def release_nonsense(*_):
    return SimpleNamespace(domain='nonsense')


@pytest.mark.parametrize('release', [raise_error, release_nonsense])
def test_a_release_that_fails_leaves_nothing_fitted(
    monkeypatch, small_metadata, small_table, release
):
    synthesizer = ClustMixSynthesizer(small_metadata, epsilon=5.0)
    synthesizer.fit({NAME: small_table})
    monkeypatch.setattr(single_table, 'release', release)
    with pytest.raises((OverflowError, AttributeError, TypeError)):
        synthesizer.fit({NAME: small_table})

    assert synthesizer.get_info()['is_fit'] is False
    assert synthesizer._model is None
    with pytest.raises(SamplingError, match='has not been fitted'):
        synthesizer.sample(1)


def test_resetting_gives_the_same_rows_and_not_resetting_gives_others(fitted_small):
    fitted_small.reset_sampling()
    first, second = (fitted_small.sample(40)[NAME] for _ in range(2))
    fitted_small.reset_sampling()
    again = fitted_small.sample(40)[NAME]

    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(second)


@pytest.mark.parametrize('num_rows', [0, 1, 1_000])
def test_any_number_of_rows(fitted_small, num_rows):
    assert len(fitted_small.sample(num_rows)[NAME]) == num_rows


def test_flags_of_sdv_are_accepted_and_the_range_is_never_left(small_metadata, small_table):
    synthesizer = ClustMixSynthesizer(
        small_metadata, enforce_min_max_values=False, enforce_rounding=False, epsilon=20.0
    )
    synthesizer.fit({NAME: small_table})
    income, released = synthesizer.sample(200)[NAME]['income'], synthesizer._model.domain['income']

    assert income.between(released.low, released.high).all()


def test_a_saved_synthesizer_samples_the_same_rows_in_another_process(
    run_anew, tmp_path, fitted_small
):
    path = tmp_path / 'synthesizer.pkl'
    fitted_small.save(path)
    fitted_small.reset_sampling()
    expected = fitted_small.sample(20)[NAME]
    program = (
        'import sys; from sdv.utils import load_synthesizer\n'
        'synthesizer = load_synthesizer(sys.argv[1]); synthesizer.reset_sampling()\n'
        f"synthesizer.sample(20)['{NAME}'].to_json(sys.argv[2])\n"
        'assert "jax" not in sys.modules'
    )
    rows = tmp_path / 'rows.json'
    done = run_anew(program, path, rows)
    assert done.returncode == 0, done.stderr

    pd.testing.assert_frame_equal(pd.read_json(rows), expected, check_exact=False)
    loaded = load_synthesizer(path)
    assert loaded.get_privacy_statement() == fitted_small.get_privacy_statement()
    assert loaded.get_parameters() == fitted_small.get_parameters()


@pytest.mark.skipif(get_version() == UNKNOWN, reason='a checkout that is not installed')
def test_a_synthesizer_of_a_newer_version_is_not_loaded(fitted_small):
    state = fitted_small.__getstate__() | {'_made_with': '999.0'}
    with pytest.raises(ValueError, match=r'made with sdv-threea 999\.0'):
        ClustMixSynthesizer.__new__(ClustMixSynthesizer).__setstate__(state)
