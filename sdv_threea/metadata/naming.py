"""What the name of a column says about it: a guess, which the user is to check."""

from __future__ import annotations

import re

from sdv_threea.metadata.columns import StatedColumn

#: Sdtypes by the words of a name. The first that fits is taken, and the words of one entry are
#: next to each other in the name. Only words are listed that hardly mean anything else.
WORDS = (
    ('id', 'id guid uuid ssn iban vin mrn'),
    ('email', 'email e-mail'),
    ('phone_number', 'phone telephone mobile fax'),
    ('first_name', 'first-name firstname forename given-name'),
    ('last_name', 'last-name lastname surname family-name'),
    ('name', 'full-name fullname patient-name customer-name'),
    ('street_address', 'street address'),
    ('ipv4_address', 'ip ipaddress ip-address'),
    ('datetime', 'date datetime timestamp dob birthdate birthday'),
    ('boolean', 'is has flag'),
    ('numerical', 'age amount price weight height count income salary quantity duration'),
    ('text', 'comment comments note notes remark remarks'),
)

#: Words where a capital letter begins another one.
CAPITALS = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')


def split_words(name: str) -> list[str]:
    """Split a name into words in lower case: ``BirthDate`` is ``['birth', 'date']``."""
    return [each for each in re.split(r'[\W_]+', CAPITALS.sub(' ', name).lower()) if each]


def guess_by_name(name: str) -> StatedColumn:
    """Propose what a column holds by its name.

    Returns:
        The column, without an sdtype if the name says nothing.
    """
    padded = f'-{"-".join(split_words(name))}-'
    for sdtype, listed in WORDS:
        if any(f'-{word}-' in padded for word in listed.split()):
            return StatedColumn(name=name, sdtype=sdtype, guess='by its name')
    return StatedColumn(name=name)
