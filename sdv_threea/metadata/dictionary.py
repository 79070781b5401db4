"""Proposals from data dictionaries: tables with a line per column, or JSON.

A data dictionary is public, so messages may quote it.
"""

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from sdv_threea.errors import InputError
from sdv_threea.metadata.column_facts import SDTYPE, StatedColumn, fitting
from sdv_threea.metadata.proposal import Proposal, read_metadata
from sdv_threea.metadata.words import (
    TEXTS,
    find_header,
    guess_by_name,
    read_number,
    read_range,
    read_template,
    read_truth,
    read_type,
    read_values,
)

#: A line of a data dictionary: its texts by their meaning (a key of ``HEADERS``).
Line = Mapping[str, str]

#: The name of a table that has none.
TABLE = 'table'


def propose_from_dictionary(
    dictionary: pd.DataFrame | str | os.PathLike[str],
    table: str | None = None,
    *,
    separator: str = ',',
    encoding: str = 'utf-8',
) -> Proposal:
    """Propose metadata from a data dictionary, which is public.

    A data dictionary has a line for each column of the table. Its own columns may have usual names:
    *name* (variable, field), *type*, *min*, *max* or *range*, *values* (levels, codes such as ``1 =
    male; 2 = female``), *missing* (nullable) or *required*, *decimals*, *format*, *key*,
    *references*, and *table* if there are several. Only the name is needed.

    Args:
        dictionary: A DataFrame, or the path of a file: CSV, or JSON. JSON is a list of objects, a
            Table Schema or Data Package (Frictionless), or SDV's metadata.
        table: The name of the table, if the dictionary does not state it.
        separator: The character between cells of a CSV file.
        encoding: The encoding of a file.

    Returns:
        The proposal; facts that the dictionary does not state are open questions.

    Raises:
        InputError: If the file is not a data dictionary, or its statements cannot be read.

    Examples:
        >>> import pandas as pd
        >>> from sdv_threea.metadata import propose_from_dictionary
        >>> proposal = propose_from_dictionary(pd.DataFrame({
        ...     'variable': ['age', 'sex'], 'type': ['integer', 'code'],
        ...     'range': ['0-120', ''], 'values': ['', '1 = male; 2 = female'],
        ... }), table='patients')
        >>> proposal.to_metadata().tables['patients'].columns['sex']
        {'sdtype': 'categorical', 'range_values': [1, 2]}
    """
    source = 'The data dictionary is taken as public.'
    if isinstance(dictionary, pd.DataFrame):
        return _propose(dictionary.to_dict('records'), table, source)
    path = Path(dictionary)
    if path.suffix.lower() != '.json':
        return _propose(_read_csv(path, separator, encoding), table, source)
    try:
        told = json.loads(path.read_text(encoding))
    except ValueError:
        raise InputError(f"'{path}' is not JSON in {encoding}.") from None
    if isinstance(told, dict) and isinstance(told.get('tables'), dict):
        return replace(read_metadata(told), sources=('The metadata is taken as public.',))
    return _propose(_flatten(told, path), table, source)


def _propose(lines: Iterable[Mapping[Any, Any]], table: str | None, source: str) -> Proposal:
    tables: dict[str, list[StatedColumn]] = {}
    for number, line in enumerate(lines, 1):
        told = _read_line(line)
        if number == 1 and not any(find_header(word) == 'name' for word in line):
            raise InputError(
                'This is no data dictionary: it has no column for the names of columns, such as '
                "'name' or 'variable'. A data dictionary has a line for each column of a table."
            )
        if 'name' not in told:
            continue
        tables.setdefault(told.get('table') or table or TABLE, []).append(read_column(told))
    if not tables:
        raise InputError('The data dictionary has no lines.')
    return Proposal({name: tuple(columns) for name, columns in tables.items()}, (source,))


def read_column(told: Line) -> StatedColumn:
    """Read a line of a data dictionary; an ``InputError`` if a range ends before it begins."""
    name, notes = told['name'], []
    sdtype, decimals = None, None
    typed = told.get('sdtype')
    if typed is not None:
        try:
            sdtype, decimals = read_type(typed)
        except ValueError:
            try:
                sdtype = read_sdtype(typed)
            except ValueError:
                notes.append(f'The type {typed!r} is not known.')
    if 'decimals' in told:
        decimals = _read_decimals(told['decimals'], notes)
    column = _read_ends(StatedColumn(name=name, sdtype=sdtype, decimals=decimals), told, notes)
    column = _read_listed(column, told, notes)
    column = _mark(_settle(column, bool(typed) and not notes), told)
    if 'references' in told:
        parent, _, key = told['references'].rpartition('.')
        if parent:
            column = replace(column, references=(parent, key), sdtype='id', guess='')
        else:
            notes.append('A reference must be written TABLE.COLUMN.')
    said = told.get('key', '').lower()
    is_key = bool(read_truth(said)) or said.startswith(('primary', 'pk'))
    nullable = _read_nullable(told, notes)
    return replace(column, key=is_key, nullable=nullable, notes=tuple(notes))


def _read_ends(column: StatedColumn, told: Line, notes: list[str]) -> StatedColumn:
    low, high = told.get('low'), told.get('high')
    if column.sdtype == 'datetime':
        template = read_template(told['template']) if 'template' in told else None
        if 'template' in told and template is None:
            notes.append(f'The format {told["template"]!r} is not known: write it as %Y-%m-%d.')
        return replace(column, low=low, high=high, template=template)
    ends = [None if end is None else read_number(end) for end in (low, high)]
    if 'range' in told and ends == [None, None]:
        found = read_range(told['range'])
        ends = list(found) if found is not None else ends
        if found is None:
            notes.append(f'The range {told["range"]!r} is not understood.')
    for given, end in zip((low, high), ends, strict=True):
        if given is not None and end is None:
            notes.append(f'{given!r} is no number.')
    if None not in ends and ends[0] > ends[1]:  # type: ignore[operator]
        raise InputError(f'The range of the column {column.name!r} ends before it begins.')
    return replace(column, low=ends[0], high=ends[1])


