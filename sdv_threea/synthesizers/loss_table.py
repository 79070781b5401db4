"""The losses of a release in words: a table, lines of the statement, and one warning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.constraints.derivations import Derivations
from sdv_threea.domain import Category, Domain, Number
from sdv_threea.estimate import expected_error
from sdv_threea.losses import CONSTANT, EMPTY, GUESSED, RANGE, VALUES, Loss
from sdv_threea.relational.release import DatabaseRelease
from sdv_threea.settings import LARGEST_EPSILON, Settings
from sdv_threea.storage.writing import from_seconds
from sdv_threea.warning import warn

#: Warn from this share of lost rows.
WORTH_A_WARNING = 0.02

#: The most columns that a warning names for each kind of loss.
MOST_NAMED = 6

#: The warning compares with a budget this many times as large.
LARGER = 4

HELP = (
    'What helps: state the values and ranges that are public in the metadata (see '
    'sdv_threea.metadata), and set public_metadata=True; choose a larger epsilon; leave columns '
    'out; fit more rows.'
)

COLUMNS = ['loss', 'share', 'at_least', 'at_most', 'shown', 'stated', 'said']


def name_losses(losses: Sequence[Loss], derivations: Derivations) -> list[Loss]:
    """Assign losses of derived columns to the user's columns that they stand for."""
    by_name = {loss.column: loss for loss in losses}
    found = {name: by_name[name] for name in derivations.domain.names if name in by_name}
    for step in derivations.steps:
        derived = [by_name[column.name] for column in step.derived if column.name in by_name]
        for name in step.replaced if derived else ():
            worst = max(derived, key=lambda loss: loss.share.at_most)
            found[name] = replace(worst, column=name, listed=(), ends=None)
    return [found[name] for name in derivations.domain.names if name in found]


def list_by_table(
    release: DatabaseRelease, preprocessors: Mapping[str, Any]
) -> dict[str, list[Loss]]:
    """List the losses of a database by table: those of the tables' own columns."""
    found = {}
    for table, model in release.tables.items():
        own = [loss for loss in model.released.losses if loss.column in model.layout.own]
        found[table] = name_losses(own, preprocessors[table].derivations)
    return found


