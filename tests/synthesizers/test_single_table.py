import math
import warnings

import cloudpickle
import jax.numpy as jnp
import pandas as pd
import pytest
from sdv.errors import RefitWarning, SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer

NAME = 'people'

NUMERICAL = {'sdtype': 'numerical'}


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

    terms = {'public_metadata': True, 'accept': 'noise'}
    poor = ClustMixSynthesizer(build_metadata(columns), epsilon=0.1, **terms)
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
        ({'n_components': 3}, "choose mixing='clusters'"),
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
        'accept': ('unit',),
        'ledger': 'people.ledger',
        'target': None,
        'mixing': 'clusters',
        'sentinels': None,
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
        'accept': (),
        'ledger': None,
        'target': None,
        'mixing': None,
        'sentinels': None,
    }


def test_target_is_another_word_for_target_column(small_metadata):
    assert ClustMixSynthesizer(small_metadata, target='city').target_column == 'city'
    with pytest.raises(SynthesizerInputError, match='another word'):
        ClustMixSynthesizer(small_metadata, target='city', target_column='x')


def test_a_column_without_a_common_value_is_named():
    metadata = Metadata.load_from_dict(
        {'tables': {'t': {'columns': {'rare': {'sdtype': 'categorical'}, 'x': NUMERICAL}}}}
    )
    table = pd.DataFrame({'rare': [f'secret {at}' for at in range(500)], 'x': range(500)})
    synthesizer = ClustMixSynthesizer(metadata)

    with pytest.warns(UserWarning, match="enough to be released of 'rare'") as caught:
        synthesizer.fit({'t': table})

    assert not any('secret' in str(warning.message) for warning in caught)
    assert synthesizer.sample(10)['t']['rare'].isna().all()


def test_the_accounting_of_the_paper_warns_and_says_so(small_metadata, small_table):
    with pytest.warns(UserWarning, match='not an end-to-end guarantee'):
        synthesizer = ClustMixSynthesizer(
            small_metadata, guarantee='paper', target_column='city', n_components=1
        )
    synthesizer.fit({NAME: small_table})
    with pytest.warns(RefitWarning, match='promises nothing end to end') as warned:
        synthesizer.fit({NAME: small_table})
    statement = synthesizer.get_privacy_statement()

    assert not any('differential privacy' in str(each.message) for each in warned)
    assert (statement.guarantee, statement.fits) == ('paper', 2)
    assert '  promise   none end to end' in str(statement).splitlines()[1]
    assert 'differential privacy' not in str(statement)
