"""What the name of a column says about it: a guess, which the user is to check."""

from __future__ import annotations

import re

import pandas as pd

from sdv_threea.metadata.columns import LEARNED, StatedColumn

#: Sdtypes by words anywhere in a name; they come before what SDV makes of the name.
CLEAR = (
    ('id', 'id guid uuid mrn'),
    ('boolean', 'is has flag'),
)

#: Sdtypes by the last words of a name, beside those that SDV knows: a ``phone`` is a number to
#: call, and a ``phone_service`` is none. Texts are those that anybody writes, names among them.
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

#: Sdtypes by words that are a whole name: ``first`` beside ``last`` is a person, and a
#: ``score_text`` is a category.
WHOLE = (('text', 'first last text'),)

#: Sdtypes by words anywhere in a name, if nothing else is said. Only words are listed that hardly
#: mean anything else.
ANYWHERE = (
    ('datetime', 'date datetime timestamp dob birthdate birthday'),
    ('numerical', 'age amount price weight height count income salary quantity duration'),
)

#: Words where a capital letter begins another one.
CAPITALS = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')

#: Numbers behind a name, as in ``note_2``.
NUMBERS = re.compile(r'[\d-]+$')


def split_words(name: str) -> list[str]:
    """Split a name into words in lower case: ``BirthDate`` is ``['birth', 'date']``."""
    return [each for each in re.split(r'[\W_]+', CAPITALS.sub(' ', name).lower()) if each]


def guess_by_name(name: str) -> StatedColumn:
    """Propose what a column holds by its name.

    What SDV takes for personal information by its name is personal here, too.

    Returns:
        The column, without an sdtype if the name says nothing.
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
    """Return the sdtype of what SDV takes for personal by its name; it is shown no row."""
    from sdv.metadata import Metadata

    header = pd.DataFrame(columns=[name], dtype=float)
    found = Metadata.detect_from_dataframes({'table': header}, infer_keys=None)
    sdtype: str = found.tables['table'].columns[name]['sdtype']
    return None if sdtype in LEARNED else sdtype
