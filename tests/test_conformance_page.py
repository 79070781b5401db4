"""The page of the conformance suite is up to date: it names every behaviour, and no other."""

import pytest
from scripts import script_fixture

script = script_fixture('make_conformance', 'docs')


@pytest.fixture(scope='module')
def rows(script):
    lines = script.PAGE.read_text('utf-8').splitlines()
    cells = [line.strip('|').split(' | ') for line in lines if line.startswith('| ')]
    return [row for row in cells if row[0].strip() != 'behaviour']


def test_every_behaviour_is_on_the_page_and_no_other(script, rows):
    """If it is not, run ``python docs/make_conformance.py``."""
    tested = [behaviour.sentence for _, behaviour in script.list_behaviours()]
    shown = [row[0].split(' (')[0].strip() for row in rows]
    assert shown == tested


def test_there_are_many_behaviours_of_different_names(script):
    names = [name for name, _ in script.list_behaviours()]
    assert len(names) >= 60
    assert len(set(names)) == len(names)


def test_every_difference_has_a_reason(rows):
    for row in rows:
        theirs, ours, why = (cell.strip() for cell in row[1:])
        assert why or theirs == ours == 'yes', row[0]


def test_a_behaviour_is_as_good_as_the_worst_of_its_cases(script):
    behaviour = script.Behaviour('theme', 'It works')
    behaviour.outcomes['GaussianCopula'] += ['yes', 'no']
    behaviour.outcomes['ClustMix'] += ['yes', 'yes']
    assert behaviour.cells == ['It works (2 cases)', 'no', 'yes', '']
    assert not behaviour.is_broken

    behaviour.outcomes['ClustMix'] += ['**fails**']
    assert behaviour.is_broken
    assert '1 are not met' in script.write_page([behaviour])
