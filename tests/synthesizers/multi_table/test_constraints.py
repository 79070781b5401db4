"""Constraints on the tables of a database."""

import copy

import numpy as np
import pytest
from sdv.cag import FixedCombinations, Inequality, ProgrammableConstraint
from sdv.errors import SynthesizerInputError

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')

CONSTRAINTS = [
    Inequality(table_name='a', low_column_name='amount', high_column_name='most'),
    FixedCombinations(table_name='b', column_names=['kind', 'code']),
    Inequality(table_name='c', low_column_name='amount', high_column_name='most'),
]


@pytest.fixture
def real(make_tables):
    """A database full of rules."""
    real = make_tables('chain')
    for rows in real.values():
        rows['most'] = rows['amount'] + np.arange(len(rows)) % 9
        rows['code'] = rows['kind'].map({'u': 1, 'v': 2})
    return real


@pytest.fixture
def constrained(make, real):
    return make('chain', real, epsilon=100.0)


def test_constraints_of_tables_are_met(constrained, real, check_integrity):
    constrained.add_constraints(copy.deepcopy(CONSTRAINTS))
    constrained.fit(real)
    sampled = constrained.sample(60, 'a')

    assert len(sampled['a']) == 60
    for name in 'ac':
        assert (sampled[name]['amount'] <= sampled[name]['most']).all()
    assert set(zip(sampled['b']['kind'], sampled['b']['code'], strict=True)) <= {('u', 1), ('v', 2)}
    check_integrity('chain', real, sampled)
    constrained.validate_constraints(sampled)
    assert len(constrained.get_constraints()) == 3


@pytest.mark.parametrize(
    ('constraint', 'message'),
    [
        (FixedCombinations(column_names=['kind', 'code']), "missing the required.*'table_name'"),
        (ProgrammableConstraint(), 'ProgrammableConstraint'),
    ],
)
def test_constraints_that_cannot_be_kept_are_refused(constrained, constraint, message):
    with pytest.raises(SynthesizerInputError, match=message):
        constrained.add_constraints([constraint])
