"""Make synthesizers from metadata and options, load and sample them, and write statements."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.cli.outputs import tell_written
from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.sources import split_target
from sdv_threea.names import check_table_names
from sdv_threea.settings import Settings
from sdv_threea.storage.files import load_saved
from sdv_threea.storage.release_files import is_plain
from sdv_threea.synthesizers import (
    ClustMixMultiTableSynthesizer,
    ClustMixSequentialSynthesizer,
    ClustMixSynthesizer,
    DatabaseStatement,
    PrivacyStatement,
)
from sdv_threea.synthesizers.restoring import read_release, restore_release
from sdv_threea.transforms.texts import NumberTexts

ALL = ClustMixSynthesizer, ClustMixMultiTableSynthesizer, ClustMixSequentialSynthesizer
Synthesizer = ClustMixSynthesizer | ClustMixMultiTableSynthesizer
Statement = PrivacyStatement | DatabaseStatement

#: The settings that exist only for databases, and their options.
OF_DATABASES = {
    'privacy_unit': '--privacy-unit',
    'public_tables': '--public-table',
    'max_children': '--max-children',
}

#: The settings that exist only for one table, and their options.
OF_ONE_TABLE = {'unreleased': '--unreleased', 'sentinels': '--sentinel'}

#: The settings that are not constructor arguments.
OF_FILES = 'missing', 'separator', 'encoding', 'targets', 'constraints', 'timed', 'number_texts'

#: The default ``alpha`` of each table of a database.
DEFAULT_ALPHA = Settings().alpha

#: Number of rows of a single table in one draw. The progress bar moves after each draw.
ROWS_PER_DRAW = 100_000


def load_metadata(path: Path) -> Metadata:
    """Return SDV's metadata from a JSON file."""
    try:
        metadata = Metadata.load_from_json(str(path))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RefusedError(f"'{path}' is not metadata that SDV saved as JSON.") from None
    metadata.validate()
    if not metadata.tables:
        raise RefusedError(f"'{path}' describes no table.")
    _check_names(metadata)
    return metadata


def make_synthesizer(metadata: Metadata, settings: Mapping[str, Any]) -> Synthesizer:
    """Return an unfitted synthesizer, which reads stated texts such as '1.234,50' as numbers."""
    synthesizer = _make_plain(metadata, settings)
    declare_examples(synthesizer, settings.get('number_texts', ()))
    return synthesizer


def declare_examples(synthesizer: Synthesizer, stated: Sequence[str]) -> None:
    """Let columns be read as numbers, given as ``[TABLE.]COLUMN=EXAMPLE``."""
    for each in stated:
        named, _, example = each.partition('=')
        try:
            notation = NumberTexts.like(example)
        except ValueError as error:
            raise RefusedError(f'--number-text {each}: {error}') from None
        declare_texts(synthesizer, named, notation)


def declare_texts(synthesizer: Synthesizer, named: str, notation: NumberTexts) -> None:
    """Let a column, ``[TABLE.]COLUMN``, be read as numbers in this notation."""
    tables = synthesizer.metadata.to_dict()['tables']
    table, column = split_target(named, tables, '--number-text')
    if tables[table]['columns'][column]['sdtype'] != 'categorical':
        raise RefusedError(f'{named!r} is not categorical: only such texts are read as numbers.')
    own: Any = synthesizer
    if isinstance(synthesizer, ClustMixMultiTableSynthesizer):
        own = synthesizer._table_synthesizers[table]
    own.preprocessor.choose_transformers({column: notation})


def _make_plain(metadata: Metadata, settings: Mapping[str, Any]) -> Synthesizer:
    """Return an unfitted synthesizer, for one table or a database, as the metadata describes.

    ``settings`` are the options of the command: arguments of the constructors by name, and
    ``targets``. A progress bar is shown on a terminal.
    """
    common = {name: settings[name] for name in settings if name not in (*OF_DATABASES, *OF_FILES)}
    shown = sys.stderr.isatty() and not settings.get('timed', False)
    common.setdefault('verbose', shown)
    alone = {name: common.pop(name, None) for name in OF_ONE_TABLE}
    stated = {name: own for name, own in alone.items() if own}
    tables = metadata.to_dict()['tables']
    common.pop('pseudonyms', None)
    named = _read_pseudonyms(settings.get('pseudonyms', ()), tables)
    targets = [split_target(target, tables) for target in settings['targets']]
    if len({table for table, _ in targets}) < len(targets):
        raise RefusedError('There can be one --target by table.')
    if len(metadata.tables) > 1:
        for name in stated:
            raise RefusedError(f'{OF_ONE_TABLE[name]}: only for one table, and this is a database.')
        own = {name: settings[name] for name in OF_DATABASES}
        alpha = common.pop('alpha', DEFAULT_ALPHA)
        synthesizer = ClustMixMultiTableSynthesizer(
            metadata, target_column=dict(targets) or None, pseudonyms=named, **common, **own
        )
        for name in tables if alpha != DEFAULT_ALPHA else ():
            synthesizer.set_table_parameters(name, {'alpha': alpha})
        return synthesizer
    given = [option for name, option in OF_DATABASES.items() if settings[name]]
    if given:
        raise RefusedError(f'{", ".join(given)}: only for databases, and this is one table.')
    column = targets[0][1] if targets else None
    if 'sentinels' in stated:
        (table,) = tables.values()
        stated['sentinels'] = _read_sentinels(stated['sentinels'], table['columns'])
    (counted,) = named.values() or [None]
    terms = {'target_column': column, 'pseudonyms': counted, **common, **stated}
    return ClustMixSynthesizer(metadata, **terms)


