"""What an observer reads off synthetic rows changes if the canary is among them."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.audit import far_out, rare_category
from sdv_threea.audit.samples import describe_rows


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
