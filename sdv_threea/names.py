"""Names of tables, which become names of files, and texts that are shown.

Names that lead out of a folder are refused. Characters that move a cursor are escaped.
"""

import re
import unicodedata
from collections.abc import Iterable

#: Names of devices on Windows, with any ending.
RESERVED = re.compile(r'(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?', re.IGNORECASE)

#: Characters that lead to another folder or another drive.
LEADS_AWAY = re.compile(r'[/\\]|^[A-Za-z]:')

#: Unicode categories of characters that control a terminal or cannot be shown; and marks by which a
#: terminal shows a text in another order.
LINE, UNPRINTED = '\n', {'Cc', 'Cs', 'Zl', 'Zp'}
REORDERING = set('\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')


def check_table_names(names: Iterable[object]) -> None:
    """Raise a ``ValueError`` if the name of a table is no safe name of a file on every system.

    Formal guarantees:
        * a file that is named after the table, with any ending, is in the intended folder
        * the name contains no character that controls a terminal
    """
    for name in names:
        problem = _find_problem(name)
        if problem:
            raise ValueError(
                f'The table name {name!a} {problem}: files are named after tables, so choose '
                'another name.'
            )


def printable(text: str) -> str:
    """Escape the characters of a text that control a terminal, except ends of lines."""
    if text.isprintable():
        return text
    return ''.join(ascii(each)[1:-1] if _is_obeyed(each) else each for each in text)


def _find_problem(name: object) -> str | None:
    if not isinstance(name, str):
        return 'is no text'
    if not name.strip() or name.strip() in {'.', '..'}:
        return 'names no file'
    if any(map(_is_obeyed, name)) or LINE in name:
        return 'has characters that cannot be printed'
    if LEADS_AWAY.search(name):
        return 'leads to another folder'
    if RESERVED.fullmatch(name.strip()):
        return 'is reserved'
    return None


def _is_obeyed(character: str) -> bool:
    category = unicodedata.category(character)
    return (category in UNPRINTED and character != LINE) or character in REORDERING
