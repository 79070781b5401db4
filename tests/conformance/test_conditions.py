"""Rows that meet conditions, and rows that complete what is known."""

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition, DataFrameCondition

NAME = 'people'


def sample_one(synthesizer, values, num_rows=20, **options):
    return synthesizer.sample_from_conditions([Condition(values, num_rows)], **options)[NAME]


@pytest.mark.parametrize(
    ('name', 'value'),
    [
        ('city', 'Chur'), ('level', 4), ('member', True), ('age', 44), ('income', 31.25),
        ('score', 0.5), ('score', -0.25), ('born', '11.02.1971'),
    ],
)  # fmt: skip
def test_a_value_is_met_by_every_row(fitted, name, value):
    assert list(sample_one(fitted, {name: value}, 5)[name]) == [value] * 5


@pytest.mark.sdv_fails('Dates by the second are taken for nanoseconds (pandas reads it so).')
def test_a_date_given_as_a_timestamp_is_met_by_every_row(fitted):
    day = pd.Timestamp('2020-11-05')
    rows = sample_one(fitted, {'joined': day}, 3, max_tries_per_batch=20)
    assert (rows['joined'] == day).all()


@pytest.mark.parametrize(('name', 'missing'), [('team', None), ('score', np.nan)])
def test_a_missing_value_is_met_by_every_row(fitted, name, missing):
    assert sample_one(fitted, {name: missing}, 5)[name].isna().all()


def test_conditions_may_be_about_different_columns(fitted):
    conditions = [Condition({'city': 'Bern'}, 3), Condition({'team': 'red'}, 2)]
    rows = fitted.sample_from_conditions(conditions)[NAME]
    assert list(rows['city'][:3]) == ['Bern'] * 3
    assert list(rows['team'][3:]) == ['red'] * 2


def test_a_table_of_conditions_is_met_row_by_row(fitted):
    wanted = pd.DataFrame({'city': ['Chur', 'Basel', 'Chur'], 'team': ['red', 'blue', 'blue']})
    rows = fitted.sample_from_conditions([DataFrameCondition(wanted)])[NAME]
    pd.testing.assert_frame_equal(rows[['city', 'team']], wanted)


def test_personal_information_is_written_as_asked_for(fitted):
    rows = sample_one(fitted, {'email': 'me@x.org'}, 4)
    assert list(rows['email']) == ['me@x.org'] * 4


def test_keys_stay_unique_under_conditions(fitted):
    assert sample_one(fitted, {'city': 'Bern'}, 50)['key'].is_unique


def test_conditions_are_met_in_batches_too(fitted):
    rows = sample_one(fitted, {'city': 'Chur'}, 11, batch_size=4)
    assert list(rows['city']) == ['Chur'] * 11


def test_what_hangs_together_does_so_under_a_condition(fitted):
    young, old = (sample_one(fitted, {'age': age}, 150)['income'].mean() for age in (28, 68))
    assert young < old


def test_a_condition_changes_nothing_for_the_next_sample(fitted):
    sample_one(fitted, {'city': 'Chur'})
    assert set(fitted.sample(200)[NAME]['city']) == {'Bern', 'Basel', 'Chur'}


def test_resetting_gives_the_same_conditioned_rows_again(fitted):
    def draw():
        fitted.reset_sampling()
        return sample_one(fitted, {'level': 2}, 10)['income']

    pd.testing.assert_series_equal(draw(), draw())


def test_a_condition_on_the_key_is_refused(fitted):
    with pytest.raises(ValueError, match='primary key'):
        sample_one(fitted, {'key': 5})


def test_a_condition_on_an_unknown_column_is_refused(fitted):
    with pytest.raises(ValueError, match="Unexpected column name 'cities'"):
        sample_one(fitted, {'cities': 'Bern'})


@pytest.mark.filterwarnings('ignore:The data in column .city. contains new categories')
def test_a_condition_that_no_row_can_meet_is_refused(fitted):
    with pytest.raises(ValueError, match='Unable to sample any rows'):
        sample_one(fitted, {'city': 'Paris'}, max_tries_per_batch=2)


def test_known_columns_are_completed_row_by_row(fitted):
    known = pd.DataFrame({'city': ['Chur', 'Bern', 'Chur', 'Basel'], 'member': [False] * 4})
    known.loc[1, 'member'] = True
    rows = fitted.sample_remaining_columns(known)[NAME]
    pd.testing.assert_frame_equal(rows[['city', 'member']], known, check_names=False)
    assert rows['income'].notna().all()


def test_known_columns_with_missing_values_are_completed(fitted):
    known = pd.DataFrame({'team': ['red', None, 'blue', None]})
    rows = fitted.sample_remaining_columns(known)[NAME]
    assert list(rows['team'].isna()) == [False, True, False, True]


def test_the_known_table_is_left_as_it_was(fitted):
    known = pd.DataFrame({'city': ['Chur', 'Bern']}, index=[7, 3])
    fitted.sample_remaining_columns(known)
    pd.testing.assert_frame_equal(known, pd.DataFrame({'city': ['Chur', 'Bern']}, index=[7, 3]))
