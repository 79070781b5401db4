"""Wrong arguments: one error, which names the argument."""

from __future__ import annotations

import copy
import math
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality, ProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

NAME = 'people'


@pytest.fixture(scope='module')
def fitted(build_metadata):
    columns = {'age': {'sdtype': 'numerical'}, 'city': {'sdtype': 'categorical'}}
    table = pd.DataFrame({'age': range(60), 'city': ['Bern', 'Basel'] * 30})
    synthesizer = ClustMixSynthesizer(build_metadata(columns), epsilon=100.0)
    synthesizer.fit({NAME: table})
    return synthesizer


@pytest.mark.parametrize('count', [-1, 1.5, 'many', True, [3], math.nan, 10**400, np.array([2, 3])])
@pytest.mark.parametrize('argument', ['num_rows', 'batch_size', 'max_tries_per_batch'])
def test_numbers_of_rows_and_tries_are_whole(fitted, argument, count):
    with pytest.raises(ValueError, match=f'^{argument} must be a whole number'):
        fitted.sample(**{'num_rows': 3, argument: count})


@pytest.mark.parametrize('argument', ['batch_size', 'max_tries_per_batch'])
def test_so_they_are_under_conditions(fitted, argument):
    with pytest.raises(ValueError, match=f'^{argument} must be a whole number'):
        fitted.sample_from_conditions([Condition({'city': 'Bern'})], **{argument: 0})
    with pytest.raises(ValueError, match=f'^{argument} must be a whole number'):
        fitted.sample_remaining_columns(pd.DataFrame({'city': ['Bern']}), **{argument: 0})


def test_whole_numbers_of_numpy_will_do(fitted, count_draws):
    rows = fitted.sample(np.int64(3), batch_size=np.int8(2))[NAME]

    assert (len(rows), sum(count_draws), max(count_draws)) == (3, 3, 2)
    assert fitted.sample(0)[NAME].dtypes.to_dict() == rows.dtypes.to_dict()


@pytest.mark.parametrize('wrong', [None, 3, 'Bern', {'city': 'Bern'}, ['Bern'], Condition({})])
def test_conditions_are_a_list_of_conditions(fitted, wrong):
    with pytest.raises(ValueError, match='^conditions must be a list of Condition'):
        fitted.sample_from_conditions(wrong)


@pytest.mark.parametrize('wrong', [None, 3, {'city': ['Bern']}, pd.Series(['Bern'])])
def test_known_columns_are_a_table(fitted, wrong):
    with pytest.raises(ValueError, match='^known_columns must be a pandas DataFrame'):
        fitted.sample_remaining_columns(wrong)


@pytest.mark.parametrize('wrong', [None, 3, 'Inequality', ['Inequality'], {}])
def test_constraints_are_a_list_of_constraints(fitted, wrong):
    with pytest.raises(ValueError, match='^constraints must be a list'):
        copy.deepcopy(fitted).add_constraints(wrong)


@pytest.mark.parametrize('wrong', [Inequality, ProgrammableConstraint])
def test_a_class_is_no_constraint(fitted, wrong):
    with pytest.raises(ValueError, match=rf'{wrong.__name__} is a class.*{wrong.__name__}\('):
        fitted.add_constraints([wrong])


@pytest.mark.parametrize('wrong', [3, np.array([1.0, 2.0]), pd.DataFrame({'x': [1, 2]})])
def test_names_are_texts(fitted, wrong):
    with pytest.raises(ValueError, match='^main_table_name must be a text'):
        fitted.sample(3, main_table_name=wrong)
    with pytest.raises(ValueError, match='^version must be a text'):
        fitted.get_metadata(wrong)


@pytest.mark.parametrize('wrong', [None, 3, {}, 'people.json'])
def test_metadata_is_that_of_sdv(wrong):
    with pytest.raises(SynthesizerInputError, match='^metadata must be an sdv.metadata.Metadata'):
        ClustMixSynthesizer(wrong)


