"""The hooks of preprocessing, and what a synthesizer tells of its parts."""

import inspect

import pytest
from rdt.transformers import (
    AnonymizedFaker,
    ClusterBasedNormalizer,
    LabelEncoder,
    LogScaler,
    PseudoAnonymizedFaker,
)
from sdv.data_processing.errors import NotFittedError
from sdv.errors import RefitWarning, SynthesizerInputError

from sdv_threea.encoding.encoders import Encoder

NAME = 'people'


@pytest.fixture
def prepared(make, few, people_metadata):
    synthesizer = make(people_metadata)
    synthesizer.auto_assign_transformers({NAME: few})
    return synthesizer


def test_the_transformers_of_one_table_can_be_asked_for_by_its_name(prepared):
    assert prepared.get_transformers(table_name=NAME) == prepared.get_transformers()


def test_transformers_of_another_table_cannot_be_asked_for(prepared):
    with pytest.raises(ValueError, match='persons'):
        prepared.get_transformers(table_name='persons')


def test_there_are_no_transformers_before_they_are_assigned(make, people_metadata):
    with pytest.raises(ValueError, match='No transformers were returned'):
        make(people_metadata).get_transformers()


def test_there_are_transformers_after_fitting(fitted, few):
    assert list(fitted.get_transformers()) == list(few.columns)


def test_keys_and_personal_information_get_generators(prepared):
    transformers = prepared.get_transformers()
    assert transformers['key'].is_generator()
    assert isinstance(transformers['email'], AnonymizedFaker)


def test_modelled_columns_get_transformers_that_read_them(prepared, people_metadata):
    transformers = prepared.get_transformers()
    for name in ('age', 'city', 'member', 'joined'):
        sdtype = people_metadata.tables[NAME].columns[name]['sdtype']
        assert sdtype in transformers[name].get_supported_sdtypes()
        assert not transformers[name].is_generator()


@pytest.mark.differs(
    theirs='learn from the table',
    ours='are told what is public or released',
    why='What is learned from the table needs to be paid for.',
)
def test_the_transformers_of_modelled_columns(fitted, private):
    transformers = fitted.get_transformers()
    for name in ('age', 'city', 'member', 'joined'):
        assert isinstance(transformers[name], Encoder) is private


def test_a_fitted_transformer_brings_cells_back(fitted, few):
    transformer = fitted.get_transformers()['city']
    there = transformer.transform(few[['city']])
    assert transformer.reverse_transform(there)['city'].tolist() == few['city'].tolist()


@pytest.mark.filterwarnings('ignore:Unable to turn off rounding scheme')
def test_a_transformer_that_acts_record_by_record_is_taken(make, few, people_metadata):
    synthesizer = make(people_metadata)
    synthesizer.auto_assign_transformers({NAME: few})
    change = {'age': LogScaler()}
    synthesizer.update_transformers(change)
    assert synthesizer.get_transformers()['age'] is change['age']
    synthesizer.fit({NAME: few})
    assert isinstance(synthesizer.get_transformers()['age'], LogScaler)
    sampled = synthesizer.sample(50)[NAME]['age']
    assert sampled.dtype == few['age'].dtype
    assert (sampled.dropna() > 0).all()


@pytest.mark.differs(
    theirs='is taken', ours='is refused', why='It would learn from the private table.'
)
def test_a_transformer_that_learns_a_distribution(prepared, private):
    change = {'age': ClusterBasedNormalizer()}
    if private:
        with pytest.raises(SynthesizerInputError, match='learns how the values'):
            prepared.update_transformers(change)
    else:
        prepared.update_transformers(change)
        assert prepared.get_transformers()['age'] is change['age']


@pytest.mark.differs(
    theirs='is taken',
    ours='is refused',
    why='It keeps the values of the private table to stand for them.',
)
def test_a_transformer_that_learns_pseudonyms(prepared, private):
    change = {'email': PseudoAnonymizedFaker()}
    if private:
        with pytest.raises(SynthesizerInputError, match=r"\['email'\] need generators"):
            prepared.update_transformers(change)
    else:
        prepared.update_transformers(change)
        assert prepared.get_transformers()['email'] is change['email']


def test_a_generator_can_be_exchanged(make, few, people_metadata):
    synthesizer = make(people_metadata)
    synthesizer.auto_assign_transformers({NAME: few})
    synthesizer.update_transformers({'email': AnonymizedFaker('address', 'country_code')})
    synthesizer.fit({NAME: few})
    assert synthesizer.sample(20)[NAME]['email'].str.fullmatch('[A-Z]{2}').all()


def test_a_generator_of_another_table_cannot_be_exchanged(prepared):
    with pytest.raises(ValueError, match='persons'):
        prepared.update_transformers({'email': AnonymizedFaker()}, table_name='persons')


