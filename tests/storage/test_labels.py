"""The names of the columns that number rows: different for every foreign key of a table."""

import pytest

from sdv_threea.rows.units.schema import Link, Schema
from sdv_threea.storage.references import label_numbers


@pytest.mark.parametrize(
    ('tables', 'links'),
    [
        (('p', 'k'), (Link('k', ('a, b', 'c'), 'p'), Link('k', ('a', 'b, c'), 'p'))),
        (('a', 'a by b'), (Link('a by b', ('b',), 'a'),)),
    ],
)
def test_that_no_two_columns_have_one_name(tables, links):
    labels = label_numbers(Schema(tables, links), {name: set() for name in tables})[tables[-1]]

    names = [labels.own, *labels.links.values()]
    assert len(set(names)) == len(names) == 1 + len(links)
