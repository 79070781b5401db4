"""Constraints bring nothing private with them, and take nothing private away."""

import cloudpickle
import pandas as pd
import pytest
from sdv.cag import (
    FixedCombinations,
    Inequality,
    OneHotEncoding,
    ProgrammableConstraint,
    SingleTableProgrammableConstraint,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import RefitWarning, SynthesizerInputError

from sdv_threea import ClustMixSynthesizer
from sdv_threea.synthesizers import single_table

NAME = 'people'


def spot(data, **secret):
    """Give one record a combination of its own, of values that others have too, or have not."""
    data = data.copy()
    for name, value in secret.items():
        data.loc[data.index[0], name] = value
    return data


def test_a_rare_combination_does_not_leave(fit, table):
    data = spot(table[['city', 'country', 'low']], city='secret-city', country='secret-country')
    data = spot(data.iloc[::-1], city='Bern', country='FR')
    constraint = FixedCombinations(['city', 'country'])
    synthesizer = fit([constraint], data, epsilon=5.0)
    sampled = synthesizer.sample(3_000)[NAME]

    assert b'secret' not in cloudpickle.dumps(synthesizer)
    assert ('Bern', 'FR') not in set(zip(sampled['city'], sampled['country'], strict=True))
    assert ('Bern', 'FR') not in synthesizer._model.domain['city#country'].values  # noqa: PD011
    assert b'Basel' in cloudpickle.dumps(synthesizer)
    assert constraint._combinations is None


def test_what_a_constraint_learned_elsewhere_is_left_behind(metadata, table):
    constraints = [FixedCombinations(['city', 'country']), Inequality('low', 'high')]
    for constraint in constraints:
        constraint.fit(spot(table, city='secret-city', high=98_765), metadata)
    synthesizer = ClustMixSynthesizer(metadata)
    synthesizer.add_constraints(constraints)
    kept = cloudpickle.dumps(synthesizer)

    assert b'secret-city' not in kept
    assert b'secret-city' in cloudpickle.dumps(constraints)
    assert synthesizer.get_constraints()[1]._formatters[NAME]['high']._max_value != 98_765
    constraints[0].fit(spot(table, city='another-secret'), metadata)
    assert b'another-secret' not in cloudpickle.dumps(synthesizer)


@pytest.fixture
def other_table(make):
    """Wholly other rows: ranges, combinations, differences and missing values."""
    other = make(2_000, seed=1)
    for name in ('low', 'middle', 'high'):
        other[name] = 3 * other[name] - 1_000
    other['city'] = other['city'].str.upper().mask(other.index % 7 == 0)
    other['country'] = other['country'].str.lower()
    other['known'], other['later'] = other['known'].fillna(-5.0), other['later'] + 9_000.0
    other['start'] = '24.12.1990'
    other['salary'] = other['salary'] - 500_000
    return other


def test_a_fitted_synthesizer_is_a_function_of_the_release(
    fit, table, compare, other_table, everything, even_low, below_largest
):
    constraints = [*everything, even_low(), below_largest('unsorted')]
    tables = [each[each['low'] % 2 == 0] for each in (table, other_table)]
    model = fit(constraints, tables[0])._model

    def fit_constant(data):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(single_table, 'release', lambda *_: model)
            return fit(constraints, data)

    one, other = map(fit_constant, tables)
    assert compare(one.__getstate__(), other.__getstate__()) == []
    loaded = [cloudpickle.loads(cloudpickle.dumps(each)) for each in (one, other)]
    assert compare(*loaded) == []
    pd.testing.assert_frame_equal(one.sample(90)[NAME], other.sample(90)[NAME])
    assert compare(one.__getstate__(), other.__getstate__()) == []


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


class TenTimes(SingleTableProgrammableConstraint):
    """A rule that chance never meets: it takes the round trip."""

    def __init__(self, number, result):
        self.number = number
        self.result = result

    def get_updated_metadata(self, metadata):
        return metadata

    def is_valid(self, data):
        return data[self.result] == 10 * data[self.number]

    def transform(self, data):
        return data.drop(columns=self.result)

    def reverse_transform(self, data):
        return data.assign(**{self.result: 10 * data[self.number]})


def test_a_constraint_of_ones_own_and_others(fit, table, even_low):
    even = table[table['low'] % 2 == 0][['low', 'high', 'answer']]
    synthesizer = fit([even_low(), Inequality('low', 'high')], even)
    sampled = synthesizer.sample(60)[NAME]

    assert (sampled['low'] % 2 == 0).all()
    assert (sampled['low'] <= sampled['high']).all()
    assert [type(each) for each in synthesizer.get_constraints()] == [even_low, Inequality]


def test_rows_that_break_a_constraint_of_ones_own_take_its_round_trip(fit, table, count_rejected):
    data = table[['low', 'middle']].assign(salary=10 * table['low'])
    synthesizer = fit([TenTimes('low', 'salary'), Inequality('low', 'middle')], data)
    sampled = synthesizer.sample(200)[NAME]

    assert (sampled['salary'] == 10 * sampled['low']).all()
    assert (sampled['low'] <= sampled['middle']).all()
    assert sampled['salary'].dtype == table['salary'].dtype
    assert count_rejected(synthesizer) == 0


def test_a_constraint_learns_from_synthetic_rows(fit, table, below_largest):
    constraint = below_largest('low')
    constraint.fit(pd.DataFrame({'low': [7_777]}), None)
    synthesizer = fit([constraint], table[['low', 'answer']], epsilon=5.0)
    (learned,) = synthesizer.get_constraints()

    assert constraint.largest == 7_777
    assert 18 < learned.largest < 100
    assert (synthesizer.sample(200)[NAME]['low'] < learned.largest).all()
    with pytest.warns(RefitWarning):
        synthesizer.fit({NAME: table[['low', 'answer']]})
    assert len(synthesizer.sample(20)[NAME]) == 20


def test_a_constraint_that_cannot_learn_from_synthetic_rows_says_so(fit, table, below_largest):
    class Careful(below_largest):
        def fit(self, data, metadata):
            raise ValueError('no')

        def is_valid(self, data):
            return data['low'] > 0

    with pytest.warns(UserWarning, match=r"'Careful' cannot be fitted on synthetic rows"):
        synthesizer = fit([Careful('low')], table[['low', 'answer']])
    assert len(synthesizer.sample(5)[NAME]) == 5
