"""Spellings in data dictionaries, and guesses from column names for the user to check."""

import json
import math
import re
from collections.abc import Hashable

from sdv_threea.guesses import guess_sdtype
from sdv_threea.metadata.column_facts import StatedColumn

#: Headers of the columns of a data dictionary by meaning, in lower case and letters only.
HEADERS = {
    'name': 'name column columnname variable variablename variablefieldname field fieldname '
    'attribute',
    'table': 'table tablename entity resource',
    'sdtype': 'sdtype type datatype fieldtype columntype dtype kind',
    'low': 'min minimum low lower lowest rangemin minvalue minimumvalue textvalidationmin',
    'high': 'max maximum high upper highest rangemax maxvalue maximumvalue textvalidationmax',
    'range': 'range validrange limits bounds',
    'values': 'values allowedvalues validvalues permittedvalues categories levels codes enum '
    'options rangevalues valuelabels choices choicescalculationsorsliderlabels',
    'nullable': 'nullable null missing maybemissing missingallowed optional rangeisnullable '
    'isnullable allownull canbemissing',
    'required': 'required mandatory notnull requiredfield',
    'decimals': 'decimals decimalplaces scale',
    'template': 'format datetimeformat dateformat',
    'key': 'key primarykey',
    'references': 'references foreignkey refersto',
    'description': 'description label fieldlabel comment comments meaning notes definition',
    'open': 'tostate',
}

#: Words for sdtypes.
TYPES = {
    'numerical': 'numerical number numeric float double real decimal continuous quantity currency '
    'money integer int bigint smallint tinyint whole count year long short',
    'categorical': 'categorical category nominal enum factor code coded choice radio dropdown '
    'select list',
    'ordinal': 'ordinal ordered likert rank',
    'boolean': 'boolean bool logical flag yesno truefalse yes/no true/false',
    'datetime': 'datetime date timestamp datetimezone timestamptz',
    'id': 'id key identifier uuid guid serial',
    'text': 'freetext memo comment notes',
}

#: Types of whole numbers.
WHOLE = 'year int long tinyint integer bigint whole smallint short count'

#: Types of texts, which suggest no sdtype because texts may hold anything.
ANYTHING = 'object text varchar char character any string str unknown nvarchar'

TRUE = {'allowed', 'x', 'yes', 'true', 'y', 't', '1'}
FALSE = {'false', '0', 'none', 'n', 'f', 'no', 'notnull', 'never'}

#: A number, and the two ends of a range.
NUMBER = r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?'
BETWEEN = re.compile(
    rf'({NUMBER})\s*(?:-|–|—|to|\.\.\.?|…)\s*({NUMBER})'
    rf'|[\[(]\s*({NUMBER})\s*[,;]\s*({NUMBER})\s*[\])]',
    re.IGNORECASE,
)
BOUND = re.compile(rf'(>=|≥|<=|≤)\s*({NUMBER})')

#: Parts of date formats outside Python, longest first; ``mm`` after hours are minutes.
DATE_PARTS = (
    ('yyyy', '%Y'),
    ('yy', '%y'),
    ('mmm', '%b'),
    ('mi', '%M'),
    ('mm', '%m'),
    ('dd', '%d'),
    ('hh24', '%H'),
    ('hh', '%H'),
    ('ss', '%S'),
)


#: The reason to guess a category: a column of texts whose name suggests nothing else.
TEXTS = 'as it holds texts'


def find_header(word: object) -> str | None:
    """Return the meaning of a data dictionary's column by its header."""
    found = re.sub(r'[^a-z]', '', str(word).lower())
    return next((field for field, words in HEADERS.items() if found in words.split()), None)


