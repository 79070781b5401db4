"""Constraints of one's own: their code is met, and learns from synthetic rows alone."""

import pandas as pd
import pytest
from sdv.cag import Inequality, SingleTableProgrammableConstraint
from sdv.errors import RefitWarning

NAME = 'people'


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


def test_drawing_rows_to_learn_from_leaves_no_trace(fit, table, below_largest):
    with_email = table[['low', 'email']]
    synthesizer = fit([below_largest('low')], with_email)
    sampled = synthesizer.sample(5)[NAME]
    synthesizer.reset_sampling()

    pd.testing.assert_frame_equal(synthesizer.sample(5)[NAME], sampled)


def test_a_constraint_that_cannot_learn_from_synthetic_rows_says_so(fit, table, below_largest):
    class Careful(below_largest):
        def fit(self, data, metadata):
            raise ValueError('no')

        def is_valid(self, data):
            return data['low'] > 0

    with pytest.warns(UserWarning, match=r"'Careful' cannot be fitted on synthetic rows"):
        synthesizer = fit([Careful('low')], table[['low', 'answer']])
    assert len(synthesizer.sample(5)[NAME]) == 5
