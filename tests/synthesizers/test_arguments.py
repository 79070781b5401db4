"""Wrong arguments: one error, which names the argument."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from relationships import relate
from sdv.cag import Inequality, ProgrammableConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

NAME = 'people'


@pytest.fixture(scope='module')
def fitted(build_metadata):
    columns = {'age': {'sdtype': 'numerical'}, 'city': {'sdtype': 'categorical'}}
    table = pd.DataFrame({'age': range(60), 'city': ['Bern', 'Basel'] * 30})
    synthesizer = ClustMixSynthesizer(build_metadata(columns), epsilon=100.0)
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


LINK = relate('child', 'key', 'parent', 'key')


def make_database(columns=(), **arguments):
    key = {'sdtype': 'id'}
    tables = {
        'parent': {'columns': {'key': key, **dict(columns)}, 'primary_key': 'key'},
        'child': {'columns': {'key': key}},
    }
    metadata = Metadata.load_from_dict({'tables': tables, 'relationships': [LINK]})
    return ClustMixMultiTableSynthesizer(metadata, **arguments)


def test_a_column_name_that_no_file_can_hold_is_refused_at_birth(build_metadata):
    columns = {'x\ud800': {'sdtype': 'numerical'}, 'y': {'sdtype': 'numerical'}}
    with pytest.raises(SynthesizerInputError, match=r"names 'x\\ud800' hold halves") as caught:
        ClustMixSynthesizer(build_metadata(columns))
    str(caught.value).encode()
    with pytest.raises(SynthesizerInputError, match='hold halves of characters'):
        make_database(columns)


def test_fractions_are_numbers(small_table, small_metadata):
    terms = {'epsilon': Fraction(9, 2), 'delta': Fraction(1, 1000)}
    synthesizer = ClustMixSynthesizer(small_metadata, **terms)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        synthesizer.fit({NAME: small_table})

    assert '(4.5, 0.001)-differential privacy' in str(synthesizer.get_privacy_statement())
