"""Proposals from names and types: the first line of a CSV file, a Parquet schema, or dtypes.

Formal guarantees, of every function here:
    * the result is a function of the column names, and of the columns' types in a Parquet file or a
      DataFrame: no cell is read
    * no message shows anything else of a file
"""

import codecs
import csv
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.guesses import LEARNED
from sdv_threea.metadata.column_facts import StatedColumn, fitting
from sdv_threea.metadata.proposal import Proposal
from sdv_threea.metadata.words import TEXTS, guess_by_name, read_type

#: The largest number of characters of a line of names, so that a file without line ends is not read
#: whole.
LONGEST = 2**17

#: Line ends of any system. They end a line inside quotes too: if a name could continue in the next
#: line, so could a row.
ENDS = '\r\n'

#: Usual separators of names.
SEPARATORS = (',', ';', '\t', '|')

#: Texts that cannot be column names: dates, email addresses, missing cells and truth values.
VALUE = re.compile(
    r'\d{4}-\d\d?-\d\d?.*|.*@.*|nan|none|null|na|n/a|true|false', re.IGNORECASE | re.DOTALL
)

#: zlib's ``wbits`` for gzip.
GZIP = 31

#: Sdtypes that SDV makes up as fractions: columns of whole numbers with such names become ids.
FRACTIONS = ('latitude', 'longitude')


def propose_from_csv(
    path: str | os.PathLike[str],
    table: str | None = None,
    *,
    separator: str = ',',
    encoding: str = 'utf-8',
) -> Proposal:
    """Propose metadata from the line of names of a CSV file, and from nothing else of it.

    Formal guarantees:
        * the file is read byte by byte up to the end of its first line that is not empty; the last
          byte of a ``.gz`` file may hold letters of the next line, which are dropped
        * a first line that looks like a row is refused, and not shown

    Args:
        path: The file. Its first line must have the names.
        table: The name of the table; by default that of the file.
        separator: The character between names.
        encoding: The encoding.

    Returns:
        The proposal, with guesses from the names.

    Raises:
        InputError: If the first line does not have names.
    """
    path = Path(path)
    with path.open('rb', buffering=0) as file:
        line = _read_line(path, file, encoding)
    if line.count('"') % 2:
        raise InputError(f"A name in the first line of '{path}' continues in the next line.")
    # A quoted name may contain the separator.
    names = next(csv.reader([line], delimiter=separator), [])
    if wrong := _find_values([name.strip() for name in names]):
        raise InputError(
            f"The first line of '{path}' does not consist of names: its entries {wrong} are no "
            'names, or repeat one. They are not shown, because they may be a row. If the file has '
            'an index, write it without the index.'
        )
    others = {each: line.count(each) for each in SEPARATORS if each != separator}
    if len(names) == 1 and max(others.values()):
        best = max(others, key=lambda each: others[each])
        raise InputError(f"The first line of '{path}' looks separated by {best!r}: set separator.")
    source = f"Only the first line of '{path}' was read, with the names of columns."
    return Proposal({table or name_table(path): tuple(map(guess_by_name, names))}, (source,))


def propose_from_parquet(path: str | os.PathLike[str], table: str | None = None) -> Proposal:
    """Propose metadata from the schema of a Parquet file, and from nothing else of it.

    The schema has names, types, and the columns without missing cells. The file's statistics, which
    have the smallest and the largest cells, are not used.

    Args:
        path: The file.
        table: The name of the table; by default that of the file.

    Raises:
        InputError: If the file is not a Parquet file, or PyArrow is not installed.
    """
    from sdv_threea.storage.files import read_types  # late: loads SDV

    path = Path(path)
    columns = tuple(_read_field(*each) for each in read_types(path))
    source = f"Only the schema of '{path}' was read, with names and types."
    return Proposal({table or name_table(path): columns}, (source,))


def name_table(path: Path) -> str:
    """Return the name of a file without its ending, as the name of a table."""
    return path.name.split('.')[0] or 'table'


def propose_from_dtypes(dtypes: pd.Series, table: str) -> Proposal:
    """Propose metadata from the names and dtypes of columns (``DataFrame.dtypes``)."""
    columns = tuple(_read_dtype(name, dtype) for name, dtype in dtypes.items())
    return Proposal({table: columns}, ('Names and dtypes were read, and no row.',))


