from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, replace

import pytest

from sdv_threea.accounting import Receipt
from sdv_threea.synthesizers.statement import (
    DatabaseStatement,
    PrivacyStatement,
    describe_protection,
)
from sdv_threea.units.schema import Link, Schema

RECEIPTS = (
    Receipt(stage='describe', released='bounds', sensitivity=2.0, noise_scale=20.0, mu=0.1),
    Receipt(
        stage='adapt', released='moments', sensitivity=1.0, noise_scale=4.0, mu=0.25, delta=1e-8,
        charged=False,
    ),
)  # fmt: skip


@pytest.fixture
def statement():
    return PrivacyStatement(
        epsilon=0.5,
        delta=1e-6,
        neighbors='add_remove',
        guarantee='end_to_end',
        mu=0.1,
        receipts=RECEIPTS,
        public=('column names',),
    )


def test_the_statement_is_plain_values_that_can_be_written_down(statement):
    facts = statement.to_dict()

    assert json.loads(json.dumps(facts)) == facts
    assert (facts['unit'], facts['epsilon'], facts['mu']) == ('one row', 0.5, 0.1)
    assert facts['public'] == ['column names']
    assert facts['receipts'] == [receipt.to_dict() for receipt in RECEIPTS]
    assert 'one noise mechanism' in facts['note']


def test_the_statement_reads_well(statement):
    lines = str(statement).splitlines()

    assert lines[1] == (
        '  promise   (0.5, 1e-06)-differential privacy for one row added or removed, end to end'
    )
    assert lines[2] == '  cost      0.1-GDP in 1 charged of 2 releases'
    assert lines[3] == '  public    column names'
    assert max(map(len, lines)) <= 100
    assert 'bounds' in lines[-2]
    assert lines[-1].split() == [
        'adapt', '0.25', '1e-08', '1', '4', 'moments', '(not', 'charged)',
    ]  # fmt: skip


def test_the_neighbors_are_in_words(statement):
    assert 'one row replaced' in str(replace(statement, neighbors='replace_one'))


def test_where_all_releases_are_charged_they_are_just_counted(statement):
    charged = replace(statement, receipts=(RECEIPTS[0],) * 3)

    assert str(charged).splitlines()[2] == '  cost      0.1-GDP in 3 releases'


@pytest.mark.parametrize('fits', [1, 3])
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_the_accounting_of_the_paper_is_not_called_differential_privacy(statement, neighbors, fits):
    paper = replace(statement, guarantee='paper', neighbors=neighbors, fits=fits)

    assert 'differential privacy' not in str(paper).lower()
    assert 'differentially private' not in str(paper).lower()
    assert str(paper).splitlines()[1] == (
        '  promise   none end to end: epsilon=0.5 and delta=1e-06 are for the charged releases'
    )
    assert 'not an end-to-end guarantee' in paper.to_dict()['note']
    # The same words do stand in a statement that promises something.
    assert 'differential privacy' in str(replace(paper, guarantee='end_to_end'))


def test_nothing_is_promised_without_noise(statement):
    nothing = replace(statement, epsilon=math.inf, guarantee='none')

    assert '  promise   none' in str(nothing).splitlines()
    assert 'nothing is promised' in nothing.note


def test_the_statement_cannot_be_changed(statement):
    with pytest.raises(FrozenInstanceError):
        statement.epsilon = 0.1


def test_the_tables_of_a_database_stand_under_each_other():
    tables = {'patient': 'one row', 'discharge_disposition': 'public'}
    statement = DatabaseStatement(
        epsilon=1.0,
        delta=1e-6,
        neighbors='add_remove',
        mu=0.1,
        tables=tables,
        receipts={'patient': RECEIPTS},
        rows_per_unit=dict.fromkeys(tables, 1),
    )
    lines = str(statement).splitlines()

    first = lines.index('  patient                one row')
    assert lines[first + 1] == '  discharge_disposition  public'
    assert str(replace(statement, tables={}, receipts={}))


def name_orphans(protection):
    """The tables of which a row may be a unit of its own."""
    _, *added = protection.split('; a row of ')
    assert all('hangs off no unit is one of its own, with all that hangs off' in a for a in added)
    return added[0].split(' that ')[0] if added else ''


@pytest.mark.parametrize(
    ('links', 'expected'),
    [
        ([Link('b', ('a_id',), 'a', required=True)], {'b': ''}),
        ([Link('b', ('a_id',), 'a')], {'a': '', 'b': "'b'"}),
        (
            [Link('b', ('a_id',), 'a'), Link('c', ('b_id',), 'b', required=True)],
            {'a': '', 'b': "'b'", 'c': "'b'"},
        ),
        ([Link('b', ('a_id',), 'a'), Link('c', ('b_id',), 'b')], {'c': "'b' or 'c'"}),
        ([Link('b', ('one',), 'a'), Link('b', ('other',), 'a', required=True)], {'b': ''}),
        ([Link('b', ('one',), 'a'), Link('b', ('other',), 'a')], {'b': "'b'"}),
        ([Link('b', ('a_id',), 'a', required=True), Link('b', ('x_id',), 'x')], {'b': '', 'x': ''}),
        ([Link('b', ('a_id',), 'a', required=True), Link('y', ('x_id',), 'x')], {'y': "'y'"}),
        ([Link('b', ('a_id',), 'a', required=True), Link('b', ('p_id',), 'p')], {'b': '', 'p': ''}),
    ],
)
def test_rows_without_an_owner_are_units_of_their_own(links, expected):
    tables = {table for link in links for table in (link.child, link.parent)}
    schema = Schema(tuple(sorted(tables)), tuple(links), 'a', frozenset(tables & {'p'}))
    protection = describe_protection(schema)

    assert {table: name_orphans(protection[table]) for table in expected} == expected


def test_the_statement_says_what_several_fits_cost_together(statement):
    assert 'refits' not in str(statement)
    said = str(replace(statement, fits=3))
    assert 'this was fit 3 of this synthesizer' in said
    assert f'compose to {math.sqrt(3) * 0.1:.4g}-GDP' in said
    assert replace(statement, fits=3).to_dict()['fits'] == 3
    assert 'refits' not in str(replace(statement, epsilon=math.inf, guarantee='none', fits=3))