def read_type(word: str) -> tuple[str | None, int | None]:
    """Return the sdtype and the decimals of a type, ``None`` if the type leaves one open."""
    spelt = word.strip().lower()
    inside = re.search(r'\((\d+)\s*,\s*(\d+)\)', spelt)
    bare = re.sub(r'[\s_-]', '', re.split(r'[(\[]', spelt)[0])
    stem = bare.rstrip('0123456789').removeprefix('u') if bare[-1:].isdigit() else bare
    for each in (bare, stem):
        for sdtype, words in TYPES.items():
            if each in words.split():
                whole = 0 if each in WHOLE.split() else None
                return sdtype, int(inside[2]) if inside and sdtype == 'numerical' else whole
        if each in ANYTHING.split():
            return None, None
    raise ValueError(word)


def read_truth(word: str) -> bool | None:
    """Return whether a word means yes; ``None`` if it means neither yes nor no."""
    spelt = re.sub(r'[\s_]', '', word.strip().lower())
    return True if spelt in TRUE else False if spelt in FALSE else None


def read_number(text: str) -> float | int | None:
    """Return the number that a text spells, as an integer if it is whole, or ``None``."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(text) if re.fullmatch(r'\s*[-+]?\d+\s*', text) else number


def read_range(text: str) -> tuple[float | None, float | None] | None:
    """Return the ends of a range of numbers: ``0-120``, ``[0, 120]``, ``0 to 120``, ``>= 0``."""
    if found := BETWEEN.fullmatch(text.strip()):
        return read_number(found[1] or found[3]), read_number(found[2] or found[4])
    bounds = dict((sign[0] in '>≥', number) for sign, number in BOUND.findall(text))
    if not bounds or BOUND.sub('', text).strip(' ,;and&'):
        return None
    low, high = (bounds.get(end) for end in (True, False))
    return low and read_number(low), high and read_number(high)


def read_values(text: str, *, as_texts: bool = False) -> tuple[tuple[Hashable, ...], bool]:
    """Return the values of a list, each once, and whether they are codes with labels.

    A list is JSON, or separated by line ends, ``|``, ``;`` or ``,``. In ``1 = male``, ``1: male``
    and REDCap's ``1, male | 2, female`` the codes are the values.
    """
    if text.strip().startswith('['):
        try:
            return tuple(dict.fromkeys(json.loads(text))), False
        except (ValueError, TypeError):  # it only looks like JSON
            text = text.strip().strip('[]')
    parts = _split(text)
    found, labelled = parts, False
    for label in (r'\s*=+\s*', r'\s*:\s+', r'\s*,\s*'):
        pairs = [re.split(label, part, maxsplit=1) for part in parts]
        if all(len(pair) == 2 and pair[0] for pair in pairs):
            found, labelled = [code for code, _ in pairs], bool(parts)
            break
    values = tuple(dict.fromkeys(found))
    # 01 is a text, because numbers do not start with a zero.
    whole = bool(values) and all(re.fullmatch(r'0|-?[1-9]\d{0,17}', value) for value in values)
    return (tuple(map(int, values)) if whole and not as_texts else values), labelled


def read_template(text: str) -> str | None:
    """Return a date format in Python's notation: ``YYYY-MM-DD`` becomes ``%Y-%m-%d``."""
    if '%' in text:
        return text.strip()
    spelt, left = '', text.strip()
    while left:
        part = next((each for each in DATE_PARTS if left.lower().startswith(each[0])), None)
        if part is None and left[0].isalpha() and left[0] not in 'TZ':
            return None
        word, directive = part or (left[0], left[0])
        if directive == '%m' and '%H' in spelt and '%M' not in spelt:
            directive = '%M'
        spelt, left = spelt + directive, left[len(word) :]
    return spelt if '%' in spelt else None


def _split(text: str) -> list[str]:
    separator = next((each for each in ('\n', '|', ';', ',') if each in text), '\n')
    parts = [part.strip().strip('\'"').strip() for part in text.split(separator)]
    return [part for part in parts if part]


def guess_by_name(name: str) -> StatedColumn:
    """Return a column with the sdtype that its name suggests, or without one."""
    sdtype = guess_sdtype(name)
    return StatedColumn(name=name, sdtype=sdtype, guess='by its name' if sdtype else '')
