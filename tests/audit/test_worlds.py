"""Two tables are neighbours: they differ by one row, or by one unit, and by nothing else."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.audit import Neighbours, far_out, lone_class, many_children, rare_category
from sdv_threea.audit.observations import describe_rows


def differ(neighbours, name):
    """Return the rows that only the table with the canary has, and those of only the other."""
    without, present = (
        neighbours.build(with_canary=each)[name].astype(str) for each in (False, True)
    )
    both = without.merge(present, how='outer', indicator=True)['_merge']
    return (both == 'right_only').sum(), (both == 'left_only').sum()


@pytest.fixture(params=['far_out', 'rare_category', 'categories', 'lone_class'])
def made(request, people, metadata):
    tables = {'people': people}
    makers = {
        'far_out': lambda: far_out(tables, metadata),
        'rare_category': lambda: rare_category(tables, 'kind'),
        'categories': lambda: rare_category(tables, 'level', 'canary', table='people'),
        'lone_class': lambda: lone_class(tables, 'class', 'q'),
    }
    return makers[request.param]()


def test_the_tables_differ_by_exactly_one_row(made):
    assert differ(made, 'people') == (1, 0)
    without, present = (made.build(with_canary=each)['people'] for each in (False, True))
    pd.testing.assert_frame_equal(present.iloc[:-1], without)


def test_the_tables_are_stored_alike(made):
    without, present = (made.build(with_canary=each)['people'] for each in (False, True))
    assert without.dtypes.to_dict() == present.dtypes.to_dict()
    assert present['key'].is_unique


def test_a_number_is_far_out_in_every_numerical_column(people, metadata):
    people = people.astype({'age': 'Int16'})
    canary = far_out({'people': people}, metadata).canary['people'].iloc[0]
    assert canary['age'] > 30_000  # as far as the dtype goes
    assert canary['income'] > 100 * people['income'].max()
    assert canary['kind'] == people['kind'].iloc[-1]


def test_a_rare_category_occurs_once(people):
    present = rare_category({'people': people}, 'kind', 'z').build(with_canary=True)['people']
    assert (present['kind'] == 'z').sum() == 1


def test_a_lone_class_occurs_once_and_nothing_else_is_left_out(people):
    made = lone_class({'people': people}, 'class', 'q')
    present = made.build(with_canary=True)['people']
    assert (present['class'] == 'q').sum() == 1
    assert len(made.without['people']) == (people['class'] != 'q').sum()


def test_another_row_may_stand_in_the_place_of_the_canary(people, metadata):
    made = far_out({'people': people}, metadata)
    made = Neighbours(made.without, made.canary, instead={'people': people.iloc[-1:]})
    assert differ(made, 'people') == (1, 1)
    pd.testing.assert_frame_equal(made.build(with_canary=False)['people'], people)


@pytest.mark.parametrize('children', [1, 5])
def test_a_unit_goes_with_all_its_children(clinic, clinic_metadata, children):
    made = many_children(clinic, clinic_metadata, 'patient', children)
    without, present = made.build(with_canary=False), made.build(with_canary=True)
    assert differ(made, 'patient') == (1, 0)
    assert differ(made, 'stay') == (children, 0)
    assert set(without['stay']['patient']) <= set(without['patient']['patient'])
    assert (present['stay']['patient'] == 'P11').sum() == children
    assert present['stay']['stay'].is_unique
    assert len(made.canary['stay']['days'].unique()) == 1
    assert len(present['stay']) == len(clinic['stay'])


@pytest.mark.parametrize(
    ('make', 'words'),
    [
        (lambda people, metadata: far_out({'people': people}, metadata, 'dogs'), 'table must be'),
        (lambda people, metadata: rare_category({'people': people}, 'kind', 'a'), 'not occur'),
        (lambda people, metadata: rare_category({'people': people}, 'age'), 'dtype int64'),
        (lambda people, metadata: lone_class({'people': people}, 'class', 'z'), 'must occur'),
        (lambda people, metadata: Neighbours({'people': people}, {}), 'at least one row'),
        (lambda people, metadata: Neighbours({}, {'people': people}), 'must have rows'),
        (
            lambda people, metadata: Neighbours({'people': people}, {'people': people[['age']]}),
            'columns and dtypes',
        ),
    ],
)
def test_what_makes_no_neighbours_is_refused(people, metadata, make, words):
    with pytest.raises(ValueError, match=words):
        make(people, metadata)


def test_children_have_to_be_there(clinic, clinic_metadata):
    with pytest.raises(ValueError, match='too few rows'):
        many_children(clinic, clinic_metadata, 'patient', 12)
    with pytest.raises(ValueError, match='No table refers'):
        many_children(clinic, clinic_metadata, 'stay', 2)


def compare(neighbours):
    """Return the features of the two tables themselves that differ between them."""
    without, present = (
        describe_rows(neighbours.build(with_canary=each), neighbours) for each in (False, True)
    )
    assert without.keys() == present.keys()
    return {
        name: (number, present[name]) for name, number in without.items() if number != present[name]
    }


def test_a_number_far_out_shows(people, metadata):
    changed = compare(far_out({'people': people}, metadata))
    assert changed['people: rows'] == (39, 40)
    assert changed['people.age: near the canary'] == (0, 1)
    assert changed['people: alike but for 0'] == (0, 1)
    assert changed['people.income: largest'][1] > 100 * changed['people.income: largest'][0]


def test_a_number_that_others_have_too_is_near_if_equal(people, metadata):
    neighbours = far_out({'people': people}, metadata)
    neighbours.canary['people']['age'] = 30
    people['age'] = [*[30] * 5, *[31] * 35]
    neighbours = type(neighbours)({'people': people}, neighbours.canary)
    assert describe_rows({'people': people}, neighbours)['people.age: near the canary'] == 5


def test_a_rare_category_shows(people):
    changed = compare(rare_category({'people': people}, 'kind'))
    assert changed['people.kind: near the canary'] == (0, 1)
    assert changed['people.kind: different'] == (2, 3)


@pytest.mark.parametrize('rows', [0, 3])
def test_rows_of_any_kind_are_described_by_finite_numbers(people, metadata, rows):
    neighbours = far_out({'people': people}, metadata)
    nothing = pd.DataFrame({name: [None] * rows for name in people.columns})
    features = describe_rows({'people': nothing, 'other': nothing}, neighbours)
    assert features['other: rows'] == rows
    assert np.isfinite(list(features.values())).all()