LINK = {
    'parent_table_name': 'parent',
    'child_table_name': 'child',
    'parent_primary_key': 'key',
    'child_foreign_key': 'key',
}


def make_database(columns=(), **arguments):
    key = {'sdtype': 'id'}
    tables = {
        'parent': {'columns': {'key': key, **dict(columns)}, 'primary_key': 'key'},
        'child': {'columns': {'key': key}},
    }
    metadata = Metadata.load_from_dict({'tables': tables, 'relationships': [LINK]})
    return ClustMixMultiTableSynthesizer(metadata, **arguments)


@pytest.mark.parametrize('wrong', [[], (), ['xx_YY'], ['en_US', 3], 3, {'en_US'}, 'nowhere'])
def test_locales_are_some_that_there_are_and_refused_at_birth(small_metadata, wrong):
    with pytest.raises(SynthesizerInputError, match='^locales must be a list of locales'):
        ClustMixSynthesizer(small_metadata, locales=wrong)
    with pytest.raises(SynthesizerInputError, match='^locales must be a list of locales'):
        make_database(locales=wrong)


@pytest.mark.parametrize('right', [None, 'de_DE', ['de', 'fr-CH'], ('en_US',)])
def test_other_locales_will_do(small_metadata, right):
    ClustMixSynthesizer(small_metadata, locales=right)
    make_database(locales=right)


def test_a_column_name_that_no_file_can_hold_is_refused_at_birth(build_metadata):
    columns = {'x\ud800': {'sdtype': 'numerical'}, 'y': {'sdtype': 'numerical'}}
    with pytest.raises(SynthesizerInputError, match=r"names 'x\\ud800' hold halves") as caught:
        ClustMixSynthesizer(build_metadata(columns))
    str(caught.value).encode()
    with pytest.raises(SynthesizerInputError, match='hold halves of characters'):
        make_database(columns)


@pytest.mark.parametrize('setting', ['neighbors', 'guarantee', 'n_components', 'target_column'])
@pytest.mark.parametrize('wrong', [['auto'], {}, np.array([1.0, 2.0]), pd.DataFrame({'x': [1, 2]})])
def test_settings_that_cannot_be_compared_are_named(small_metadata, setting, wrong):
    with pytest.raises(SynthesizerInputError, match=setting.replace('_c', '[_ ]c')):
        ClustMixSynthesizer(small_metadata, **{setting: wrong})


@pytest.mark.parametrize('setting', ['epsilon', 'delta', 'alpha'])
def test_settings_that_no_float_can_hold_are_named(small_metadata, setting):
    with pytest.raises(SynthesizerInputError, match=f'^{setting} must be a number that a float'):
        ClustMixSynthesizer(small_metadata, **{setting: 10**400})


def test_fractions_are_numbers(small_table, small_metadata):
    terms = {'epsilon': Fraction(9, 2), 'delta': Fraction(1, 1000)}
    synthesizer = ClustMixSynthesizer(small_metadata, **terms)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        synthesizer.fit({NAME: small_table})

    assert '(4.5, 0.001)-differential privacy' in str(synthesizer.get_privacy_statement())


def test_what_was_promised_is_fixed_when_the_synthesizer_is_made(small_table, small_metadata):
    synthesizer = ClustMixSynthesizer(small_metadata, epsilon=8.0)
    for name, value in {'epsilon': 0.1, 'delta': 0.5, 'unreleased': 'spread'}.items():
        with pytest.raises(AttributeError, match=f"'{name}' is fixed .* {name}=") as refused:
            setattr(synthesizer, name, value)
        assert str(value) not in str(refused.value)
    assert synthesizer.get_parameters()['epsilon'] == 8.0
    synthesizer.fit({NAME: small_table})
    statement = synthesizer.get_privacy_statement()

    assert (statement.epsilon, statement.delta) == (8.0, 1e-6)
    assert statement.neighbors == 'add_remove'
