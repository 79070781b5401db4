"""What SDV's base class may do with private rows: nothing that is kept, shown or logged."""

import warnings
from copy import deepcopy

import cloudpickle
import pandas as pd
import pytest
from sdv.cag import FixedIncrements, Inequality
from sdv.errors import InvalidDataError, InvalidDataTypeError

from sdv_threea import ClustMixSynthesizer
from sdv_threea.synthesizers.attempts import attempted

NAME = 'people'

"""Entries of a logged event in whose digits any number turns up by chance."""


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


def test_a_table_without_modelled_columns_costs_nothing(build_metadata):
    metadata = build_metadata({'key': {'sdtype': 'id'}, 'mail': {'sdtype': 'email'}}, 'key')
    table = pd.DataFrame({'key': [1, 2], 'mail': ['secret@a.com', 'secret@b.com']})
    synthesizer = ClustMixSynthesizer(metadata, accept='made_up')
    synthesizer.fit({NAME: table})
    sampled = synthesizer.sample(7)[NAME]

    assert sampled.shape == (7, 2)
    assert sampled['key'].is_unique
    assert not sampled['mail'].str.contains('secret').any()
    assert synthesizer.get_privacy_statement().receipts == ()


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
