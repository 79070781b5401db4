"""What is refused, and how."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sdv.errors import InvalidDataError, InvalidDataTypeError, SamplingError, SynthesizerInputError
from sdv.metadata import Metadata
from sdv.metadata.errors import InvalidMetadataError

NAME = 'people'

#: What may be wrong with a table: how it is broken, and what the error is about.
BROKEN = {
    'a missing column': (lambda table: table.drop(columns='age'), 'age'),
    'an unknown column': (lambda table: table.assign(wage=1), 'wage'),
    'texts among numbers': (lambda table: table.assign(age='777'), 'age'),
    'numbers that are no booleans': (lambda table: table.assign(member=777), 'member'),
    'texts that are no dates': (lambda table: table.assign(born='yesterday'), 'born'),
    'keys that repeat': (lambda table: table.assign(key=777), 'key'),
    'missing keys': (lambda table: table.assign(key=np.nan), 'key'),
}


@pytest.fixture
def unfitted(make, people_metadata):
    return make(people_metadata)


@pytest.mark.parametrize('method', ['fit', 'validate', 'preprocess', 'auto_assign_transformers'])
def test_a_bare_table_is_refused(unfitted, few, method):
    with pytest.raises(InvalidDataTypeError, match='exactly one table name'):
        getattr(unfitted, method)(few)


def test_two_tables_are_refused(unfitted, few):
    with pytest.raises(InvalidDataTypeError, match='exactly one table name'):
        unfitted.fit({NAME: few, 'others': few})


def test_a_table_of_another_name_is_refused(unfitted, few):
    with pytest.raises(InvalidDataError, match='people'):
        unfitted.fit({'persons': few})


@pytest.mark.parametrize('broken', BROKEN)
def test_a_table_that_does_not_match_the_metadata_is_refused(unfitted, few, broken):
    change, expected = BROKEN[broken]
    with pytest.raises(InvalidDataError, match=expected):
        unfitted.fit({NAME: change(few)})
    assert unfitted.get_info()['is_fit'] is False


@pytest.mark.differs(
    theirs='shows the values', ours='names the column and the rule', why='Messages end up in logs.'
)
@pytest.mark.parametrize('broken', ['texts among numbers', 'keys that repeat'])
def test_what_an_error_about_a_table_shows(unfitted, private, few, broken):
    change, _ = BROKEN[broken]
    with pytest.raises(InvalidDataError) as caught:
        unfitted.fit({NAME: change(few)})
    assert ('777' in str(caught.value)) is not private


@pytest.mark.differs(
    theirs='are refused',
    ours='are refused only if the values in the metadata are declared public',
    why='They are dropped otherwise, as they may come from the table.',
)
@pytest.mark.parametrize('public', [False, True])
def test_values_outside_those_of_the_metadata(make, private, few, people_metadata, public):
    synthesizer = make(people_metadata, **({'public_metadata': public} if private else {}))
    wrong = {NAME: few.assign(level=5)}
    if private and not public:
        synthesizer.validate(wrong)
    else:
        with pytest.raises(InvalidDataError, match='level'):
            synthesizer.validate(wrong)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.differs(
    theirs='are fitted, to samples without meaning',
    ours='are refused',
    why='A range that has no end cannot be released.',
)
def test_infinite_numbers(make, private, small, small_metadata):
    table = {NAME: small.assign(x=small['x'].astype(float).where(small['x'] > 3, np.inf))}
    if private:
        with pytest.raises(InvalidDataError, match="'x'.*infinite"):
            make(small_metadata).fit(table)
    else:
        make(small_metadata).fit(table)


def test_nothing_is_sampled_before_fitting(unfitted):
    with pytest.raises(SamplingError, match='has not been fitted'):
        unfitted.sample(1)


def test_the_number_of_rows_has_to_be_given(fitted):
    with pytest.raises(ValueError, match='number of rows'):
        fitted.sample(None)


def test_another_table_cannot_be_sampled(fitted):
    with pytest.raises(ValueError, match='persons'):
        fitted.sample(3, main_table_name='persons')


def test_a_file_of_rows_is_not_overwritten(fitted, tmp_path):
    (tmp_path / f'{NAME}.csv').write_text('mine')
    with pytest.raises(Exception, match='already exist'):
        fitted.sample(3, output_folder_path=str(tmp_path))
    assert (tmp_path / f'{NAME}.csv').read_text() == 'mine'


@pytest.mark.parametrize('flag', ['enforce_min_max_values', 'enforce_rounding'])
def test_flags_have_to_be_booleans(make, small_metadata, flag):
    with pytest.raises(SynthesizerInputError, match=flag):
        make(small_metadata, **{flag: 'yes'})


def test_an_unknown_argument_is_refused(make, small_metadata):
    with pytest.raises(TypeError, match='epsilom'):
        make(small_metadata, epsilom=1.0)


@pytest.mark.filterwarnings('ignore:This metadata does not contain only a single table')
def test_metadata_of_two_tables_is_refused(make):
    columns = {'columns': {'x': {'sdtype': 'numerical'}}}
    with pytest.raises(InvalidMetadataError, match='more than one table'):
        make(Metadata.load_from_dict({'tables': {'one': columns, 'two': columns}}))


def test_a_key_of_two_columns_is_refused(make):
    table = {'columns': {'a': {'sdtype': 'id'}, 'b': {'sdtype': 'id'}}, 'primary_key': ['a', 'b']}
    with pytest.raises(SynthesizerInputError, match='[Cc]omposite'):
        make(Metadata.load_from_dict({'tables': {NAME: table}}))


def test_invalid_metadata_is_refused(make, build_metadata):
    described = build_metadata({'x': {'sdtype': 'numerical', 'datetime_format': '%Y'}})
    with pytest.raises(Exception, match='datetime_format'):
        make(described)


def test_a_failed_fit_leaves_nothing_fitted(make, small, small_metadata):
    synthesizer = make(small_metadata)
    synthesizer.fit({NAME: small})
    with pytest.raises(InvalidDataError), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({NAME: pd.DataFrame({'x': ['777'], 'letter': ['a']})})
    with pytest.raises(SamplingError, match='has not been fitted'):
        synthesizer.sample(1)