def tabulate(losses: Iterable[Loss], columns: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Make a table of losses, a row each; ``columns`` is the metadata of each column."""
    rows = {
        loss.column: [
            loss.kind,
            loss.share.share,
            loss.share.at_least,
            loss.share.at_most,
            show(loss, columns.get(loss.column, {})),
            ', '.join(loss.stated),
            loss.said,
        ]
        for loss in losses
    }
    table = pd.DataFrame.from_dict(rows, orient='index', columns=COLUMNS)
    return table.rename_axis('column')


def show(loss: Loss, about: Mapping[str, Any]) -> str:
    """Return what samples of a column show, in words; ``about`` is the metadata of the column."""
    if loss.ends is None:
        named = f': {", ".join(map(str, loss.listed))}' if loss.is_target else ''
        number = len(loss.listed)
        return f'{number} value{"s" if number > 1 else ""}{named}' if number else ''
    ends = [f'{end:.10g}' for end in loss.ends]
    if about.get('sdtype') == 'datetime':
        moments = from_seconds(np.array(loss.ends), object, about.get('datetime_format'), 0.0)
        ends = moments.astype(str).tolist()
    return ' to '.join(dict.fromkeys(ends))


def describe_needs(domain: Domain, settings: Settings, num_rows: float) -> list[str]:
    """Say how many rows must have a value for it to be found, now and with a larger budget."""
    unknown = [each for each in domain.columns if isinstance(each, Category) and not each.values]  # noqa: PD011
    if not unknown or math.isinf(settings.epsilon):
        return []
    numbers = sum(isinstance(each, Number) for each in domain.columns)
    rows = max(round(num_rows), 1)
    larger = min(LARGER * settings.epsilon, LARGEST_EPSILON)
    needed = [
        expected_error(
            rows,
            len(domain.columns),
            epsilon,
            settings.delta,
            num_numerical=numbers,
            neighbors=settings.neighbors,
        ).category_rows
        for epsilon in (settings.epsilon, larger)
    ]
    at_larger = f'and of about {needed[1]:,.0f} at epsilon={larger:g}.'
    if needed[0] > rows:
        return [
            f'No value can be found at epsilon={settings.epsilon:g}: there are about {rows:,} rows,'
            f' and a value must be that of about {needed[0]:,.0f}, {at_larger}'
        ]
    return [
        f'A value must be that of about {needed[0]:,.0f} of the {rows:,} rows to be found at '
        f'epsilon={settings.epsilon:g}, {at_larger} If these rows have rare values in other columns'
        ' too, it takes more.'
    ]


def say_losses(losses: Iterable[Loss]) -> dict[str, str]:
    """Say the loss of each column that is worth a warning."""
    return {loss.column: loss.said for loss in losses if loss.share.at_most >= WORTH_A_WARNING}


def warn_of_losses(
    losses: Sequence[Loss], domain: Domain, settings: Settings, num_rows: float
) -> None:
    """Warn of the losses of a release that are worth it, once for all columns."""
    number = describe_number(losses, domain)
    others = [loss for loss in losses if not number or loss.column != domain.target]
    lines = [*describe_target(losses), *number, *describe_losses(others)]
    if lines:
        needs = describe_needs(domain, settings, num_rows)
        text = '\n'.join(['This release has lost some of the table:', *lines, *needs, HELP])
        warn(f'{text} get_losses() says more.')


def warn_of_lost_tables(by_table: Mapping[str, Sequence[Loss]]) -> None:
    """Warn of the losses of a database that are worth it, once for all tables."""
    lines = [
        f'- {table}: {line.removeprefix("- ")}'
        for table, losses in by_table.items()
        for line in (*describe_target(losses), *describe_losses(losses))
    ]
    if lines:
        text = '\n'.join(['This release has lost some of the tables:', *lines, HELP])
        warn(f'{text} get_losses() says more.')


def describe_target(losses: Iterable[Loss]) -> list[str]:
    """Say whether classes of a categorical target may be lost; like all warnings, name no value."""
    lines = []
    for loss in losses:
        name = f'- the target {loss.column!r}: '
        if loss.is_target and not loss.listed:
            lines.append(f'{name}no class was found. Samples cannot train a classifier.')
        elif loss.is_target and loss.kind == CONSTANT:
            lines.append(f'{name}one class alone was found. Samples cannot train a classifier.')
        elif loss.is_target and loss.share.at_least >= WORTH_A_WARNING:
            lines.append(f'{name}{loss.share} of the rows have classes that were not found.')
    return lines


def describe_number(losses: Iterable[Loss], domain: Domain) -> list[str]:
    """Say whether a numerical target is lost: its range, or all of its values but one."""
    words = {CONSTANT: 'one value alone was found', GUESSED: 'its numbers are guesses'}
    return [
        f'- the target {loss.column!r}: {words[loss.kind]}. Samples cannot train a model.'
        for loss in losses
        if loss.column == domain.target and loss.ends is not None and loss.kind in words
    ]


def describe_losses(losses: Iterable[Loss]) -> list[str]:
    """Say the losses of columns other than the target, a line for each kind."""
    lines, others = [], [loss for loss in losses if not loss.is_target]
    for kind, words in {
        EMPTY: 'no value of {} was common enough to be released: samples show {}',
        CONSTANT: 'one value alone was found of {}',
        GUESSED: 'no range was found of {}: the numbers are guesses',
    }.items():
        found = [loss for loss in others if loss.kind == kind]
        instead = 'them as missing'
        if named := [repr(loss.column) for loss in found]:
            lines.append(f'- {words.format(_list(named), instead)}.')
    for kind, words in {
        VALUES: 'rows have values that were not released in {}',
        RANGE: 'rows may lie beyond the range of {}',
    }.items():
        found = sorted(others, key=lambda loss: -loss.share.share)
        named = [
            f'{loss.column!r}: {loss.share}'
            for loss in found
            if loss.kind == kind and loss.share.at_most >= WORTH_A_WARNING
        ]
        lines += [f'- {words.format(_list(named))}.'] if named else []
    return lines


def _list(named: list[str]) -> str:
    """Join names, at most :data:`MOST_NAMED` of them."""
    left = len(named) - MOST_NAMED
    return ', '.join(named[:MOST_NAMED]) + (f' and {left} more' if left > 0 else '')
