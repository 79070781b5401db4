"""The command ``detect``: metadata proposed from public facts, and a list of open questions.

It reads the first line of a CSV file, the schema of a Parquet file, a data dictionary; rows only if
they are declared public. It writes metadata as JSON, or a data dictionary to fill in.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd

from sdv_threea.cli.outputs import staged
from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.sources import WRITTEN, CsvFormat, check_kind, find_form, read_format
from sdv_threea.metadata import (
    Proposal,
    ask,
    propose_from_csv,
    propose_from_dictionary,
    propose_from_parquet,
    propose_from_public_rows,
)
from sdv_threea.metadata.schemas import name_table
from sdv_threea.names import check_table_names, printable

#: The note on proposed ranges or values.
USE = 'If its ranges and values are public, `sdv-threea fit --public-metadata` uses them.'


def detect_files(
    data: Path | None,
    dictionary: Path | None,
    out: Path | None,
    settings: Mapping[str, Any],
    *,
    force: bool,
) -> None:
    """Propose metadata, show it, and write it."""
    table = settings['table']
    _check(data, dictionary, out, public=settings['public'])
    form = read_format(settings)
    files = _list_files(data, table)
    inputs = [*files.values(), *([dictionary] if dictionary else [])]
    with staged([out] if out else [], force=force, inputs=inputs) as drafts:
        public = settings['public']
        found = [_propose(name, path, form, public=public) for name, path in files.items()]
        if dictionary is not None:
            how = {'separator': form.separator, 'encoding': form.encoding}
            told = propose_from_dictionary(dictionary, table, **how)
            proposal = _join(found).told(told) if found else told
        else:
            proposal = _join(found)
        if settings['asks']:
            click.echo(printable(str(proposal)), err=True)
            proposal = ask(proposal, _prompt, lambda text: click.echo(printable(text), err=True))
        metadata = proposal.to_metadata()
        click.echo(str(proposal))
        if out is not None:
            if out.suffix == '.json':
                text = json.dumps(metadata.to_dict(), indent=4, ensure_ascii=False)
                drafts[out].write_text(f'{text}\n', 'utf-8')
            else:
                proposal.to_dictionary().to_csv(drafts[out], index=False, encoding='utf-8')
    if any(column.to_entry().keys() - {'sdtype', 'pii'} for _, column in proposal):
        click.echo(USE, err=True)


def _check(data: Path | None, dictionary: Path | None, out: Path | None, *, public: bool) -> None:
    if data is None and dictionary is None:
        raise RefusedError('Give a table, or a --dictionary, or both.')
    if public and data is None:
        raise RefusedError('--public declares the rows of a table public: give the table.')
    if out is not None and out.suffix not in ('.json', '.csv'):
        raise RefusedError(f'--out must end in .json or .csv, got {out.name!r}.')


def _propose(name: str, path: Path, form: CsvFormat, *, public: bool) -> Proposal:
    form = find_form(path, form)
    if path.name.endswith('.parquet'):
        if public:
            return propose_from_public_rows({name: pd.read_parquet(path, engine='pyarrow')})
        return propose_from_parquet(path, name)
    if public:
        how: dict[str, Any] = {'encoding': form.encoding, 'low_memory': False}
        return propose_from_public_rows({name: pd.read_csv(path, sep=form.separator, **how)})
    return propose_from_csv(path, name, separator=form.separator, encoding=form.encoding)


def _list_files(data: Path | None, table: str | None) -> dict[str, Path]:
    if data is None:
        return {}
    if not data.is_dir():
        check_kind(data)
        files = {table or name_table(data): data}
    elif table is not None:
        raise RefusedError(
            '--table is for one table: tables of a folder are named after their files.'
        )
    else:
        found = sorted(path for path in data.iterdir() if path.name.endswith(WRITTEN))
        files = {name_table(path): path for path in found}
        if len(files) < len(found) or not files:
            raise RefusedError(f"'{data}' must have one file for each table, named after it.")
    try:
        check_table_names(files)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return files


def _join(found: Sequence[Proposal]) -> Proposal:
    tables = {name: own for each in found for name, own in each.tables.items()}
    return Proposal(tables, tuple(source for each in found for source in each.sources))


def _prompt(question: str) -> str:
    return str(click.prompt(printable(question), default='', show_default=False, err=True))