def _read_listed(column: StatedColumn, told: Line, notes: list[str]) -> StatedColumn:
    """Read a list of values; a number with listed values becomes a category."""
    if 'values' not in told:
        return column
    is_text = 'sdtype' in told and column.sdtype is None
    if (column.low, column.high) == (None, None) and column.sdtype in ('numerical', None):
        found = None if is_text else read_range(told['values'])
        if found is not None:
            return replace(column, low=found[0], high=found[1])
    values, labelled = read_values(told['values'], as_texts=is_text)
    if column.sdtype == 'numerical':
        if not labelled:
            notes.append('Its values are listed, so it is taken as a category and not a number.')
        column = replace(column, sdtype='categorical')
    if column.sdtype == 'boolean' and any(read_truth(str(each)) is None for each in values):
        column = replace(column, sdtype='categorical')
    return replace(column, values=values or None)


def _settle(column: StatedColumn, is_typed: bool) -> StatedColumn:
    """Guess an sdtype if none is stated, and drop facts that metadata cannot state for it."""
    if column.sdtype is None and column.values is not None:  # noqa: PD011
        column = replace(column, sdtype='categorical')
    elif column.sdtype is None and (column.low, column.high, column.decimals) != (None, None, None):
        column = replace(column, sdtype='numerical')
    elif column.sdtype is None:
        guessed = guess_by_name(column.name)
        if guessed.sdtype is None and is_typed:
            guessed = replace(guessed, sdtype='categorical', guess=TEXTS)
        column = replace(column, sdtype=guessed.sdtype, guess=guessed.guess)
    return fitting(column)


def _mark(column: StatedColumn, told: Line) -> StatedColumn:
    guessed = guess_by_name(column.name)
    own = column.sdtype == (guessed.sdtype or 'categorical')
    if column.guess or not own or SDTYPE not in told.get('open', '').split(', '):
        return column
    return replace(column, guess=guessed.guess or TEXTS)


def _read_nullable(told: Line, notes: list[str]) -> bool | None:
    if 'nullable' in told:
        found = read_truth(told['nullable'])
        if found is None:
            notes.append(
                f'{told["nullable"]!r} stands for missing: make such cells empty before a fit.'
            )
        return True if found is None else found
    found = read_truth(told['required']) if 'required' in told else None
    return None if found is None else not found


def _read_decimals(text: str, notes: list[str]) -> int | None:
    found = read_number(text)
    if found is None or found != int(found) or found < 0:
        notes.append(f'{text!r} is no number of decimals.')
        return None
    return int(found)


def read_sdtype(word: str) -> str:
    """Return the sdtype for a word: one of SDV's, such as ``email``, or a usual name of a type."""
    from sdv.metadata import Metadata
    from sdv.metadata.errors import InvalidMetadataError

    spelt = word.strip().lower()
    entry = {'tables': {TABLE: {'columns': {TABLE: {'sdtype': spelt}}}}}
    try:
        Metadata.load_from_dict(entry).validate()
    except InvalidMetadataError:
        with suppress(ValueError):
            if (sdtype := read_type(word)[0]) is not None:
                return sdtype
        raise ValueError(f'{word!r} is no sdtype.') from None
    return spelt


def _read_line(line: Mapping[Any, Any]) -> dict[str, str]:
    told: dict[str, str] = {}
    for word, cell in line.items():
        field = find_header(word)
        if field is None or field in told or cell is None or cell != cell:
            continue
        if isinstance(cell, list | tuple | dict):
            cell = json.dumps(list(cell), default=str)
        if str(cell).strip():
            told[field] = str(cell).strip()
    return told


def _read_csv(path: Path, separator: str, encoding: str) -> list[dict[Any, Any]]:
    how: dict[str, Any] = {'dtype': str, 'keep_default_na': False, 'skipinitialspace': True}
    encoding = 'utf-8-sig' if encoding.lower().replace('_', '-') == 'utf-8' else encoding
    try:
        lines: pd.DataFrame = pd.read_csv(path, sep=separator, encoding=encoding, **how)
    except UnicodeError:
        raise InputError(f"'{path}' is not text in {encoding}: set its encoding.") from None
    except ValueError:
        raise InputError(
            f"'{path}' is no data dictionary: it must be CSV with a line of names, separated by "
            f'{separator!r}.'
        ) from None
    found: list[dict[Any, Any]] = lines.to_dict('records')
    return found


def _flatten(told: Any, path: Path) -> list[dict[str, Any]]:
    match told:
        case list() if all(isinstance(each, dict) for each in told):
            return [{**each, **(each.get('constraints') or {})} for each in told]
        case {'fields': list(fields)}:
            keys = told.get('primaryKey') or []
            keys = [keys] if isinstance(keys, str) else keys
            return [
                {**each, 'key': 'yes' if each.get('name') in keys else None}
                for each in _flatten(fields, path)
            ]
        case {'resources': list(resources)}:
            return [
                {**each, 'table': resource.get('name')}
                for resource in resources
                for each in _flatten(resource.get('schema'), path)
            ]
        case {'columns': dict(columns)}:
            return [{'name': name, **about} for name, about in columns.items()]
    raise InputError(
        f"'{path}' is no data dictionary: it must be a list of objects with a name, a Table Schema "
        "with 'fields', or SDV's metadata."
    )
