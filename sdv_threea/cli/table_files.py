"""Tables in files: read and written.

The dtypes of a table that is read depend on the metadata, or on the schema of a Parquet file, but
never on cells. Readers that guess types look at all rows: one missing cell turns integers into
floats, and one letter turns numbers into texts. A release publishes dtypes, so guessed dtypes would
disclose something about single cells. All cells of a CSV file are therefore read as texts, and
converted to the types that the metadata states.
"""

import codecs
import csv
import datetime
import gzip
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.sources import (
    MARKS,
    SEPARATORS,
    CsvFormat,
    find_form,
    read_format,
    show_separator,
)
from sdv_threea.storage.files import write_csv
from sdv_threea.storage.metadata import learned_as

#: The first characters of cells that a spreadsheet runs as formulas.
FORMULAS = ('=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n')

#: The texts that are read as booleans, in lower case.
TRUTHS = {'true': True, '1': True, '1.0': True, 'false': False, '0': False, '0.0': False}


#: The error for a file without a line of names.
NO_NAMES = (
    "The first line of '{}' names no column of the metadata, which has {}. It must be a line of "
    'names.'
)


def read_table(
    path: Path,
    columns: Mapping[str, Mapping[str, Any]],
    form: CsvFormat = CsvFormat(),  # noqa: B008 (frozen)
    *,
    use_values: bool = False,
    coerce: bool = False,
) -> pd.DataFrame:
    """Return the table in a file of a known kind.

    Formal guarantees:
        * the dtypes are a function of the metadata, or of the schema of a Parquet file
        * error messages name columns, and show no cell

    Returns:
        CSV and Excel files give numbers as floats, booleans as ``boolean`` and all other columns as
        texts; Parquet files the dtypes of their schema, but nullable integers and booleans.
    """
    if path.name.endswith('.parquet'):
        return _read_parquet(path)
    columns = {name: {**each, 'sdtype': learned_as(each)} for name, each in columns.items()}
    form = find_form(path, form)
    excel = path.suffix == '.xlsx'
    texts = _read_excel(path, columns, form) if excel else _read_csv(path, columns, form)
    return pd.DataFrame(
        {
            name: interpret(
                texts[name], path, columns.get(name, {}), use_values=use_values, coerce=coerce
            )
            for name in texts.columns
        }
    )


def read_tables(
    files: Mapping[str, Path],
    metadata: Any,
    settings: Mapping[str, Any],
    step: Callable[[str], object] = str,
) -> dict[str, pd.DataFrame]:
    """Return the tables in files, read as the metadata and the options state."""
    tables, form = {}, read_format(settings)
    coerce = settings.get('invalid_cells') == 'coerce'
    for name, path in files.items():
        step(f'Reading {name}')
        columns, use_values = metadata.tables[name].columns, settings.get('public_metadata', False)
        tables[name] = read_table(path, columns, form, use_values=use_values, coerce=coerce)
    return tables


def write_table(
    table: pd.DataFrame,
    path: Path,
    form: CsvFormat = CsvFormat(),  # noqa: B008 (frozen)
    *,
    for_spreadsheets: bool = False,
) -> None:
    """Write a table in the format of the file's ending."""
    if path.name.endswith('.parquet'):
        table.to_parquet(path, engine='pyarrow', index=False)
        return
    whole = table.convert_dtypes(
        infer_objects=False, convert_string=False, convert_boolean=False, convert_floating=False
    )
    spelt = _disarm(whole) if for_spreadsheets else whole
    form = find_form(path, form)
    try:
        write_csv(spelt, path, separator=form.separator, encoding=form.encoding)
    except UnicodeEncodeError:
        raise RefusedError(
            f'--encoding {form.encoding} lacks a character of the table: write utf-8.'
        ) from None


