import json
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from sdv_threea.accounting import Ledger, Receipt
from sdv_threea.schema import Link, Schema
from sdv_threea.settings import Settings
from sdv_threea.synthesizers.protection import describe_protection, tell_errors, tell_masked
from sdv_threea.synthesizers.statement import (
    DatabaseStatement,
    PrivacyStatement,
)

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


def test_a_prompt_shows_the_promise_in_a_line(statement):
    expected = "PrivacyStatement(epsilon=0.5, delta=1e-06, guarantee='end_to_end')"
    assert repr(statement) == expected


def test_the_statement_says_what_the_rows_are_made_for(statement):
    assert 'too narrow' in str(statement)
    assert 'alpha=1' not in str(statement)
    told = ' '.join(str(replace(statement, sharpened=('income',))).split())
    assert 'For training models, not for analysis: samples make income easier to predict' in told
    assert 'fit with alpha=1' in told


def test_the_statement_prints_the_plan(statement):
    plan = (' target  income', '  22.0%  pairs of columns', '   none  triples: noise')
    lines = str(replace(statement, plan=plan)).splitlines()
    at = lines.index('  what the budget pays for, and what is left out')

    assert lines[at + 1 : at + 4] == [f'  {line}' for line in plan]
    assert 'budget pays' not in str(statement)


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


def test_the_tables_of_a_database_stand_under_each_other():
    tables = {'patient': 'one row', 'discharge_disposition': 'public'}
    statement = DatabaseStatement(
        epsilon=1.0,
        delta=1e-6,
        neighbors='add_remove',
        guarantee='end_to_end',
        mu=0.1,
        tables=tables,
        receipts={'patient': RECEIPTS},
        rows_per_unit=dict.fromkeys(tables, 1),
    )
    lines = str(statement).splitlines()

    first = lines.index('  patient                one row')
    assert lines[first + 1] == '  discharge_disposition  public'
    assert str(replace(statement, tables={}, receipts={}))
    planned = str(replace(statement, plans={'patient': ('  22.0%  pairs of columns',)}))
    assert 'budget of the rows of patient pays for' in planned
    assert planned.splitlines()[-1] == '    22.0%  pairs of columns'


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


def test_a_row_of_two_units_is_protected_with_one_of_them_and_so_are_its_children():
    sender, receiver = Link('b', ('sender',), 'a', required=True), Link('b', ('receiver',), 'a')
    links = (receiver, sender, Link('c', ('b_id',), 'b', required=True))
    protection = describe_protection(Schema(('a', 'b', 'c'), links, 'a'))

    for table in ('b', 'c'):
        assert "rows of 'b' that refer to several units" in protection[table]
        assert 'the one that b(sender) leads to, and not with the others' in protection[table]
    assert 'several' not in protection['a']


def test_a_line_for_each_table_says_how_far_noise_moves_it():
    sized = {'a': (400.0, 20.0, 0.012), 'b': (60.0, 9000.0, 0.4), 'c': (60.0, 0.0, 0.0)}
    tables = {
        name: SimpleNamespace(size=size, size_noise=noise, noise=share, is_masked=share > 1 / 3)
        for name, (size, noise, share) in sized.items()
    }
    told = tell_errors(SimpleNamespace(tables=tables))

    assert told['a'] == '400 rows, off by about 20; a share of its rows is off by about 1.2%'
    assert told['b'].startswith('60 rows, off by about 540; noise exceeds all shares of its rows')
    assert 'c' not in told
    assert tell_masked(SimpleNamespace(tables=tables)).count("'b'") == 1
    assert not tell_masked(SimpleNamespace(tables={'a': tables['a']}))


def read_refits(statement):
    """Read what is said of all fits: mu, epsilon and delta."""
    said = ' '.join(str(statement).split())
    found = re.search(r'compose to (\S+)-GDP, which is \((\S+), (\S+)\)-', said)
    return tuple(map(float, found.groups()))


def spend(share, epsilon, delta, threshold=0.1):
    """Make the receipts of a fit that spends a part of its budget."""
    budget = Settings(epsilon=epsilon, delta=delta).budget(thresholds=threshold > 0)
    mu = math.sqrt(share) * budget.mu * (1 - 2**-50)
    terms = {'sensitivity': mu, 'noise_scale': 1.0, 'mu': mu, 'delta': budget.threshold_delta}
    return Receipt(stage='describe', released='all', **terms)


@pytest.mark.parametrize('thresholds', [(0.1, 0.1), (0.1, 0.0), (0.0, 0.1), (0.0, 0.0)])
@pytest.mark.parametrize(('epsilon', 'delta'), [(1.0, 1e-6), (8.0, 1e-5), (0.1, 3.3333e-3)])
@pytest.mark.parametrize('earlier', [1, 4])
def test_several_fits_cost_no_less_than_they_do_exactly(
    statement, epsilon, delta, thresholds, earlier
):
    first, last = (
        spend(share, epsilon, delta, threshold)
        for share, threshold in zip((1.0, 0.6), thresholds, strict=True)
    )
    terms = {'epsilon': epsilon, 'delta': delta, 'mu': last.mu, 'receipts': (last,)}
    mu, said, together = read_refits(replace(statement, **terms, fits=1 + earlier))
    exact = Ledger((*[first] * earlier, last))
    assert mu >= exact.mu
    assert exact.epsilon(together) <= said < 1.1 * exact.epsilon(together)


def test_the_units_of_a_database_pay_as_those_who_pay_most(statement):
    one, other = spend(1.0, 1.0, 1e-6), spend(0.5, 1.0, 1e-6)
    database = DatabaseStatement(
        epsilon=1.0,
        delta=1e-6,
        neighbors='add_remove',
        guarantee='end_to_end',
        mu=one.mu,
        tables={},
        receipts={'a': (other,), 'b': (one,)},
        rows_per_unit={},
        fits=2,
    )
    terms = {'epsilon': 1.0, 'mu': one.mu, 'receipts': (one,), 'fits': 2}
    assert read_refits(database) == read_refits(replace(statement, **terms))


def test_the_statement_says_how_many_fits_there_were(statement):
    assert 'refits' not in str(statement)
    assert 'this was fit 3 of this synthesizer' in str(replace(statement, fits=3))
    assert 'they promise nothing together' in ' '.join(str(replace(statement, fits=10**7)).split())
    assert replace(statement, fits=3).to_dict()['fits'] == 3
    assert 'refits' not in str(replace(statement, epsilon=math.inf, guarantee='none', fits=3))


def test_the_statement_says_how_many_may_be_exposed(statement):
    assert 'exposed' not in str(replace(statement, num_units=9e5))
    exposing = replace(statement, num_units=2.5e6)
    assert '3 of them were exposed entirely' in ' '.join(str(exposing).split())
    assert exposing.to_dict()['exposed'] == 3
    assert 'exposed' not in str(replace(exposing, guarantee='paper'))
