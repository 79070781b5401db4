"""References as row numbers: what leads to no row, and what changed since, is refused."""

import pandas as pd
import pytest

from sdv_threea.rows.units.references import (
    NOBODY,
    BrokenReferenceError,
    Labels,
    link_rows,
    number_rows,
)
from sdv_threea.schema import Link

LINK = Link('visit', ('person', 'clinic'), 'person')
KEYS = {'person': ('id', 'clinic'), 'visit': ('id',)}
LABELS = {'person': Labels('#person', {}), 'visit': Labels('#visit', {LINK: '->person'})}


def make_tables(*visits):
    people = pd.DataFrame({'id': [1, 1, 2], 'clinic': ['a', 'b', 'a']})
    visit = pd.DataFrame(visits, columns=['person', 'clinic']).astype({'person': 'Int64'})
    return {'person': people, 'visit': visit.assign(id=range(len(visits)))}


def number(*visits):
    return number_rows(make_tables(*visits), LABELS, KEYS)


def test_each_reference_is_the_number_of_the_row_with_all_parts_of_its_key():
    numbered = number((1, 'b'), (2, 'a'), (1, 'a'), (1, None), (None, 'a'))

    assert list(numbered['visit']['->person']) == [1, 2, 0, NOBODY, NOBODY]
    assert list(link_rows(numbered, LABELS)[LINK]) == [1, 2, 0, NOBODY, NOBODY]


@pytest.mark.parametrize('visit', [(2, 'b'), (3, 'a'), (1, 'c')])
def test_a_whole_reference_that_leads_to_no_row_is_refused(visit):
    with pytest.raises(BrokenReferenceError, match=r'Not every reference of visit\(person, clinic'):
        number((1, 'b'), visit)


def test_a_row_that_is_referred_to_must_still_be_there():
    numbered = number((1, 'b'), (2, 'a'))
    numbered['person'] = numbered['person'].iloc[[2, 0]]

    with pytest.raises(BrokenReferenceError, match='are missing'):
        link_rows(numbered, LABELS)
