"""Proposals from public rows, and those that somebody completes."""

import numpy as np
import pandas as pd

from sdv_threea.metadata import (
    Proposal,
    StatedColumn,
    ask,
    propose_from_public_rows,
)


def test_public_rows_state_types_ranges_and_values():
    rows = pd.DataFrame(
        {
            'age': [18, *range(25, 73), 90] * 2,
            'weight': np.linspace(50, 99, 100),
            'colour': ['red', None] * 50,
            'member': [True, False] * 50,
            'since': pd.date_range('2020-01-01', periods=100),
        }
    )
    before = rows.copy()
    proposal = propose_from_public_rows({'people': rows})
    columns = proposal.to_metadata().tables['people'].columns

    pd.testing.assert_frame_equal(rows, before)
    assert (columns['age']['range_min'], columns['age']['range_max']) == (18, 90)
    assert columns['colour'] == {
        'sdtype': 'categorical',
        'range_values': ['red'],
        'range_is_nullable': True,
    }
    assert columns['member'] == {'sdtype': 'boolean'}
    assert columns['since']['range_max'].startswith('2020-04-09')
    # Continuous numbers have no decimals, and rows cannot show that none is ever missing.
    assert 'decimal_places' not in columns['weight']
    assert 'range_is_nullable' not in columns['age']
    assert 'widen them' in str(proposal)


def answer(answers):
    """Answer questions by what they contain; without an answer leave them open."""
    asked, told = [], []

    def prompt(question):
        asked.append(question)
        found = next((key for key in answers if key in question and answers[key]), None)
        return answers[found].pop(0) if found else ''

    return prompt, asked, told


def test_what_is_open_is_asked_for_and_what_follows_from_answers():
    proposal = Proposal(
        {'t': (StatedColumn(name='age'), StatedColumn(name='sex', sdtype='categorical'))}
    )
    prompt, asked, told = answer(
        {
            'age: what it holds': ['quux', 'integer'],
            'age: its lowest': ['low', '18'],
            'age: its highest': ['3', '90'],
            'age: whether': ['perhaps', 'no'],
            'sex: its values': ['m; f'],
        }
    )
    columns = ask(proposal, prompt, told.append).to_metadata().tables['t'].columns

    assert columns == {
        'age': {
            'sdtype': 'numerical',
            'range_min': 18,
            'range_max': 90,
            'range_is_nullable': False,
        },
        'sex': {'sdtype': 'categorical', 'range_values': ['m', 'f']},
    }
    assert len(told) == 4
    assert "'quux' is no sdtype" in told[0]
    assert told[2] == 'The range ends before it begins.'
    assert len(asked) == 10  # four of them twice, and whether cells of sex are missing


def test_importing_is_light(run_anew):
    done = run_anew('import sys, sdv_threea.metadata; print(*sys.modules, sep="\\n")')

    assert done.returncode == 0, done.stderr
    assert not {'sdv', 'sdv_threea.synthesizers'} & set(done.stdout.split())
