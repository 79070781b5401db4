import math
import warnings
from copy import deepcopy

import cloudpickle
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.cag import FixedIncrements, Inequality, ProgrammableConstraint
from sdv.errors import InvalidDataError, InvalidDataTypeError, RefitWarning, SynthesizerInputError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer
from sdv_threea.synthesizers.turns import attempted

NAME = 'people'


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
        ({'epsilon': None}, 'epsilon'),
        ({'delta': math.nan}, 'delta'),
        ({'n_components': 3}, "choose mixing='clusters'"),
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
        'enforce_min_max_values': False, 'enforce_rounding': False, 'locales': ['de_CH'],
        'epsilon': 2.0, 'invalid_cells': 'coerce', 'delta': 1e-7, 'target_column': 'city',
        'public_metadata': True, 'guarantee': 'end_to_end', 'neighbors': 'replace_one',
        'n_components': 3, 'alpha': 0.25, 'kernel': gaussian_kernel, 'verbose': True,
        'memory_limit': 2.5, 'unreleased': {'city': 'Other'}, 'accept': ('unit',),
        'ledger': 'people.ledger', 'target': None, 'mixing': 'clusters', 'sentinels': None,
        'pseudonyms': None,
    }  # fmt: skip
    synthesizer = ClustMixSynthesizer(small_metadata, **settings)

    assert synthesizer.get_parameters() == settings
    again = ClustMixSynthesizer(synthesizer.get_metadata(), **synthesizer.get_parameters())
    assert again.get_parameters() == settings


def test_the_defaults_promise_end_to_end_privacy(small_metadata):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        parameters = ClustMixSynthesizer(small_metadata).get_parameters()

    promise = {'epsilon': 1.0, 'delta': 1e-6, 'guarantee': 'end_to_end', 'neighbors': 'add_remove'}
    promise |= {'public_metadata': False, 'invalid_cells': 'raise', 'accept': (), 'alpha': 0.5}
    assert promise.items() <= parameters.items()


def test_target_is_another_word_for_target_column(small_metadata):
    assert ClustMixSynthesizer(small_metadata, target='city').target_column == 'city'
    with pytest.raises(SynthesizerInputError, match='another word'):
        ClustMixSynthesizer(small_metadata, target='city', target_column='x')


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


@pytest.fixture
def synthesizer(small_metadata):
    return ClustMixSynthesizer(small_metadata, epsilon=10.0)


@pytest.mark.parametrize(
    'data',
    [
        None,
        [],
        {},
        pd.DataFrame({'age': [1]}),
        {NAME: [1, 2]},
        {NAME: pd.DataFrame(), 'another': pd.DataFrame()},
    ],
)
@pytest.mark.parametrize('method', ['fit', 'preprocess', 'validate', 'fit_processed_data'])
def test_anything_but_one_table_by_name_is_refused(synthesizer, data, method):
    with pytest.raises(InvalidDataTypeError, match='exactly one table name'):
        getattr(synthesizer, method)(data)


def test_integer_keys_that_would_lose_their_zeros_are_refused(build_metadata):
    metadata = build_metadata({'key': {'sdtype': 'id', 'regex_format': '[0-9]{3}'}}, 'key')
    with pytest.raises(InvalidDataError, match='Primary key column "key" is stored as an int'):
        ClustMixSynthesizer(metadata).fit({NAME: pd.DataFrame({'key': [777, 778]})})


@pytest.mark.parametrize('change', [lambda table: table.head(0), lambda table: table[['age']]])
def test_a_broken_processed_table_is_refused(synthesizer, small_table, change):
    processed = synthesizer.preprocess({NAME: small_table})[NAME]
    with pytest.raises(InvalidDataError, match='no rows|must have the columns'):
        synthesizer.fit_processed_data({NAME: change(processed)})

    assert synthesizer.get_info()['is_fit'] is False


def test_preprocessing_another_table_does_not_change_a_fitted_synthesizer(synthesizer, small_table):
    synthesizer.fit({NAME: small_table})
    before = synthesizer.sample(5)[NAME]
    synthesizer.reset_sampling()
    other = small_table.assign(age=pd.array(small_table['age'], dtype='Int64'))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.preprocess({NAME: other})

    pd.testing.assert_frame_equal(synthesizer.sample(5)[NAME], before)


def undo(synthesizer):
    """Let a fit fail that has begun to change things."""

    @attempted
    def fail(self):
        self.preprocessor.constraints.adopted.clear()
        raise KeyError

    with pytest.raises(KeyError):
        fail(synthesizer)
    return synthesizer


@pytest.mark.parametrize(
    'copy', [deepcopy, lambda each: cloudpickle.loads(cloudpickle.dumps(each)), undo]
)
def test_sdv_reads_the_constraints_that_are_held_also_of_a_copy(synthesizer, copy):
    synthesizer.add_constraints([Inequality('age', 'income')])
    copied = copy(synthesizer)
    copied.add_constraints([FixedIncrements('age', 1)])

    held = [type(each) for each in copied.preprocessor.constraints.adopted]
    assert held == [type(each) for each in copied.get_constraints()]
    assert held == [Inequality, FixedIncrements]


@pytest.fixture(scope='module')
def fitted():
    metadata = describe({'age': 'numerical', 'city': 'categorical'}, NAME)
    table = pd.DataFrame({'age': range(60), 'city': ['Bern', 'Basel'] * 30})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=100.0)
    synthesizer.fit({NAME: table})
    return synthesizer


def test_whole_numbers_of_numpy_will_do(fitted, count_draws):
    rows = fitted.sample(np.int64(3), batch_size=np.int8(2))[NAME]

    assert (len(rows), sum(count_draws), max(count_draws)) == (3, 3, 2)
    assert fitted.sample(0)[NAME].dtypes.to_dict() == rows.dtypes.to_dict()


@pytest.mark.parametrize('wrong', [Inequality, ProgrammableConstraint])
def test_a_class_is_no_constraint(fitted, wrong):
    with pytest.raises(ValueError, match=rf'{wrong.__name__} is a class.*{wrong.__name__}\('):
        fitted.add_constraints([wrong])


def test_a_column_name_that_no_file_can_hold_is_refused_at_birth():
    columns = {'x\ud800': 'numerical', 'y': 'numerical'}
    with pytest.raises(SynthesizerInputError, match=r"names 'x\\ud800' hold halves") as caught:
        ClustMixSynthesizer(describe(columns))
    str(caught.value).encode()
    with pytest.raises(SynthesizerInputError, match='hold halves of characters'):
        tables = {'parent': {'key': 'id', **columns}, 'child': {'key': 'id'}}
        link = 'child', 'key', 'parent', 'key'
        ClustMixMultiTableSynthesizer(describe_tables(tables, link))
