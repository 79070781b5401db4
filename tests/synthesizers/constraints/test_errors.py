"""Constraints that are refused, and errors that show no value of a row."""

import pytest
from sdv.cag import (
    FixedCombinations,
    Inequality,
    OneHotEncoding,
    ProgrammableConstraint,
    SingleTableProgrammableConstraint,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixSynthesizer


class Secretive(SingleTableProgrammableConstraint):
    """Code whose errors show what it has seen."""

    def __init__(self, method):
        self.method = method

    def get_updated_metadata(self, metadata):
        return metadata

    def complain(self, method, data):
        if method == self.method:
            raise ValueError(f'secret {data["low"].max()}')

    def validate_input_data(self, data):
        self.seen = data['low'].max()
        self.complain('validate_input_data', data)

    def is_valid(self, data):
        self.complain('is_valid', data)
        return data['low'] < (50 if self.method == 'rows' else 1_000)


@pytest.mark.parametrize(
    ('method', 'expected'),
    [
        ('validate_input_data', "Rows of the table break the constraint 'Secretive'"),
        ('rows', "Rows of the table break the constraint 'Secretive'"),
        ('is_valid', "The constraint 'Secretive' fails on the table"),
    ],
)
def test_errors_of_constraints_show_nothing(fit, table, method, expected):
    data = table[['low', 'answer']].assign(low=777)
    with pytest.raises(ConstraintNotMetError, match=expected) as caught:
        fit([Secretive(method)], data)

    assert '777' not in str(caught.value)
    assert caught.value.__context__ is None


def test_nothing_that_a_constraint_has_seen_is_kept(fit, table):
    synthesizer = fit([Secretive('nothing')], table[['low', 'answer']])

    assert not hasattr(synthesizer.get_constraints()[0], 'seen')


def test_constraints_that_cannot_be_met_are_refused_and_none_is_added(metadata, below_largest):
    class Forgetful(below_largest):
        def __init__(self, number):
            self.hidden = number

    class ManyTables(ProgrammableConstraint):
        pass

    synthesizer = ClustMixSynthesizer(metadata)
    for broken, error, expected in [
        (OneHotEncoding(['email', 'no']), SynthesizerInputError, r"\['email'\].*made up"),
        (Forgetful('low'), SynthesizerInputError, "'Forgetful' has a 'fit'"),
        (ManyTables(), SynthesizerInputError, 'not compatible with the single table'),
        (Inequality('low', 'nowhere'), ConstraintNotMetError, 'nowhere'),
        (FixedCombinations(['low', 'city']), ConstraintNotMetError, "'low'.*incompatible sdtype"),
    ]:
        with pytest.raises(error, match=expected):
            synthesizer.add_constraints([Inequality('low', 'high'), broken])
        assert synthesizer.get_constraints() == []
    with pytest.raises(ValueError, match='must be a list'):
        synthesizer.add_constraints(Inequality('low', 'high'))