def _read_pseudonyms(
    stated: Sequence[str], tables: Mapping[str, Any]
) -> dict[str, dict[str, str | int | None]]:
    """Return the columns with pseudonyms, ``[TABLE.]COLUMN[=NUMBER]``, by table."""
    found: dict[str, dict[str, str | int | None]] = {}
    for each in stated:
        name, _, said = each.partition('=')
        table, column = split_target(name, tables, '--pseudonyms')
        known = int(said) if said.isdecimal() else said or None
        found.setdefault(table, {})[column] = known
    return found


def _read_sentinels(
    stated: Sequence[str], columns: Mapping[str, Any]
) -> dict[str, list[str | float]]:
    """Return the sentinels by column; one stated without a column applies to all numbers."""
    found: dict[str, list[str | float]] = {}
    for each in stated:
        name, _, value = each.rpartition('=')
        for column, about in columns.items():
            is_date = about['sdtype'] == 'datetime'
            if column == name or (not name and about['sdtype'] == 'numerical'):
                try:
                    own = value if is_date else float(value)
                except ValueError:
                    raise RefusedError(f'--sentinel {each}: {value!r} is no number.') from None
                found.setdefault(column, []).append(own)
        if name and name not in columns:
            raise RefusedError(f'--sentinel {each}: there is no column {name!r}.')
    return found


def save(synthesizer: Synthesizer, path: Path, *, as_release: bool) -> None:
    """Save a fitted synthesizer: as a release without code, or as SDV's pickle."""
    if as_release:
        synthesizer.save_release(path)
    else:
        synthesizer.save(path)


def load(path: Path) -> Synthesizer:
    """Return a fitted synthesizer from a file; loading a release runs no code."""
    loaded = _load_release(path) if is_plain(path) else load_saved(path)
    if isinstance(loaded, ClustMixSequentialSynthesizer):
        raise RefusedError(f"'{path}' holds sequences: load and sample them in Python.")
    if not isinstance(loaded, Synthesizer):
        raise RefusedError(f"'{path}' is not a synthesizer that sdv-threea saved.")
    _check_names(loaded.metadata)
    return loaded


def plan_draws(synthesizer: Synthesizer, rows: int | None, scale: float | None) -> list[float]:
    """Return the sizes for :func:`draw`: parts of ``rows``, or one scale for a database."""
    if isinstance(synthesizer, ClustMixMultiTableSynthesizer):
        if rows is not None:
            raise RefusedError('--rows is for one table: for a database, set --scale.')
        return [1.0 if scale is None else scale]
    if scale is not None or rows is None:
        raise RefusedError('Set the number of rows of this table: --rows.')
    return [min(ROWS_PER_DRAW, rows - start) for start in range(0, max(rows, 1), ROWS_PER_DRAW)]


def draw(synthesizer: Synthesizer, size: float) -> dict[str, pd.DataFrame]:
    """Return new rows by table; ``size`` is a number of rows, or a scale for a database."""
    if isinstance(synthesizer, ClustMixMultiTableSynthesizer):
        drawn: dict[str, pd.DataFrame] = synthesizer.sample_scale(scale=size)
    else:
        drawn = synthesizer.sample(num_rows=int(size))
    return drawn


def write_parts(synthesizer: Synthesizer, rows: int, folder: Path, rows_per_file: int) -> None:
    """Sample a table into a folder of Parquet files."""
    if isinstance(synthesizer, ClustMixMultiTableSynthesizer):
        raise RefusedError('--rows-per-file is for one table, and this is a database.')
    try:
        shown = sys.stderr.isatty()
        for path in synthesizer.sample_to_parquet(rows, folder, rows_per_file, show_progress=shown):
            tell_written(path)
    except (FileExistsError, FileNotFoundError) as error:
        raise RefusedError(f"'{folder}': {error.strerror}.") from None


def to_json(statement: Statement) -> str:
    """Return a statement as JSON; infinity, which JSON lacks, is ``"inf"``."""
    return json.dumps(_spell(statement.to_dict()), indent=2, allow_nan=False)


def write_statement(statement: Statement, path: Path) -> None:
    """Write a statement to a file: as JSON if its name ends in ``.json``, otherwise as text."""
    text = to_json(statement) if path.suffix == '.json' else str(statement)
    path.write_text(text + '\n', encoding='utf-8')


def _load_release(path: Path) -> Any:
    facts = read_release(path)
    kinds = {each.__name__: each for each in ALL}
    if facts.get('kind') not in kinds:
        raise RefusedError(f"'{path}' is not a release that sdv-threea saved.")
    return restore_release(kinds[facts['kind']], facts, path)


def _check_names(metadata: Metadata) -> None:
    try:
        check_table_names(metadata.tables)
    except ValueError as error:
        raise RefusedError(str(error)) from None


def _spell(value: Any) -> Any:
    match value:
        case Mapping():
            return {name: _spell(each) for name, each in value.items()}
        case list() | tuple():
            return [_spell(each) for each in value]
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value