def _disarm(table: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before spreadsheet formulas, but not before numbers stored as texts."""

    def disarm(cell: Any) -> Any:
        armed = isinstance(cell, str) and cell.startswith(FORMULAS) and not _is_number(cell)
        return f"'{cell}" if armed else cell

    texts = table.select_dtypes(exclude=['number', 'bool', 'datetime', 'datetimetz', 'timedelta'])
    disarmed = {name: texts[name].astype(object).map(disarm) for name in texts}
    return table.assign(**disarmed).rename(columns=disarm)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_csv(
    path: Path, columns: Mapping[str, Mapping[str, Any]], form: CsvFormat
) -> pd.DataFrame:
    _check_first_line(path, columns, form)
    how = {'sep': form.separator, 'encoding': _skip_mark(form.encoding), **_choose_missing(form)}
    try:
        texts = pd.read_csv(path, dtype=str, **how)
    except UnicodeError:
        raise _not_text(path, form) from None
    except (ValueError, EOFError):
        # pandas' messages on malformed rows may quote cells.
        texts = None
    if texts is None or not isinstance(texts.index, pd.RangeIndex):
        raise RefusedError(
            f"'{path}' cannot be read: it must have a line of names, and equally many cells in "
            f'every line, separated by {show_separator(form.separator)}. For another separator, '
            'set --separator.'
        )
    return texts


def _check_first_line(path: Path, columns: Mapping[str, Any], form: CsvFormat) -> None:
    """Refuse a first line that names no column, or shows another separator or encoding.

    The message depends only on column names, and on whether the first line has any.
    """
    try:
        opener = gzip.open if path.name.endswith('.gz') else open
        with opener(path, 'rb') as file:
            beginning = file.read(len(codecs.BOM_UTF16_LE))
        for mark, encoding in MARKS.items():
            if beginning == mark and codecs.lookup(form.encoding).name != encoding:
                raise RefusedError(f"'{path}' is text in {encoding}: set --encoding {encoding}.")
        with opener(path, 'rt', encoding=_skip_mark(form.encoding), newline='') as lines:
            line = next(iter(lines), '')
    except UnicodeError:
        raise _not_text(path, form) from None
    except (gzip.BadGzipFile, EOFError):
        raise RefusedError(f"'{path}' ends in .gz, and is not compressed by gzip.") from None
    named = {each: _count_names(line, each, columns) for each in (form.separator, *SEPARATORS)}
    best = max(named, key=lambda each: named[each])
    if named[best] > named[form.separator]:
        raise RefusedError(
            f"'{path}' looks as if its cells were separated by {show_separator(best)}: set "
            f'--separator {show_separator(best)}.'
        )
    if columns and not named[best] and line.count('"') % 2 == 0:  # a name may contain a line end
        raise RefusedError(NO_NAMES.format(path, list(columns)))


def _choose_missing(form: CsvFormat) -> dict[str, Any]:
    return {'keep_default_na': False, 'na_values': ['']} if form.only_empty else {}


def _count_names(line: str, separator: str, columns: Mapping[str, Any]) -> int:
    try:
        return len(set(columns) & set(next(csv.reader([line], delimiter=separator), [])))
    except csv.Error:
        return 0


def _skip_mark(encoding: str) -> str:
    """Return the encoding that ignores an optional byte order mark of UTF-8."""
    return 'utf-8-sig' if codecs.lookup(encoding).name == 'utf-8' else encoding


def _not_text(path: Path, form: CsvFormat) -> RefusedError:
    return RefusedError(
        f"'{path}' is not text in {form.encoding}: set its --encoding, often cp1252 for files "
        'written by Windows or Excel.'
    )


def _read_excel(
    path: Path, columns: Mapping[str, Mapping[str, Any]], form: CsvFormat
) -> pd.DataFrame:
    try:
        cells = pd.read_excel(path, dtype=object, **_choose_missing(form))
    except (ValueError, KeyError, BadZipFile):
        raise RefusedError(f"'{path}' cannot be read as Excel.") from None
    cells = cells.rename(columns=str)
    if columns and not set(columns) & set(cells):
        raise RefusedError(NO_NAMES.format(path, list(columns)))
    return pd.DataFrame(
        {
            name: cells[name].map(
                partial(_spell_cell, form=columns.get(name, {}).get('datetime_format')),
                na_action='ignore',
            )
            for name in cells
        },
        dtype=object,
    )


def _spell_cell(cell: Any, form: str | None) -> str:
    if isinstance(cell, datetime.date | datetime.time):
        return cell.strftime(form) if form else str(cell)
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell)


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path, engine='pyarrow', dtype_backend='numpy_nullable')
    except ValueError:
        raise RefusedError(f"'{path}' cannot be read as Parquet.") from None
    # NumPy's floats have one missing value (NaN); pandas' floats have two.
    floats = table.select_dtypes('floating').columns
    return table.astype(dict.fromkeys(floats, np.float64))


def interpret(
    texts: pd.Series,
    source: object,
    description: Mapping[str, Any],
    *,
    use_values: bool = False,
    coerce: bool = False,
) -> pd.Series:
    """Return the texts of a column in the dtype that :func:`read_table` states."""
    values = description.get('range_values') if use_values else None
    match description.get('sdtype'):
        case 'numerical':
            spelt = pd.to_numeric(texts, errors='coerce').notna()
            if not coerce:
                _check_cells(texts, spelt, source, 'not numbers')
            return texts.where(spelt).astype(np.float64)  # rounds right; to_numeric does not
        case 'boolean':
            truths = texts.str.lower().map(TRUTHS)
            if not coerce:
                _check_cells(texts, truths.notna(), source, 'neither true nor false')
            return truths.astype('boolean')
        case 'categorical' | 'ordinal' if values is not None:
            listed = texts.map({str(value): value for value in values}).astype(object)
            return listed.where(listed.notna(), texts)
        case _:
            return texts


def _check_cells(texts: pd.Series, spelt: pd.Series, source: object, problem: str) -> None:
    if bool((texts.notna() & ~spelt).any()):
        raise RefusedError(f"Column '{texts.name}' of '{source}' has cells that are {problem}.")
