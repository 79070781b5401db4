"""Proposals from public rows, and those that somebody completes."""

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea.metadata import Proposal, StatedColumn, ask, propose_from_public_rows
from sdv_threea.metadata.words import guess_by_name


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


#: Names that SDV takes for personal, in the spellings that one meets.
PERSONAL = (
    'first_name', 'LastName', 'E-mail', 'phone number', 'SSN', 'home_city', 'State', 'zipcode',
    'PostalCode', 'street_address', 'line1', 'latitude', 'IPv4', 'mac_address', 'user_agent',
    'iban', 'swift', 'credit_card_number', 'vin', 'license_plate', 'country_code',
)  # fmt: skip


@pytest.mark.parametrize('name', PERSONAL)
def test_what_sdv_takes_for_personal_by_its_name_is_personal(name):
    rows = pd.DataFrame({name: ['a', 'b'] * 10})
    detected = Metadata.detect_from_dataframes({'t': rows}, infer_keys=None)
    entry = detected.tables['t'].columns[name]

    assert entry['pii']
    assert guess_by_name(name).sdtype == entry['sdtype']


@pytest.mark.parametrize(
    ('name', 'sdtype'),
    [
        ('customerID', 'id'), ('patient_nbr', 'id'), ('city_id', 'id'), ('has_phone', 'boolean'),
        ('Phone', 'phone_number'), ('PhoneService', None), ('address_2', 'street_address'),
        ('address_kind', 'categorical'), ('surname', 'last_name'), ('Full Name', 'name'),
        ('Name', 'text'), ('EmployeeName', 'name'), ('product_name', 'text'), ('notes_3', 'text'),
        ('first', 'text'), ('first_class', 'categorical'), ('text', 'text'), ('score_text', None),
        ('comment_count', 'numerical'), ('dob', 'datetime'), ('relationship', 'categorical'),
        ('hours_per_week', 'numerical'), ('education-num', 'numerical'),
        ('age_group', 'categorical'), ('weight_kg', 'numerical'), ('date_of_birth', 'datetime'),
        ('diag_1', 'categorical'), ('of', None), ('', None), ('größe', None),
    ],
)  # fmt: skip
def test_names_say_what_they_end_in(name, sdtype):
    guessed = guess_by_name(name)
    assert (guessed.name, guessed.sdtype) == (name, sdtype)
    assert bool(guessed.guess) == (sdtype is not None)
