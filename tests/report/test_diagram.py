"""The picture of a database: what is protected, where boxes are, what is drawn."""

from __future__ import annotations

from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from relationships import relate
from sdv.metadata import Metadata

from sdv_threea.report import draw_schema
from sdv_threea.report.diagram import APART, HANGING, PUBLIC, UNIT, find_roles, place_tables
from sdv_threea.units.schema import Link, Schema

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
        'relationships': [relate(child, f'to {parent}', parent, 'key') for child, parent in links],
    }
    metadata = Metadata.load_from_dict(description)
    return SimpleNamespace(metadata=metadata, privacy_unit=unit, public_tables=public)


def test_what_is_drawn_is_also_said():
    told = draw_schema(make_synthesizer(BANK, BANK_LINKS, 'account', ['district'])).told

    assert told[:2] == (
        'district: public, copied',
        'account: unit of privacy; refers to district',
    )
    assert 'disp: protected with its unit; refers to account and client' in told


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
    drawn = draw_schema(make_synthesizer(BANK, BANK_LINKS, 'account', ['district'])).svg

    assert drawn.count('<rect') == len(BANK)
    assert drawn.count('class="link"') == len(BANK_LINKS)
    assert drawn.count('<path') == 2 * len(BANK_LINKS)
    for role in (UNIT, HANGING, APART, PUBLIC):
        assert f'>{role.words}</text>' in drawn


def test_two_foreign_keys_to_one_table_are_one_line():
    synthesizer = make_synthesizer(['a', 'b'], [('b', 'a')])
    (link,) = synthesizer.metadata.relationships
    synthesizer.metadata = SimpleNamespace(
        to_dict=synthesizer.metadata.to_dict, relationships=[link, link]
    )

    assert draw_schema(synthesizer).svg.count('class="link"') == 1


def test_names_are_escaped_and_long_ones_shortened():
    name = '<b>' + 30 * 'x'
    drawn = draw_schema(make_synthesizer([name, 'y'], [('y', name)])).svg

    assert '<b>' not in drawn
    assert '<i>' not in drawn
    assert f'&lt;b&gt;{16 * "x"}…</text>' in drawn


def test_a_drawing_is_shown_by_notebooks_and_saved_as_svg(tmp_path):
    drawn = draw_schema(make_synthesizer(['a', 'b'], [('b', 'a')]))
    drawn.save(tmp_path / 'schema.svg')

    assert (tmp_path / 'schema.svg').read_text('utf-8') == drawn._repr_svg_() == drawn.svg
    root = ElementTree.fromstring(drawn.svg)
    assert float(root.get('width')) > 0
    with pytest.raises(ValueError, match=r"saved as \.svg, got '\.png'"):
        drawn.save(tmp_path / 'schema.png')
