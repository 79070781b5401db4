"""The picture of a database: what is protected, where boxes are, what is drawn."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from sdv.metadata import Metadata

from sdv_threea.relational.schema import Link, Schema
from sdv_threea.report import draw_schema
from sdv_threea.report.diagram import APART, HANGING, PUBLIC, UNIT, find_roles, place_tables

BANK = ['district', 'account', 'client', 'disp', 'trans', 'card']
BANK_LINKS = [
    ('account', 'district'),
    ('client', 'district'),
    ('disp', 'account'),
    ('disp', 'client'),
    ('trans', 'account'),
    ('card', 'disp'),
]


def make_synthesizer(tables, links, unit=None, public=()):
    description = {
        'tables': {
            name: {
                'primary_key': 'key',
                'columns': {
                    'key': {'sdtype': 'id'},
                    '<i>': {'sdtype': 'categorical'},
                    **{
                        f'to {parent}': {'sdtype': 'id'} for child, parent in links if child == name
                    },
                },
            }
            for name in tables
        },
        'relationships': [
            {
                'parent_table_name': parent,
                'parent_primary_key': 'key',
                'child_table_name': child,
                'child_foreign_key': f'to {parent}',
            }
            for child, parent in links
        ],
    }
    metadata = Metadata.load_from_dict(description)
    return SimpleNamespace(metadata=metadata, privacy_unit=unit, public_tables=public)


def test_roles_follow_the_foreign_keys_away_from_the_unit():
    roles = find_roles(BANK, BANK_LINKS, 'account', ['district'])

    assert roles == {
        'district': PUBLIC,
        'account': UNIT,
        'client': APART,
        'disp': HANGING,
        'trans': HANGING,
        'card': HANGING,
    }


@pytest.mark.parametrize(
    ('unit', 'public'),
    [
        (None, []),
        ('account', []),
        ('client', []),
        ('disp', []),
        ('account', ['district']),
        ('client', ['district']),
        ('disp', ['district']),
    ],
)
def test_roles_are_those_that_the_release_protects(unit, public):
    links = tuple(Link(child, (f'to {parent}',), parent) for child, parent in BANK_LINKS)
    schema = Schema(tuple(BANK), links, unit, frozenset(public))

    roles = find_roles(BANK, BANK_LINKS, unit, public)

    assert {name for name, role in roles.items() if role == UNIT} == {schema.main}
    hanging = {name for name, role in roles.items() if role == HANGING}
    assert hanging == schema.reached - {schema.main}
    assert {name for name, role in roles.items() if role == PUBLIC} == schema.public


def test_with_public_tables_alone_there_is_no_unit():
    assert find_roles(['a'], [], None, ['a']) == {'a': PUBLIC}


def test_tables_are_below_all_that_they_refer_to_and_do_not_overlap():
    places = place_tables(BANK, BANK_LINKS)

    assert all(places[child][1] < places[parent][1] for child, parent in BANK_LINKS)
    assert places['client'][1] == places['account'][1]
    for name, (x, y) in places.items():
        others = [places[other] for other in BANK if other != name]
        assert all(abs(x - other_x) > 164 for other_x, other_y in others if other_y == y)


def test_a_list_of_codes_is_just_above_the_table_that_uses_it():
    places = place_tables(['a', 'b', 'c', 'codes'], [('b', 'a'), ('c', 'b'), ('c', 'codes')])

    assert places['codes'][1] == places['b'][1]


def test_every_table_is_a_box_and_every_foreign_key_a_line_with_an_arrow():
    drawn = draw_schema(make_synthesizer(BANK, BANK_LINKS, 'account', ['district']))

    kinds = [shape.type for shape in drawn.layout.shapes]
    assert kinds.count('rect') == len(BANK)
    assert kinds.count('path') == 2 * len(BANK_LINKS)
    words = [note.text for note in drawn.layout.annotations]
    assert sum('<b>account</b>' in text and UNIT.words in text for text in words) == 1
    shown = {trace.name for trace in drawn.data if trace.showlegend}
    assert shown == {role.words for role in (UNIT, HANGING, APART, PUBLIC)}


def test_the_legend_explains_what_is_there_and_no_more():
    drawn = draw_schema(make_synthesizer(['a', 'b'], [('b', 'a')]))

    assert {trace.name for trace in drawn.data if trace.showlegend} == {UNIT.words, HANGING.words}


def test_two_foreign_keys_to_one_table_are_one_line():
    synthesizer = make_synthesizer(['a', 'b'], [('b', 'a')])
    (link,) = synthesizer.metadata.relationships
    synthesizer.metadata = SimpleNamespace(
        to_dict=synthesizer.metadata.to_dict, relationships=[link, link]
    )

    kinds = [shape.type for shape in draw_schema(synthesizer).layout.shapes]
    assert kinds.count('path') == 2


def test_names_are_escaped():
    drawn = draw_schema(make_synthesizer(['<b>x', 'y'], [('y', '<b>x')]))

    assert '&lt;b&gt;x' in drawn.layout.annotations[0].text
    assert '&lt;i&gt;' in drawn.data[-1].text[0]
