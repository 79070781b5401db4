"""The picture of a database: what is protected, where boxes are, what is drawn."""

from types import SimpleNamespace

import pytest
from described import describe_tables

from sdv_threea.report import draw_schema
from sdv_threea.report.database import APART, HANGING, PUBLIC, UNIT, find_roles
from sdv_threea.schema import Link, Schema

BANK = ['district', 'account', 'client', 'disp', 'trans', 'card']
BANK_LINKS = [
    ('account', 'district'), ('client', 'district'), ('disp', 'account'), ('disp', 'client'),
    ('trans', 'account'), ('card', 'disp'),
]  # fmt: skip


def make_synthesizer(tables, links, unit=None, public=()):
    described = {name: {'key': 'id', '<i>': 'categorical'} for name in tables}
    for child, parent in links:
        described[child][f'to {parent}'] = 'id'
    edges = ((child, f'to {parent}', parent, 'key') for child, parent in links)
    metadata = describe_tables(described, *edges, **dict.fromkeys(tables, 'key'))
    return SimpleNamespace(metadata=metadata, privacy_unit=unit, public_tables=public)


@pytest.mark.parametrize(
    ('unit', 'public'),
    [
        (None, []), ('account', []), ('client', []), ('disp', []), ('account', ['district']),
        ('client', ['district']), ('disp', ['district']),
    ],
)  # fmt: skip
def test_roles_are_those_that_the_release_protects(unit, public):
    links = tuple(Link(child, (f'to {parent}',), parent) for child, parent in BANK_LINKS)
    schema = Schema(tuple(BANK), links, unit, frozenset(public))

    roles = find_roles(BANK, BANK_LINKS, unit, public)

    assert {name for name, role in roles.items() if role == UNIT} == {schema.main}
    hanging = {name for name, role in roles.items() if role == HANGING}
    assert hanging == schema.reached - {schema.main}
    assert {name for name, role in roles.items() if role == PUBLIC} == schema.public


def test_every_table_is_a_box_and_every_foreign_key_a_line_with_an_arrow():
    drawn = draw_schema(make_synthesizer(BANK, BANK_LINKS, 'account', ['district'])).svg

    assert drawn.count('<rect') == len(BANK)
    assert drawn.count('class="link"') == len(BANK_LINKS)
    assert drawn.count('<path') == 2 * len(BANK_LINKS)
    for role in (UNIT, HANGING, APART, PUBLIC):
        assert f'>{role.words}</text>' in drawn
