"""What SDV's base class may do with private rows: nothing that is kept, shown or logged."""

from __future__ import annotations

import logging
import warnings
from copy import deepcopy

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from rdt.transformers import AnonymizedFaker, FloatFormatter
from sdv.cag import FixedIncrements, Inequality
from sdv.errors import InvalidDataError, InvalidDataTypeError
from sdv.sampling import Condition
from sdv.single_table.base import SYNTHESIZER_LOGGER

from sdv_threea import ClustMixSynthesizer
from sdv_threea.encoding.transformers import NumberEncoder
from sdv_threea.synthesizers.attempts import attempted

NAME = 'people'

CHANCE = ('TIMESTAMP', 'SYNTHESIZER ID')
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


def test_a_table_of_another_name_is_refused(synthesizer, small_table):
    with pytest.raises(InvalidDataError, match="no table 'persons'.*it is named 'people'"):
        synthesizer.fit({'persons': small_table})


@pytest.mark.parametrize(
    ('change', 'expected'),
    [
        (lambda table: table.head(0), 'no rows'),
        (lambda table: table.drop(columns='age'), r"\['age'\] of the metadata"),
        (lambda table: table.assign(secret=777), r"\['secret'\] of the table"),
        (lambda table: table.assign(age='777'), "'age'.*not numbers"),
        (lambda table: table.assign(income=np.inf), "'income'.*infinite"),
    ],
)
def test_a_failed_fit_names_the_rule_and_leaves_nothing_fitted(
    synthesizer, small_table, change, expected
):
    synthesizer.fit({NAME: small_table})
    with pytest.raises(InvalidDataError, match=expected) as caught:
        synthesizer.fit({NAME: change(small_table)})

    assert '777' not in str(caught.value)
    assert synthesizer.get_info()['is_fit'] is False
    with pytest.raises(Exception, match='has not been fitted'):
        synthesizer.sample(1)


def test_integer_keys_that_would_lose_their_zeros_are_refused(build_metadata):
    metadata = build_metadata({'key': {'sdtype': 'id', 'regex_format': '[0-9]{3}'}}, 'key')
    with pytest.raises(InvalidDataError, match='Primary key column "key" is stored as an int'):
        ClustMixSynthesizer(metadata).fit({NAME: pd.DataFrame({'key': [777, 778]})})


def test_fitting_does_not_touch_the_table(synthesizer, small_table):
    before = small_table.copy(deep=True)
    synthesizer.fit({NAME: small_table})

    pd.testing.assert_frame_equal(small_table, before)


@pytest.mark.parametrize('names', [[0, 1, 2], [2, 0, 1]])
def test_integer_column_names_and_their_order(build_metadata, small_table, names):
    columns = {'0': 'numerical', '1': 'numerical', '2': 'categorical'}
    metadata = build_metadata({name: {'sdtype': sdtype} for name, sdtype in columns.items()})
    table = small_table.set_axis([0, 1, 2], axis=1)[names]
    synthesizer = ClustMixSynthesizer(metadata, epsilon=10.0)
    synthesizer.validate({NAME: table})
    synthesizer.fit({NAME: table})

    assert list(table.columns) == names
    sampled = synthesizer.sample(20)[NAME]
    assert list(sampled.columns) == [0, 1, 2]
    assert set(sampled[2]) <= {'Bern', 'Basel'}


def test_the_columns_come_back_in_the_order_of_the_metadata(synthesizer, small_table):
    synthesizer.fit({NAME: small_table[['city', 'age', 'income']]})

    assert list(synthesizer.sample(5)[NAME]) == ['age', 'income', 'city']


def test_preprocessing_and_fitting_by_hand(synthesizer, small_table):
    processed = synthesizer.preprocess({NAME: small_table})
    synthesizer.fit_processed_data(processed)

    assert list(processed[NAME].columns) == ['age', 'income', 'city']
    sampled = synthesizer.sample(5)[NAME]
    assert list(sampled.dtypes) == list(small_table.dtypes)


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
    synthesizer = ClustMixSynthesizer(metadata)
    synthesizer.fit({NAME: table})
    sampled = synthesizer.sample(7)[NAME]

    assert sampled.shape == (7, 2)
    assert sampled['key'].is_unique
    assert not sampled['mail'].str.contains('secret').any()
    assert synthesizer.get_privacy_statement().receipts == ()


def test_the_log_has_the_events_but_no_row_counts(synthesizer, small_table, caplog):
    caplog.set_level(logging.INFO)
    synthesizer.fit({NAME: small_table})
    events = [each.msg for each in caplog.records if each.name == SYNTHESIZER_LOGGER.name]

    assert [event['EVENT'] for event in events] == ['Fit', 'Fit processed data']
    assert all('TOTAL NUMBER OF ROWS' not in event for event in events)
    for event in events:
        for entry in CHANCE:
            event.pop(entry, None)
    assert not any(str(len(small_table)) in each.getMessage() for each in caplog.records)


def test_values_of_ids_and_personal_information_are_made_up(mixed_table, mixed_metadata):
    synthesizer = ClustMixSynthesizer(mixed_metadata, epsilon=10.0)
    synthesizer.fit({NAME: mixed_table})
    sampled = synthesizer.sample(300)[NAME].drop(columns='many')

    assert not sampled.astype(str).apply(lambda column: column.str.contains('secret')).any().any()
    assert sampled['reference'].str.fullmatch(r'R-\d{4}').all()
    assert sampled['key'].is_unique


def test_generators_and_first_transformers_can_be_changed(mixed_table, mixed_metadata):
    synthesizer = ClustMixSynthesizer(mixed_metadata, epsilon=10.0)
    synthesizer.auto_assign_transformers({NAME: mixed_table})
    synthesizer.update_transformers({'city': AnonymizedFaker('address', 'country_code')})
    synthesizer.update_transformers({'whole': FloatFormatter()})
    synthesizer.fit({NAME: mixed_table})
    following = synthesizer.get_transformers()['whole'].get_next_transformers()
    assert isinstance(following['whole'], NumberEncoder)
    assert synthesizer.sample(20)[NAME]['city'].str.fullmatch('[A-Z]{2}').all()


def test_conditions_are_met_also_for_missing_values(mixed_table, mixed_metadata):
    synthesizer = ClustMixSynthesizer(mixed_metadata, epsilon=20.0)
    synthesizer.fit({NAME: mixed_table})
    sampled = synthesizer.sample_from_conditions(
        [
            Condition({'letter': 'a', 'flag': True}, num_rows=4),
            Condition({'letter_missing': None}, num_rows=3),
            Condition({'level': 2, 'email': 'a@b.com'}, num_rows=2),
        ]
    )[NAME]

    assert (sampled['letter'][:4] == 'a').all()
    assert sampled['flag'][:4].all()
    assert sampled['letter_missing'][4:7].isna().all()
    assert list(sampled['level'][7:]) == [2, 2]
    assert list(sampled['email'][7:]) == ['a@b.com'] * 2


def test_remaining_columns_keep_what_is_known(synthesizer, small_table):
    synthesizer.fit({NAME: small_table})
    known = pd.DataFrame({'city': ['Bern', 'Basel', 'Bern']})
    sampled = synthesizer.sample_remaining_columns(known)[NAME]

    assert list(sampled['city']) == list(known['city'])
    assert sampled.notna().all().all()


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
