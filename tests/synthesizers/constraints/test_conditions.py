"""Conditions on columns that constraints have replaced by others."""

import pandas as pd
import pytest
from sdv.cag import FixedCombinations, Inequality
from sdv.sampling import Condition

NAME = 'people'


#: Conditions, and what another column holds then.
MET = [
    ({'country': 'FR'}, 'city', {'Lyon', 'Paris'}),
    ({'country': None}, 'city', {'Rome'}),
    ({'city': 'Bern', 'answer': 'old'}, 'country', {'CH'}),
    ({'yes': 1}, 'maybe', {False}),
    ({'yes': 0, 'no': 0}, 'maybe', {True}),
    ({'maybe': True}, 'no', {0}),
]


def test_conditions_on_what_constraints_replaced_are_drawn(fit, count_draws, everything):
    synthesizer = fit(everything, epsilon=100.0, target='answer')
    for condition, other, expected in MET:
        count_draws.clear()
        sampled = synthesizer.sample_from_conditions([Condition(condition, num_rows=300)])[NAME]

        assert count_draws == [300]
        assert set(sampled[other]) == expected
        for name, value in condition.items():
            assert (sampled[name].isna() if value is None else sampled[name] == value).all()


def test_conditions_on_ordered_numbers_are_met(fit, table):
    close = table['unsorted'] + 50
    data = table[['low', 'high', 'answer']]
    data = data.assign(known=close, later=close + table['unsorted'].abs() / 10)
    synthesizer = fit([Inequality('low', 'high'), Inequality('known', 'later')], data)
    for name, value in [('low', 45), ('high', 45), ('known', 50.3), ('later', 50.3)]:
        condition = Condition({name: value}, num_rows=20)
        sampled = synthesizer.sample_from_conditions([condition])[NAME]
        assert len(sampled) == 20
        assert sampled[name].eq(value).all()
        synthesizer.validate_constraints(sampled)


def test_conditions_that_no_released_combination_meets_are_refused(fit, table):
    synthesizer = fit([FixedCombinations(['city', 'country'])], table[['city', 'country', 'low']])
    with pytest.raises(
        ValueError, match=r"\['city#country'\] that were released, but never together"
    ):
        synthesizer.sample_from_conditions([Condition({'city': 'Bern', 'country': 'FR'}, 1)])

    known = pd.DataFrame({'city': ['Bern', 'Lyon'], 'country': ['FR', 'FR']})
    with pytest.warns(UserWarning, match='Only some of the conditions can be met'):
        sampled = synthesizer.sample_remaining_columns(known)[NAME]
    assert sampled[['city', 'country']].to_numpy().tolist() == [['Lyon', 'FR']]