def test_a_key_needs_a_generator(prepared):
    with pytest.raises(SynthesizerInputError, match="'key' is a key"):
        prepared.update_transformers({'key': LabelEncoder()})


def test_a_fitted_transformer_is_refused(prepared, fitted):
    with pytest.raises(SynthesizerInputError, match='already been fit'):
        prepared.update_transformers({'email': fitted.get_transformers()['email']})


def test_transformers_cannot_be_exchanged_before_they_are_assigned(make, people_metadata):
    with pytest.raises(NotFittedError):
        make(people_metadata).update_transformers({'email': AnonymizedFaker()})


def test_an_exchanged_transformer_asks_for_another_fit(make, small, build_metadata):
    columns = {'x': {'sdtype': 'numerical'}, 'email': {'sdtype': 'email', 'pii': True}}
    synthesizer = make(build_metadata(columns))
    synthesizer.fit({NAME: small[['x']].assign(email='a@b.com')})
    with pytest.warns(RefitWarning, match='refit'):
        synthesizer.update_transformers({'email': AnonymizedFaker()})


def test_preprocessing_keeps_rows_and_drops_keys_and_personal_information(prepared, few):
    processed = prepared.preprocess({NAME: few})
    assert list(processed) == [NAME]
    assert len(processed[NAME]) == len(few)
    assert not {'key', 'email'} & set(processed[NAME].columns)


@pytest.mark.differs(
    theirs='are numbers that SDV learned to encode them by',
    ours='are plain values',
    why='An encoding that is learned from the table needs to be paid for.',
)
def test_the_values_of_a_preprocessed_table(prepared, private, few):
    city = prepared.preprocess({NAME: few})[NAME]['city']
    assert (set(city) <= set(few['city'])) is private


def test_a_preprocessed_table_can_be_fitted(make, people, people_metadata):
    synthesizer = make(people_metadata)
    synthesizer.fit_processed_data(synthesizer.preprocess({NAME: people}))
    rows = synthesizer.sample(40)[NAME]
    assert rows.dtypes.to_dict() == people.dtypes.to_dict()
    assert rows['key'].is_unique


def test_preprocessing_does_not_fit(prepared, few):
    prepared.preprocess({NAME: few})
    assert prepared.get_info()['is_fit'] is False


@pytest.mark.filterwarnings('ignore::FutureWarning')
def test_preprocessing_after_fitting_warns(make, small, small_metadata):
    synthesizer = make(small_metadata)
    synthesizer.fit({NAME: small})
    with pytest.warns(RefitWarning, match='already been fitted'):
        synthesizer.preprocess({NAME: small})


def test_a_good_table_is_valid(make, few, people_metadata):
    assert make(people_metadata).validate({NAME: few}) is None


def test_the_metadata_describes_the_same_columns(fitted, people_metadata):
    found, given = (
        {name: column['sdtype'] for name, column in each.tables[NAME].columns.items()}
        for each in (fitted.get_metadata(), people_metadata)
    )
    assert found == given
    assert fitted.get_metadata().tables[NAME].primary_key == 'key'


def test_without_constraints_the_modified_metadata_is_the_original(fitted):
    original, modified = (fitted.get_metadata(each).to_dict() for each in ('original', 'modified'))
    assert original == modified


def test_there_is_no_third_version_of_the_metadata(fitted):
    with pytest.raises(ValueError, match="Unrecognized version 'newest'"):
        fitted.get_metadata('newest')


def test_changing_the_metadata_that_is_returned_changes_nothing(fitted):
    fitted.get_metadata().tables[NAME].columns.clear()
    assert fitted.get_metadata().tables[NAME].columns


def test_the_parameters_are_those_of_the_constructor(fitted):
    arguments = list(inspect.signature(type(fitted)).parameters)
    assert ['metadata', *fitted.get_parameters()] == arguments


def test_the_parameters_make_the_same_synthesizer_again(make, small_metadata):
    synthesizer = make(small_metadata, enforce_rounding=False, locales=['de_CH'])
    again = make.func(small_metadata, **synthesizer.get_parameters())
    assert again.get_parameters() == synthesizer.get_parameters()
    assert again.get_parameters()['locales'] == ['de_CH']


def test_personal_information_follows_the_locale(make, small, build_metadata):
    columns = {'x': {'sdtype': 'numerical'}, 'name': {'sdtype': 'name', 'pii': True}}
    synthesizer = make(build_metadata(columns), locales=['ja_JP'])
    synthesizer.fit({NAME: small[['x']].assign(name='private')})
    assert not synthesizer.sample(10)[NAME]['name'].str.contains('[a-z]').any()
