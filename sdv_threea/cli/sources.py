"""Find the files of tables, check their kinds, and read options on the format of CSV.

This module loads no library, so that wrong arguments are reported at once.
"""

import codecs
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sdv_threea.cli.refusals import RefusedError

#: The endings of files that hold a table; the endings of those that can also be read.
WRITTEN = ('.csv', '.csv.gz', '.tsv', '.tsv.gz', '.parquet')
SUFFIXES = (*WRITTEN, '.xlsx')

#: The library that a kind of file needs, and the extra that installs it.
NEEDED = {'.parquet': ('Parquet', 'pyarrow', 'parquet'), '.xlsx': ('Excel', 'openpyxl', 'excel')}

#: The usual separators of cells.
SEPARATORS = (',', ';', '\t', '|')

#: Spellings of a tab on a command line.
TABS = ('tab', '\\t')

#: Byte order marks, which programs on Windows write at the start of CSV files, and encodings.
MARKS = {codecs.BOM_UTF16_LE: 'utf-16', codecs.BOM_UTF16_BE: 'utf-16'}


@dataclass(frozen=True)
class CsvFormat:
    """The format of CSV files."""

    separator: str = ','
    encoding: str = 'utf-8'
    only_empty: bool = False


def read_format(settings: Mapping[str, Any]) -> CsvFormat:
    """Return the format that the options of a command state."""
    separator, encoding = settings['separator'], settings['encoding']
    separator = '\t' if separator in TABS else separator
    if len(separator) != 1 or separator.isalnum() or separator in '"\'\r\n.+-_ ':
        raise RefusedError("--separator must be one character, such as ';', or tab.")
    try:
        is_text = codecs.lookup(encoding)._is_text_encoding
    except LookupError:
        is_text = False
    if not is_text:
        raise RefusedError(f"--encoding '{encoding}' is not known: try utf-8, cp1252 or utf-16.")
    return CsvFormat(separator, encoding, settings.get('missing') == 'empty')


def find_form(path: Path, form: CsvFormat) -> CsvFormat:
    """Return the format of a file: tabs separate the cells of a TSV file."""
    return replace(form, separator='\t') if '.tsv' in path.suffixes else form


def show_separator(separator: str) -> str:
    """Return a separator as it is written on a command line."""
    return 'tab' if separator == '\t' else f"'{separator}'"


def find_tables(source: Path, names: Iterable[str]) -> dict[str, Path]:
    """Return the file of each table."""
    names = list(names)
    if source.is_file() and len(names) > 1:
        raise RefusedError(
            f"The metadata has the tables {names}, and '{source}' is one file: give a folder with "
            'a file for each.'
        )
    found = {name: _find_in_folder(source, name) for name in names if source.is_dir()}
    found = found or {names[0]: source}
    for path in found.values():
        check_kind(path, SUFFIXES)
    return found


def check_source(source: Path) -> None:
    """Check the kind of a file before any library is loaded; folders are checked later."""
    if source.is_file():
        check_kind(source, SUFFIXES)


def check_kind(path: Path, known: tuple[str, ...] = WRITTEN) -> None:
    """Check the ending of a file, which is by default one of those that can be written."""
    if not path.name.endswith(known):
        raise RefusedError(f"'{path}' is not a known kind of table: {_either(known)}.")
    kind, library, extra = NEEDED.get(path.suffix, ('', '', ''))
    if library and find_spec(library) is None:
        raise RefusedError(
            f"'{path}' is {kind}, which needs {library}: pip install 'sdv-threea[{extra}]'."
        )


def _find_in_folder(folder: Path, name: str) -> Path:
    found = [path for suffix in SUFFIXES if (path := folder / f'{name}{suffix}').is_file()]
    if len(found) != 1:
        count = 'several files' if found else 'no file'
        expected = _either(name + suffix for suffix in SUFFIXES)
        raise RefusedError(f"'{folder}' has {count} for the table '{name}': it takes {expected}.")
    return found[0]


def _either(words: Iterable[str]) -> str:
    *most, last = words
    return f'{", ".join(most)} or {last}'


def check_description(
    path: Path, targets: Iterable[str] = (), named: Mapping[str, Iterable[str]] | None = None
) -> None:
    """Check that the metadata has the columns and tables that options name.

    Metadata of an older form is not checked, because SDV translates it first. ``targets`` are
    values of ``--target``; ``named`` has tables by option.
    """
    try:
        described = json.loads(path.read_text('utf-8'))
        tables = described.get('tables')
        tables and {name: table['columns'] for name, table in tables.items()}
    except (ValueError, AttributeError, KeyError, TypeError):
        raise RefusedError(f"'{path}' is not metadata that SDV saved as JSON.") from None
    if not tables:
        return
    for target in targets:
        split_target(target, tables)
    for option, names in (named or {}).items():
        for name in names:
            if len(tables) > 1 and name not in tables:
                raise RefusedError(
                    f"{option} '{name}' is not in the metadata, which has the tables "
                    f'{list(tables)}.'
                )


def split_target(
    target: str, tables: Mapping[str, Mapping[str, Any]], option: str = '--target'
) -> tuple[str, str]:
    """Return table and column of ``COLUMN`` or ``TABLE.COLUMN``.

    Both names may contain a dot, so the metadata decides where to split.
    """
    found = [
        (table, column)
        for table, described in tables.items()
        for column in described['columns']
        if target == f'{table}.{column}' or (target == column and len(tables) == 1)
    ]
    if len(found) != 1:
        asked = 'TABLE.COLUMN' if len(tables) > 1 else 'COLUMN'
        one = next(iter(tables.values())) if len(tables) == 1 else {'columns': ()}
        listed = f' The columns are {list(one["columns"])}.' if one['columns'] else ''
        raise RefusedError(f"{option} '{target}' is not a column: give {asked}.{listed}")
    return found[0]
