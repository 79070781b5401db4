"""Guesses of a column's sdtype by its name, which the user is to check."""

from __future__ import annotations

import re

import pandas as pd

from sdv_threea.metadata.columns import LEARNED, StatedColumn

#: Sdtypes by words anywhere in a name; they override SDV's guess.
CLEAR = (
    ('id', 'id guid uuid mrn'),
    ('boolean', 'is has flag'),
)

#: Sdtypes by the last words of a name, in addition to those that SDV knows: ``home_phone`` is a
#: number to call, but ``phone_service`` is not. Texts are free texts, names included.
LAST = (
    ('phone_number', 'phone telephone mobile fax'),
    ('first_name', 'forename given-name'),
    ('last_name', 'surname family-name'),
    ('name', 'full-name fullname patient-name customer-name'),
    ('user_name', 'username user-name'),
    ('street_address', 'street address'),
    ('ipv4_address', 'ip'),
    (
        'text',
        'name names nickname title comment comments note notes remark remarks description '
        'descriptions message messages review reviews feedback narrative memo',
    ),
)

#: Sdtypes by whole names: ``first`` next to ``last`` is a person, but ``score_text`` a category.
WHOLE = (('text', 'first last text'),)

#: Sdtypes by words anywhere in a name, if no other rule applies. The words hardly mean anything
#: else.
ANYWHERE = (
    ('datetime', 'date datetime timestamp dob birthdate birthday'),
    ('numerical', 'age amount price weight height count income salary quantity duration'),
)

#: The place in a name where a capital letter begins another word.
CAPITALS = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')

#: Numbers at the end of a name, as in ``note_2``.
NUMBERS = re.compile(r'[\d-]+$')


def split_words(name: str) -> list[str]:
    """Split a name into words in lower case: ``BirthDate`` is ``['birth', 'date']``."""
    return [each for each in re.split(r'[\W_]+', CAPITALS.sub(' ', name).lower()) if each]


def guess_by_name(name: str) -> StatedColumn:
    """Return a column with the sdtype that its name suggests, or without one.

    SDV's guesses of personal information by names count here, too.
    """
    words = '-'.join(split_words(name))
    padded, ended = f'-{words}-', f'-{NUMBERS.sub("", words)}'
    sdtype = (
        next((each for each, listed in CLEAR if _has(padded, listed, '-')), None)
        or _detect_personal(name)
        or next((each for each, listed in WHOLE if words in listed.split()), None)
        or next((each for each, listed in LAST if _has(ended, listed, '$')), None)
        or next((each for each, listed in ANYWHERE if _has(padded, listed, '-')), None)
    )
    return StatedColumn(name=name, sdtype=sdtype, guess='by its name' if sdtype else '')


def _has(words: str, listed: str, end: str) -> bool:
    return re.search(f'-({"|".join(listed.split())}){end}', words) is not None


def _detect_personal(name: str) -> str | None:
    """Return the personal sdtype that SDV detects by a name, without a row."""
    from sdv.metadata import Metadata

    header = pd.DataFrame(columns=[name], dtype=float)
    found = Metadata.detect_from_dataframes({'table': header}, infer_keys=None)
    sdtype: str = found.tables['table'].columns[name]['sdtype']
    return None if sdtype in LEARNED else sdtype
