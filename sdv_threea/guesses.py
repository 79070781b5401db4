"""Guess from the name of a column: an sdtype, a person, free text.

Metadata helpers propose these guesses to users, and the check before a fit uses them for warnings.
No row is read.
"""

import re
from functools import lru_cache

import pandas as pd

#: The sdtypes that are learned.
LEARNED = ('numerical', 'datetime', 'categorical', 'ordinal', 'boolean')

#: Words for persons, and for keys of persons.
PERSONS = (
    'patient person people customer client user member subject participant respondent employee '
    'worker student pupil household citizen voter driver passenger guest subscriber donor borrower '
    'applicant physician doctor nurse teacher contact mrn ssn nhs'
)

#: Sdtypes of places and machines, which are not direct identifiers.
OF_PLACES = (
    'administrative_unit city country_code latitude longitude postcode state state_abbr '
    'user_agent_string'
)

#: Names that suggest short text or names of things, such as the title of a film or of a product.
SHORT = ('title', 'name', 'names')

#: Sdtypes by words anywhere in a name; they override SDV's guess.
CLEAR = (
    (
        'id',
        'id guid uuid mrn pid pidnum patno subjid '
        f'(?:{PERSONS.replace(" ", "|")})-(?:nbr|no|nr|num|number|key|code)',
    ),
    ('boolean', 'is has flag'),
)

#: Sdtypes by the last words of a name, in addition to those that SDV knows: ``home_phone`` is a
#: number to call, but ``phone_service`` is not. Texts are free texts, including names.
LAST = (
    ('phone_number', 'phone telephone mobile fax'),
    ('first_name', 'forename given-name'),
    ('last_name', 'surname family-name'),
    ('user_name', 'username user-name'),
    ('name', f'full-name fullname (?:{PERSONS.replace(" ", "|")})-name'),
    ('street_address', 'street address'),
    ('ipv4_address', 'ip'),
    (
        'text',
        'name names nickname title comment comments note notes remark remarks description '
        'descriptions message messages review reviews feedback narrative memo',
    ),
)

#: Sdtypes by whole names: ``first`` next to ``last`` is a person, but ``score_text`` a category.
WHOLE_NAMES = (('text', 'first last text'),)

#: Sdtypes by the head of a name, its last word before a preposition: ``hours_per_week`` is a
#: number, and ``marital_status`` a category.
HEADS = {
    'numerical': (
        'revenue budget gross profit share gain loss balance cost costs charge charges fee fare '
        'rate ratio percent percentage score rating num total sum mean average min max '
        'hours minutes '
        'seconds days weeks months years distance length width depth elevation altitude area '
        'volume temperature pressure speed carat lat lon lng bmi population pop'
    ),
    'categorical': (
        'sex gender race ethnicity country nationality religion education marital relationship '
        'occupation profession workclass language status type category class group grade level '
        'region continent department ward specialty diagnosis diag outcome disposition source '
        'species breed genre color colour cut clarity season weekday currency party kind'
    ),
}

PREPOSITIONS = re.compile(r'(?<=.)-(?:at|by|for|from|in|of|per|since|to)-.*')

#: The sdtype of each word in :data:`HEADS`.
MEANINGS = {word: sdtype for sdtype, words in HEADS.items() for word in words.split()}

#: Sdtypes by unambiguous words anywhere in a name, if no other rule applies.
ANYWHERE = (
    ('datetime', 'date datetime timestamp dob birthdate birthday'),
    ('numerical', 'age amount price weight height count income salary quantity duration'),
)

#: The position in a name before a capital letter that begins another word.
CAPITALS = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')

#: Numbers at the end of a name, as in ``note_2``.
NUMBERS = re.compile(r'[\d-]+$')


def split_words(name: str) -> list[str]:
    """Split a name into words in lower case: ``BirthDate`` is ``['birth', 'date']``."""
    return [each for each in re.split(r'[\W_]+', CAPITALS.sub(' ', name).lower()) if each]


@lru_cache(maxsize=4096)
def guess_sdtype(name: str) -> str | None:
    """Return the sdtype that the name of a column suggests, SDV's guesses included, or ``None``."""
    words = '-'.join(split_words(name))
    padded, ended = f'-{words}-', f'-{NUMBERS.sub("", words)}'
    return (
        next((each for each, listed in CLEAR if _has(padded, listed, '-')), None)
        or _detect_personal(name)
        or next((each for each, listed in WHOLE_NAMES if words in listed.split()), None)
        or next((each for each, listed in LAST if _has(ended, listed, '$')), None)
        or MEANINGS.get(PREPOSITIONS.sub('', NUMBERS.sub('', words)).rpartition('-')[2])
        or next((each for each, listed in ANYWHERE if _has(padded, listed, '-')), None)
    )


def names_person(name: str) -> bool:
    """Return whether a name contains a word for a person: ``patient_nbr``."""
    return not set(PERSONS.split()).isdisjoint(split_words(name))


def shows_people(name: str) -> bool:
    """Return whether the name of a learned column suggests free text or identification of people.

    Names of things (``product_name``) and of places do not count.
    """
    sdtype, words = guess_sdtype(name), split_words(name)
    if sdtype == 'text':
        return words[-1] not in SHORT or words == ['name']
    return sdtype is not None and sdtype not in (*LEARNED, 'id', *OF_PLACES.split())


def _has(words: str, listed: str, end: str) -> bool:
    return re.search(f'-({"|".join(listed.split())}){end}', words) is not None


def _detect_personal(name: str) -> str | None:
    """Return the personal sdtype that SDV detects by a name, without a row."""
    from sdv.metadata import Metadata

    header = pd.DataFrame(columns=[name], dtype=float)
    found = Metadata.detect_from_dataframes({'table': header}, infer_keys=None)
    sdtype: str = found.tables['table'].columns[name]['sdtype']
    return None if sdtype in LEARNED else sdtype
