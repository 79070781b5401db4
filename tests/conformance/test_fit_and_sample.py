"""Fitting, and sampling rows."""

import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError

NAME = 'people'


def test_a_sample_is_the_table_by_its_name(fitted):
    sample = fitted.sample(num_rows=5)
    assert list(sample) == [NAME]
    assert isinstance(sample[NAME], pd.DataFrame)


@pytest.mark.parametrize('num_rows', [1, 7, 2_000])
def test_as_many_rows_come_back_as_asked_for(fitted, num_rows):
    assert len(fitted.sample(num_rows)[NAME]) == num_rows


def test_no_rows_are_an_empty_table(fitted):
    assert fitted.sample(0)[NAME].empty


def test_rows_are_counted_from_zero(people, build_metadata, make):
    columns = {'age': {'sdtype': 'numerical'}, 'city': {'sdtype': 'categorical'}}
    synthesizer = make(build_metadata(columns))
    synthesizer.fit({NAME: people[['age', 'city']].set_axis(range(500, 500 + len(people)))})
    assert list(synthesizer.sample(4)[NAME].index) == [0, 1, 2, 3]


@pytest.mark.sdv_fails('The last batch is written whole, and more rows than come back.')
def test_a_file_has_the_rows_that_come_back_in_batches(fitted, tmp_path):
    rows = fitted.sample(10, batch_size=4, output_folder_path=str(tmp_path))[NAME]
    assert list(pd.read_csv(tmp_path / f'{NAME}.csv')['key']) == list(rows['key'])


def test_resetting_gives_the_same_rows_again(fitted):
    fitted.reset_sampling()
    first = fitted.sample(30)[NAME]
    fitted.reset_sampling()
    pd.testing.assert_frame_equal(fitted.sample(30)[NAME], first)


def test_the_next_sample_has_other_rows(fitted):
    fitted.reset_sampling()
    first, second = fitted.sample(30)[NAME], fitted.sample(30)[NAME]
    assert not first['income'].equals(second['income'])


@pytest.mark.differs(
    theirs='the same rows each time',
    ours='other rows each time',
    why='The noise is drawn afresh for each fit; a seed for it would undo the privacy.',
)
def test_two_fits_of_one_table(make, private, small, small_metadata):
    rows = []
    for _ in range(2):
        synthesizer = make(small_metadata)
        synthesizer.fit({NAME: small})
        rows.append(synthesizer.sample(200)[NAME])
    assert rows[0].equals(rows[1]) is not private


@pytest.mark.differs(
    theirs='between the smallest and the largest value of the table',
    ours='between the ends of a range that is released privately',
    why='The extremes of a table are single records.',
)
def test_numbers_stay_in_a_range_that_was_learned(fitted, people, private, sampled):
    for name in ('age', 'income', 'score'):
        low, high = people[name].min(), people[name].max()
        if private:
            column = fitted._model.domain[name]
            low, high = column.low, column.high
        assert sampled[name].dropna().between(low, high).all()


def test_whole_numbers_stay_whole_and_decimals_are_rounded_as_in_the_table(sampled):
    assert sampled['age'].dtype == np.int64
    assert np.allclose(sampled['income'], sampled['income'].round(2))


def test_numbers_that_are_not_rounded_stay_so(sampled):
    score = sampled['score'].dropna()
    assert not np.allclose(score, score.round(4), atol=1e-7)


@pytest.mark.parametrize('name', ['score', 'team'])
def test_values_are_missing_as_often_as_in_the_table(people, sampled, name):
    assert abs(sampled[name].isna().mean() - people[name].isna().mean()) < 0.12


def test_nothing_is_missing_where_nothing_was(sampled):
    assert sampled.drop(columns=['score', 'team']).notna().all().all()


def test_columns_are_distributed_as_in_the_table(people, sampled):
    assert abs(sampled['age'].mean() - people['age'].mean()) < 6
    for name in ('city', 'level', 'member'):
        shares = sampled[name].value_counts(normalize=True)
        assert abs(shares - people[name].value_counts(normalize=True)).max() < 0.12


def test_columns_hang_together_as_in_the_table(sampled):
    assert sampled['age'].corr(sampled['income']) > 0.25


def test_keys_are_unique_also_over_several_samples(fitted):
    fitted.reset_sampling()
    keys = pd.concat([fitted.sample(200)[NAME]['key'] for _ in range(3)])
    assert keys.is_unique


