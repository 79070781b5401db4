"""Rows that obey constraints."""

import numpy as np
import pandas as pd
import pytest
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SynthesizerInputError
from sdv.utils import load_constraints

NAME = 'people'

DATE = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}

COLUMNS = {
    'start': DATE, 'end': DATE, 'low': {'sdtype': 'numerical'}, 'middle': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'}, 'salary': {'sdtype': 'numerical'},
    'country': {'sdtype': 'categorical'}, 'town': {'sdtype': 'categorical'},
    'yes': {'sdtype': 'categorical'}, 'no': {'sdtype': 'categorical'},
}  # fmt: skip

TOWNS = {'CH': ['Bern', 'Chur'], 'AT': ['Graz', 'Wien']}


class EvenSalary(SingleTableProgrammableConstraint):
    """A constraint of a user's own: salaries are even. The model sees their halves."""

    def get_updated_metadata(self, metadata):
        return metadata

    def fit(self, data, metadata):
        self.divisor = 2

    def transform(self, data):
        return data.assign(salary=data['salary'] // self.divisor)

    def reverse_transform(self, transformed_data):
        return transformed_data.assign(salary=transformed_data['salary'] * self.divisor)

    def is_valid(self, synthetic_data):
        return synthetic_data['salary'] % 2 == 0


CONSTRAINTS = {
    'FixedCombinations': lambda: FixedCombinations(['country', 'town']),
    'FixedIncrements': lambda: FixedIncrements('salary', 500),
    'Inequality': lambda: Inequality('low', 'high', strict_boundaries=True),
    'Inequality of dates': lambda: Inequality('start', 'end'),
    'Range': lambda: Range('low', 'middle', 'high'),
    'OneHotEncoding': lambda: OneHotEncoding(['yes', 'no']),
    'SingleTableProgrammableConstraint': lambda: EvenSalary(),
}

CHAIN = ('FixedCombinations', 'FixedIncrements', 'Inequality of dates', 'OneHotEncoding')

BREAKS = {
    'FixedIncrements': {'salary': 777},
    'Inequality': {'low': 777},
    'Inequality of dates': {'start': '2077-01-01'},
    'Range': {'middle': -777},
    'OneHotEncoding': {'yes': 1, 'no': 1},
}


def make_dated(num_rows=500):
    rng = np.random.default_rng(3)
    start = pd.to_datetime('2020-01-01') + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    end = start + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    low, country = rng.integers(0, 50, num_rows), rng.choice(['CH', 'AT'], num_rows)
    return pd.DataFrame(
        {
            'start': start.strftime('%Y-%m-%d'),
            'end': end.strftime('%Y-%m-%d'),
            'low': low,
            'middle': low + rng.integers(5, 30, num_rows),
            'high': low + rng.integers(40, 80, num_rows),
            'salary': 500 * rng.integers(4, 20, num_rows),
            'country': country,
            'town': [TOWNS[each][at] for each, at in zip(country, low % 2, strict=True)],
            'yes': (low < 20).astype(int),
            'no': (low >= 20).astype(int),
        }
    )


@pytest.fixture(scope='module')
def dated():
    return make_dated()


@pytest.fixture(scope='module')
def constrain(make, build_metadata, dated):
    """Fit with constraints, once for each list of them."""
    fits = {}

    def fit(*names):
        if names not in fits:
            synthesizer = make(build_metadata(COLUMNS))
            synthesizer.add_constraints([CONSTRAINTS[name]() for name in names])
            synthesizer.fit({NAME: dated})
            fits[names] = synthesizer
        return fits[names]

    return fit


@pytest.mark.parametrize('name', ['Range', 'SingleTableProgrammableConstraint'])
def test_every_row_obeys_the_constraint(constrain, dated, name):
    rows = constrain(name).sample(150)[NAME]
    assert list(rows.columns) == list(dated.columns)
    assert len(rows) == 150
    constrain(name).validate_constraints(rows)


def test_the_dtypes_come_back_under_a_constraint(constrain, dated):
    rows = constrain('Range').sample(20)[NAME]
    assert rows.dtypes.to_dict() == dated.dtypes.to_dict()


def test_several_constraints_hold_together(constrain):
    rows = constrain(*CHAIN).sample(150)[NAME]
    assert len(rows) == 150
    for name in CHAIN:
        constrain(name).validate_constraints(rows)


@pytest.mark.parametrize('name', BREAKS)
def test_a_table_that_breaks_a_constraint_is_refused(make, build_metadata, dated, name):
    synthesizer = make(build_metadata(COLUMNS))
    synthesizer.add_constraints([CONSTRAINTS[name]()])
    with pytest.raises(ConstraintNotMetError):
        synthesizer.fit({NAME: dated.assign(**BREAKS[name])})


@pytest.mark.differs(
    theirs='shows values or row numbers of the table',
    ours='names the constraint',
    why='Messages end up in logs.',
)
def test_what_the_error_about_a_broken_constraint_shows(make, private, build_metadata, dated):
    synthesizer = make(build_metadata(COLUMNS))
    synthesizer.add_constraints([Inequality('low', 'high')])
    broken = dated.assign(low=dated['low'].mask(dated.index == 77, 777))
    with pytest.raises(ConstraintNotMetError) as caught:
        synthesizer.validate({NAME: broken})
    assert ('77' in str(caught.value)) is not private
    assert not private or 'Inequality' in str(caught.value)


def test_invalid_rows_are_noticed(constrain, dated):
    with pytest.raises(ConstraintNotMetError):
        constrain('Range').validate_constraints(dated.assign(middle=-1))


def test_the_constraints_can_be_read_back(constrain):
    found = constrain(*CHAIN).get_constraints()
    assert {type(each).__name__ for each in found} == {
        'FixedCombinations', 'FixedIncrements', 'Inequality', 'OneHotEncoding',
    }  # fmt: skip


def test_constraints_are_written_to_a_file_and_used_again(
    constrain, make, build_metadata, tmp_path
):
    path = tmp_path / 'constraints.json'
    constrain(*CHAIN).get_constraints(str(path))
    again = make(build_metadata(COLUMNS))
    again.add_constraints(load_constraints(str(path)))
    assert len(again.get_constraints()) == len(CHAIN)


def test_a_file_of_constraints_is_not_overwritten(constrain, tmp_path):
    path = tmp_path / 'constraints.json'
    path.write_text('mine')
    with pytest.raises(ValueError, match='already exists'):
        constrain('Range').get_constraints(str(path))
    assert path.read_text() == 'mine'


def test_without_constraints_there_are_none(make, build_metadata):
    assert make(build_metadata(COLUMNS)).get_constraints() == []


def test_a_constraint_on_an_unknown_column_is_refused(make, build_metadata):
    with pytest.raises(ConstraintNotMetError, match='salaries'):
        make(build_metadata(COLUMNS)).add_constraints([FixedIncrements('salaries', 500)])


def test_what_is_no_constraint_is_refused(make, build_metadata):
    with pytest.raises((SynthesizerInputError, ValueError), match=r'[Cc]onstraint'):
        make(build_metadata(COLUMNS)).add_constraints('Inequality')


def test_a_constraint_after_fitting_needs_another_fit(make, small, build_metadata):
    synthesizer = make(build_metadata({name: COLUMNS['low'] for name in ('low', 'high')}))
    table = pd.DataFrame({'low': small['x'], 'high': small['x'] + 3})
    synthesizer.fit({NAME: table})
    with pytest.warns(UserWarning, match='fit'):
        synthesizer.add_constraints([Inequality('low', 'high')])
