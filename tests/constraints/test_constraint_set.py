"""The constraints on a table: copied, shown public rows alone, and taught what was released."""

from __future__ import annotations

import pandas as pd
import pytest
from described import describe, spell
from sdv.cag import FixedIncrements, Inequality, Range, SingleTableProgrammableConstraint
from sdv.cag._errors import ConstraintNotMetError

from sdv_threea.constraints.constraint_set import ConstraintSet
from sdv_threea.storage.reading import take_table

COLUMNS = {'low': 'numerical', 'high': 'numerical', 'city': 'categorical', 'country': 'categorical'}
ORDERED = dict.fromkeys(('low', 'high', 'top'), {'sdtype': 'numerical'})
PROXY = pd.DataFrame({'low': [1, 1], 'high': [1, 1], 'city': 'x', 'country': 'x'})


class Watchful(SingleTableProgrammableConstraint):
    """A constraint of the user's own that notes what it is shown."""

    shown: list[pd.DataFrame] = []

    def get_updated_metadata(self, metadata):
        return metadata

    def fit(self, data, metadata):
        self.shown.append(data)

    def is_valid(self, data):
        return data['low'] != 7


@pytest.fixture
def constraints():
    return ConstraintSet(describe(COLUMNS))


@pytest.fixture
def watched():
    Watchful.shown = []
    return Watchful


def take(**columns):
    table = pd.DataFrame({'low': [1], 'high': [2], 'city': ['Bern'], 'country': ['CH'], **columns})
    return take_table({'t': table}, 't', spell(COLUMNS))


def test_what_is_added_is_shown_columns_and_no_row(constraints, watched):
    constraints.add([watched()], PROXY)

    assert all(len(rows) == 0 for rows in watched.shown)


@pytest.mark.parametrize(
    'constraint', [Inequality('low', 'high'), FixedIncrements('low', 3), Watchful()]
)
def test_private_rows_are_checked_and_forgotten(constraints, watched, constraint):
    constraints.add([constraint], PROXY)
    before = [vars(each).copy() for each in constraints.adopted]
    constraints.check(take(low=[6], high=[9]))

    assert [vars(each) for each in constraints.adopted] == before
    assert all(len(rows) == 0 for rows in watched.shown)


@pytest.mark.parametrize(
    ('constraint', 'said'),
    [
        (Range('low', 'high', 'top'), "'low' < 'high' < 'top'. Equal .*=False, as Range is strict"),
        (Inequality('low', 'high', strict_boundaries=True), r"'low' < 'high'. Equal .*=False\."),
        (Range('low', 'high', 'top', strict_boundaries=False), "'low' <= 'high' <= 'top'\\.$"),
        (Inequality('low', 'high'), "'low' <= 'high'\\.$"),
    ],
    ids=repr,
)
def test_a_breach_of_an_order_says_the_rule_and_whether_equal_values_break_it(constraint, said):
    constraints = ConstraintSet(describe(ORDERED))
    constraints.add([constraint], pd.DataFrame(1, index=range(2), columns=list(ORDERED)))
    equal = {'low': [5], 'high': [5], 'top': [5]}
    table = take_table({'t': pd.DataFrame(equal)}, 't', ORDERED)
    if constraint.strict_boundaries:
        with pytest.raises(ConstraintNotMetError, match=said):
            constraints.check(table)
    else:
        constraints.check(table)
    broken = take_table({'t': pd.DataFrame(equal | {'low': [987_654]})}, 't', ORDERED)
    with pytest.raises(ConstraintNotMetError, match=said) as error:
        constraints.check(broken)
    assert '987654' not in str(error.value)