@pytest.mark.filterwarnings('ignore::sdv.errors.RefitWarning')
def test_fitting_again_forgets_the_first_table(make, small, small_metadata):
    synthesizer = make(small_metadata)
    synthesizer.fit({NAME: small})
    synthesizer.fit({NAME: small.assign(letter=small['letter'].map({'a': 'y', 'b': 'z'}))})
    assert set(synthesizer.sample(100)[NAME]['letter']) == {'y', 'z'}


@pytest.mark.differs(
    theirs='are fitted',
    ours='are fitted if that is accepted',
    why='A release that shows nothing of a table is mostly a mistake of its metadata.',
)
def test_keys_and_personal_information_alone_are_enough(make, private, build_metadata):
    columns = {'key': {'sdtype': 'id'}, 'email': {'sdtype': 'email', 'pii': True}}
    metadata = build_metadata(columns, 'key')
    synthesizer = make(metadata, accept='made_up') if private else make(metadata)
    table = pd.DataFrame({'key': range(20), 'email': [f'private{at}@x.org' for at in range(20)]})
    if private:
        with pytest.raises(SynthesizerInputError, match=r"accept=\['made_up'"):
            make(metadata).fit({NAME: table})
    synthesizer.fit({NAME: table})
    rows = synthesizer.sample(30)[NAME]
    assert rows['key'].is_unique
    assert not rows['email'].str.contains('private').any()
    assert not private or synthesizer.get_privacy_statement().receipts == ()


def test_a_constant_column_stays_constant(make, small, build_metadata):
    columns = {'x': {'sdtype': 'numerical'}, 'five': {'sdtype': 'numerical'}}
    synthesizer = make(build_metadata(columns))
    synthesizer.fit({NAME: small[['x']].assign(five=5)})
    assert (synthesizer.sample(50)[NAME]['five'] == 5).all()


def test_the_name_of_the_table_may_be_given(fitted):
    assert len(fitted.sample(3, main_table_name=NAME)[NAME]) == 3


def test_ids_follow_their_pattern(make, small, build_metadata):
    columns = {'id': {'sdtype': 'id', 'regex_format': 'K-[0-9]{4}'}, 'x': {'sdtype': 'numerical'}}
    ids = [f'K-{at:04d}' for at in range(len(small))]
    synthesizer = make(build_metadata(columns, 'id'))
    synthesizer.fit({NAME: small[['x']].assign(id=ids)[['id', 'x']]})
    assert synthesizer.sample(50)[NAME]['id'].str.fullmatch(r'K-\d{4}').all()


@pytest.mark.differs(
    theirs='re-emits the values of the table',
    ours='makes them up',
    why='Ids that are no key are learned as categories by SDV, and would be published.',
)
def test_ids_that_are_no_key_and_have_no_pattern(make, private, small, build_metadata):
    columns = {'x': {'sdtype': 'numerical'}, 'card': {'sdtype': 'id'}}
    cards = [f'private-{at % 9}' for at in range(len(small))]
    synthesizer = make(build_metadata(columns))
    synthesizer.fit({NAME: small[['x']].assign(card=cards)})
    leaked = synthesizer.sample(50)[NAME]['card'].isin(set(cards))
    assert not leaked.any() if private else leaked.all()


def test_personal_information_that_is_marked_as_harmless(make, small, build_metadata):
    columns = {'x': {'sdtype': 'numerical'}, 'friend': {'sdtype': 'name', 'pii': False}}
    friends = [f'private-{at % 3}' for at in range(len(small))]
    synthesizer = make(build_metadata(columns))
    synthesizer.fit({NAME: small[['x']].assign(friend=friends)})
    assert synthesizer.sample(50)[NAME]['friend'].isin(set(friends)).all()


@pytest.mark.differs(
    theirs='are an empty table, or an error', ours='are refused', why='A mistake is better said.'
)
@pytest.mark.parametrize('num_rows', [-5, 2.5, 'ten'])
def test_numbers_of_rows_that_are_none(fitted, private, num_rows):
    if private:
        with pytest.raises(ValueError, match='num_rows must be a whole number'):
            fitted.sample(num_rows)
    elif num_rows == -5:
        assert fitted.sample(num_rows)[NAME].empty
    else:
        with pytest.raises(TypeError):
            fitted.sample(num_rows)
