"""Proposals from names and types alone: the first line of a CSV file, the schema of a Parquet file.

Formal guarantees, of every function here:
    * what is returned is a function of the names of columns, and of the types of a Parquet file: no
      cell is read
    * no message shows what a file holds beyond that
"""

from __future__ import annotations

import codecs
import csv
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from sdv_threea.errors import InputError
from sdv_threea.metadata.columns import StatedColumn
from sdv_threea.metadata.naming import guess_by_name
from sdv_threea.metadata.proposal import Proposal
from sdv_threea.metadata.words import read_type

#: A line of names that is longer is none: a file without ends of lines is not read to its end.
LONGEST = 2**17

#: What ends a line, whichever system wrote it. It ends one inside quotes too: if a name could go on
#: in the next line, so could a row.
ENDS = '\r\n'

#: What separates names, in the files that one meets.
SEPARATORS = (',', ';', '\t', '|')

#: What is a value and no name: dates, addresses of mail, missing cells and truth values.
VALUE = re.compile(
    r'\d{4}-\d\d?-\d\d?.*|.*@.*|nan|none|null|na|n/a|true|false', re.IGNORECASE | re.DOTALL
)

#: What zlib is to expect of a file that ends in .gz.
GZIP = 31

#: What is proposed of texts whose name says nothing.
TEXTS = 'as it holds texts'


def propose_from_csv(
    path: str | os.PathLike[str],
    table: str | None = None,
    *,
    separator: str = ',',
    encoding: str = 'utf-8',
) -> Proposal:
    """Propose metadata from the line of names of a CSV file, and from nothing else of it.

    Formal guarantees:
        * of the file, the first line that is not empty is read, byte by byte, and no byte behind
          it; of a file that ends in ``.gz``, what is compressed in the same byte as its end is
          dropped
        * a first line that looks like a row is refused, and not shown

    Args:
        path: The file. Its first line must be one of names.
        table: What the table is called; by default as the file.
        separator: The character between names.
        encoding: The encoding.

    Returns:
        The proposal: what the names say. That is little, and a guess.

    Raises:
        InputError: If the first line is not one of names.
    """
    path = Path(path)
    with path.open('rb', buffering=0) as file:
        line = _read_line(path, file, encoding)
    if line.count('"') % 2:
        raise InputError(f"A name in the first line of '{path}' goes on in the next line.")
    # A name that is quoted may hold the separator.
    names = next(csv.reader([line], delimiter=separator), [])
    if wrong := _find_values([name.strip() for name in names]):
        raise InputError(
            f"The first line of '{path}' is no line of names: what it has at the places "
            f'{wrong} is no name, or is there twice. It is not shown, as it may be a row. If the '
            'file begins with an index, write it without.'
        )
    others = {each: line.count(each) for each in SEPARATORS if each != separator}
    if len(names) == 1 and max(others.values()):
        best = max(others, key=lambda each: others[each])
        raise InputError(f"The first line of '{path}' looks separated by {best!r}: say separator.")
    source = f"Of '{path}' the first line was read, for the names of columns, and no row."
    return Proposal({table or name_table(path): tuple(map(guess_by_name, names))}, (source,))


def propose_from_parquet(path: str | os.PathLike[str], table: str | None = None) -> Proposal:
    """Propose metadata from the schema of a Parquet file, and from nothing else of it.

    The schema has names, types, and which columns cannot be missing. The file's statistics, which
    have the smallest and the largest cells, are not used.

    Args:
        path: The file.
        table: What the table is called; by default as the file.

    Returns:
        The proposal.

    Raises:
        InputError: If it is no Parquet file, or PyArrow is not installed.
    """
    from sdv_threea.storage.parquet import read_types  # it loads SDV

    path = Path(path)
    columns = tuple(_read_field(*each) for each in read_types(path))
    source = f"Of '{path}' the schema was read, for names and types, and no row."
    return Proposal({table or name_table(path): columns}, (source,))


def name_table(path: Path) -> str:
    """Return what a table in a file is called: the name of the file, without its ending."""
    return path.name.split('.')[0] or 'table'


def _read_field(name: str, kind: str, is_nullable: bool) -> StatedColumn:
    guessed = guess_by_name(name)
    nullable = None if is_nullable else False
    try:
        sdtype, decimals = read_type(kind)
    except ValueError:
        return StatedColumn(name=name, notes=(f'The type {kind} is not one of a table.',))
    if sdtype is None:
        sdtype, guess = guessed.sdtype or 'categorical', guessed.guess or TEXTS
        learned = sdtype in ('categorical', 'datetime', 'numerical', 'boolean')
        return StatedColumn(
            name=name, sdtype=sdtype, guess=guess, nullable=nullable if learned else None
        )
    stored = StatedColumn(name=name, sdtype=sdtype, decimals=decimals, nullable=nullable)
    if sdtype == 'datetime':
        return replace(stored, typed=True)
    if guessed.sdtype == 'id' and decimals == 0:
        return replace(guessed, nullable=None)
    return stored


def _read_line(path: Path, file: BinaryIO, encoding: str) -> str:
    """Read a file up to the end of its first line."""
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
        raise InputError(f"'{path}' is not text in {encoding}: say its encoding.") from None
    except zlib.error:
        raise InputError(f"'{path}' ends in .gz, and is not compressed by gzip.") from None


def _read_bytes(file: BinaryIO) -> Iterator[bytes]:
    while byte := file.read(1):
        yield byte


def _decompress(file: BinaryIO) -> Iterator[bytes]:
    """Decompress a file, reading no byte of it before what the last one stands for is used up."""
    decompressor = zlib.decompressobj(GZIP)
    for byte in _read_bytes(file):
        for letter in decompressor.decompress(byte):
            yield bytes([letter])


def _find_values(names: list[str]) -> list[int]:
    """Return the places of what is no name: numbers, dates, nothing, and what is there twice."""
    return [
        at
        for at, name in enumerate(names, 1)
        if not name
        or name in names[: at - 1]
        or VALUE.fullmatch(name)
        or not any(letter.isalpha() for letter in name)
    ] or ([] if names else [1])