def find_sdtype(dtype: Any) -> str | None:
    """Return the sdtype of a column with this dtype; ``None`` if tables cannot have the dtype."""
    types = pd.api.types
    if types.is_bool_dtype(dtype):
        return 'boolean'
    if types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype):
        return 'numerical'
    if types.is_datetime64_any_dtype(dtype):
        return 'datetime'
    is_listed = isinstance(dtype, pd.CategoricalDtype | pd.StringDtype)
    return 'categorical' if is_listed or types.is_object_dtype(dtype) else None


def _read_field(name: str, kind: str, is_nullable: bool) -> StatedColumn:
    try:
        sdtype, decimals = read_type(kind)
    except ValueError:
        return _deny(name, kind)
    nullable = None if is_nullable else False
    return _combine(StatedColumn(name=name, decimals=decimals, nullable=nullable), sdtype)


def _read_dtype(name: Any, dtype: Any) -> StatedColumn:
    sdtype = find_sdtype(dtype)
    if sdtype is None:
        return _deny(name, dtype)
    is_text = sdtype == 'categorical' and not isinstance(dtype, pd.CategoricalDtype)
    decimals = 0 if pd.api.types.is_integer_dtype(dtype) else None
    return _combine(StatedColumn(name=name, decimals=decimals), None if is_text else sdtype)


def _deny(name: Any, kind: object) -> StatedColumn:
    return StatedColumn(name=name, notes=(f'The type {kind} is not one of a table.',))


def _combine(column: StatedColumn, sdtype: str | None) -> StatedColumn:
    """Set a column's sdtype by its type, or by its name if the type leaves it open.

    Numbers and categories become keys or personal information if their name suggests so. Texts (no
    sdtype) become what their name suggests.
    """
    guessed = guess_by_name(str(column.name))
    is_settled = sdtype in ('boolean', 'datetime') or guessed.sdtype in (None, 'text', *LEARNED)
    if sdtype is not None and is_settled:
        return replace(column, sdtype=sdtype, typed=sdtype == 'datetime')
    found, guess = guessed.sdtype or 'categorical', guessed.guess or TEXTS
    if found == 'numerical' and sdtype is None:  # a text column holds no numbers
        found, guess = 'categorical', TEXTS
    found = 'id' if found in FRACTIONS and column.decimals == 0 else found
    nullable = column.nullable if found in LEARNED else None
    return fitting(replace(column, sdtype=found, guess=guess, nullable=nullable))


def _read_line(path: Path, file: BinaryIO, encoding: str) -> str:
    line = ''
    encoding = 'utf-8-sig' if codecs.lookup(encoding).name == 'utf-8' else encoding
    decoder = codecs.getincrementaldecoder(encoding)()
    compressed = path.name.endswith('.gz')
    try:
        for byte in _decompress(file) if compressed else _read_bytes(file):
            letter = decoder.decode(byte)
            if letter and letter in ENDS:
                if line:
                    return line
                continue
            line += letter
            if len(line) > LONGEST:
                raise InputError(f"The first line of '{path}' is too long for a line of names.")
        return line + decoder.decode(b'', final=True)
    except UnicodeError:
        raise InputError(f"'{path}' is not text in {encoding}: set its encoding.") from None
    except zlib.error:
        raise InputError(f"'{path}' ends in .gz, and is not compressed by gzip.") from None


def _read_bytes(file: BinaryIO) -> Iterator[bytes]:
    while byte := file.read(1):
        yield byte


def _decompress(file: BinaryIO) -> Iterator[bytes]:
    """Yield the letters of a file; read a compressed byte only when the last one is used up."""
    decompressor = zlib.decompressobj(GZIP)
    for byte in _read_bytes(file):
        for letter in decompressor.decompress(byte):
            yield bytes([letter])


def _find_values(names: list[str]) -> list[int]:
    """Return the positions of entries that cannot be names: numbers, dates, blanks, repetitions."""
    return [
        at
        for at, name in enumerate(names, 1)
        if not name
        or name in names[: at - 1]
        or VALUE.fullmatch(name)
        or not any(letter.isalpha() for letter in name)
    ] or ([] if names else [1])
