"""The command ``fit``: one release in a file, and its privacy statement in another file.

If a fit fails after private rows were read, the error states the budget spent, and saved files.
"""

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from sdv_threea.cli.options import RELEASE
from sdv_threea.cli.outputs import staged, steps
from sdv_threea.cli.refusals import FailedError, RefusedError, explain
from sdv_threea.cli.saved import (
    Synthesizer,
    declare_examples,
    declare_texts,
    load_metadata,
    make_synthesizer,
    save,
    write_statement,
)
from sdv_threea.cli.sources import find_tables
from sdv_threea.cli.table_files import read_tables
from sdv_threea.constraints.constraint_set import read_constraint
from sdv_threea.errors import InputError
from sdv_threea.names import printable
from sdv_threea.synthesizers import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers.check import Check
from sdv_threea.synthesizers.progress import watchers
from sdv_threea.transforms.texts import NumberTexts

#: The sentence on a failed fit: its budget is spent.
SPENT = 'Private rows were read, so its budget counts as spent (--epsilon {:g} --delta {:g}).'


class Texts(NamedTuple):
    """A column, ``[TABLE.]COLUMN``, of numbers stored as texts in a notation."""

    column: str
    notation: NumberTexts


def fit_files(
    data: Path,
    metadata: Path,
    out: Path,
    statement: Path,
    settings: Mapping[str, Any],
    *,
    force: bool,
) -> None:
    """Fit tables in files, and write the synthesizer and its privacy statement."""
    described = load_metadata(metadata)
    files = find_tables(data, described.tables)
    synthesizer = make_synthesizer(described, settings)
    constraints = settings['constraints']
    if constraints is not None:
        rules = read_constraints(constraints)
        synthesizer.add_constraints([each for each in rules if not isinstance(each, Texts)])
        for each in rules:
            if isinstance(each, Texts):
                declare_texts(synthesizer, *each)
        declare_examples(synthesizer, settings.get('number_texts', ()))
    checked = synthesizer.check()
    if sys.stderr.isatty():
        click.echo(printable(str(checked)), err=True)
    checked.demand(synthesizer.accept)
    inputs = [*files.values(), metadata, *([constraints] if constraints else [])]
    with staged([statement], force=force, inputs=inputs) as second:
        with staged([out], force=force, inputs=inputs) as first:
            with steps(len(files), timed=settings['timed']) as step:
                tables = read_tables(files, described, settings, step)
            with _telling_what_was_spent(synthesizer), _watching(timed=settings['timed']):
                synthesizer.fit(tables)
            with _rescuing(synthesizer, out):
                save(synthesizer, first[out], as_release=out.suffix == RELEASE)
        try:
            write_statement(synthesizer.get_privacy_statement(), second[statement])
        except OSError as error:
            raise FailedError(
                f"{statement}: {error.strerror}. The release is in '{out}', and its budget is "
                f"spent. Print its statement by 'sdv-threea statement {out}'."
            ) from None


def _read_rule(spelled: dict[str, Any]) -> Any:
    if spelled['class_name'] != NumberTexts.__name__:
        return read_constraint(spelled)
    facts = dict(spelled['parameters'])
    if not isinstance(facts.get('column_name'), str):
        raise InputError("must have the parameter 'column_name'")
    return Texts(facts.pop('column_name'), NumberTexts(**facts))


def check_metadata(metadata: Path, rows: int | None, settings: Mapping[str, Any]) -> Check:
    """Check the metadata and the settings of a fit, without data."""
    synthesizer = make_synthesizer(load_metadata(metadata), settings)
    if rows is None:
        return synthesizer.check()
    if isinstance(synthesizer, ClustMixMultiTableSynthesizer):
        raise RefusedError('--rows is for one table, and this is a database.')
    return synthesizer.check(rows)


@contextmanager
def _watching(*, timed: bool) -> Iterator[None]:
    if not timed:
        yield
        return
    with steps(0, timed=True) as step:
        step('checking')
        watchers.append(step)
        try:
            yield
        finally:
            watchers.remove(step)


def read_constraints(path: Path) -> list[Any]:
    """Return constraints from a JSON file in SDV's format, and columns of texts.

    Only constraints that consist of parameters are read, so the file cannot run code.
    """
    form = '{"class_name": "Inequality", "parameters": {...}}'
    try:
        listed = json.loads(path.read_text('utf-8'))
    except ValueError:
        raise RefusedError(f"--constraints: '{path}' is not JSON in UTF-8.") from None
    if not isinstance(listed, list):
        raise RefusedError(f"--constraints: '{path}' must be a list of objects such as {form}.")
    made = []
    for at, each in enumerate(listed, 1):
        if not isinstance(each, dict) or set(each) != {'class_name', 'parameters'}:
            raise RefusedError(f"--constraints: entry {at} of '{path}' must be such as {form}.")
        try:
            made.append(_read_rule(each))
        except InputError as error:
            raise RefusedError(f"--constraints: entry {at} of '{path}' {error}.") from None
        except (TypeError, ValueError) as error:  # the message names parameters, which are public
            raise RefusedError(f"--constraints: entry {at} of '{path}': {error}") from None
    return made


@contextmanager
def _telling_what_was_spent(synthesizer: Synthesizer) -> Iterator[None]:
    """If a fit fails or is stopped after private rows were read, report the spent budget."""
    try:
        yield
    except BaseException as error:
        if not synthesizer.num_releases:
            raise
        spent = f'{SPENT.format(synthesizer.epsilon, synthesizer.delta)} No release was kept.'
        if isinstance(error, Exception):
            raise FailedError(f'{explain(error).message} {spent}') from None
        click.echo(f'The fit was stopped. {spent}', err=True)
        raise


@contextmanager
def _rescuing(synthesizer: Synthesizer, out: Path) -> Iterator[None]:
    """If a synthesizer cannot be saved in its own file, save it elsewhere, and report where."""
    try:
        yield
    except Exception as error:
        told = explain(error).message
        as_release = out.suffix == RELEASE and isinstance(error, OSError)
        try:
            place = Path(tempfile.mkdtemp(prefix='sdv-threea-')) / out.name
            place = place if as_release else place.with_suffix('.pkl')
            save(synthesizer, place, as_release=as_release)
        except Exception:
            spent = SPENT.format(synthesizer.epsilon, synthesizer.delta)
            raise FailedError(f'{told} Saving it elsewhere failed too. {spent}') from None
        raise FailedError(
            f"{told} The fit is done, and its budget is spent. The synthesizer is in '{place}': "
            'move it to a permanent folder.'
        ) from None
