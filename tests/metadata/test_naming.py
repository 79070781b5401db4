"""What names say: SDV's own detection decides what is personal, and looks at no row for it."""

import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea.metadata.naming import guess_by_name

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
        ('customerID', 'id'),
        ('patient_nbr', 'id'),
        ('city_id', 'id'),
        ('has_phone', 'boolean'),
        ('Phone', 'phone_number'),
        ('PhoneService', None),
        ('address_2', 'street_address'),
        ('address_kind', 'categorical'),
        ('surname', 'last_name'),
        ('Full Name', 'name'),
        ('Name', 'text'),
        ('EmployeeName', 'name'),
        ('product_name', 'text'),
        ('notes_3', 'text'),
        ('first', 'text'),
        ('first_class', 'categorical'),
        ('text', 'text'),
        ('score_text', None),
        ('comment_count', 'numerical'),
        ('dob', 'datetime'),
        ('relationship', 'categorical'),
        ('hours_per_week', 'numerical'),
        ('education-num', 'numerical'),
        ('age_group', 'categorical'),
        ('weight_kg', 'numerical'),
        ('date_of_birth', 'datetime'),
        ('diag_1', 'categorical'),
        ('of', None),
        ('', None),
        ('größe', None),
    ],
)
def test_names_say_what_they_end_in(name, sdtype):
    guessed = guess_by_name(name)
    assert (guessed.name, guessed.sdtype) == (name, sdtype)
    assert bool(guessed.guess) == (sdtype is not None)
