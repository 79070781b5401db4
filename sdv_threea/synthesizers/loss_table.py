"""Losses of a release in words: a table, lines of the statement, and one warning."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.constraints.derivations import Derivations
from sdv_threea.losses import ALL, CONSTANT, EMPTY, GUESSED, MADE_UP, NAMED, RANGE, VALUES, Loss
from sdv_threea.storage.writing import from_seconds
from sdv_threea.warning import warn

#: The share of lost rows that is worth a warning.
WORTH_A_WARNING = 0.02

#: The largest number of columns that a warning names for each kind of loss.
MOST_NAMED = 6

#: The first and the last line of the warning.
HOW_MUCH = 'This release has lost some of the table: {}.'
HELP = 'get_losses() says more, and check() says what to state.'

#: Kinds of losses in words: of one column, and of several.
WORDS = {
    EMPTY: ('comes out empty', 'come out empty'),
    GUESSED: ('has a guessed range', 'have a guessed range'),
    CONSTANT: ('has one value', 'have one value'),
    VALUES: ('lacks rare values', 'lack rare values'),
    RANGE: ('ends early', 'end early'),
    MADE_UP: ('is made up', 'are made up'),
}

#: The line about columns of the worst kind, worst kinds first.
MATTERS = {
    EMPTY: (
        'No value was common enough to be released of {}: samples have only missing cells there. '
        'Declare dates, numbers, keys and free text as such; state values that are public.'
    ),
    GUESSED: 'No range was found of {}: the numbers are guesses. State ranges that are public.',
    MADE_UP: 'Made up, and not learned: {}. Declare what they hold to learn them.',
    CONSTANT: 'Only one value was found of {}.',
    VALUES: 'Rows have values that were not released in {}. State values that are public.',
    RANGE: 'Rows lie beyond the range of {}. State ranges that are public.',
}

COLUMNS = ['loss', 'share', 'at_least', 'at_most', 'shown', 'stated', 'said']


def name_losses(
    losses: Sequence[Loss], derivations: Derivations, columns: Iterable[str], keys: Collection[str]
) -> list[Loss]:
    """Assign losses of derived columns to the user's columns, and add losses of made-up columns."""
    by_name = {loss.column: loss for loss in losses}
    found = {name: by_name[name] for name in derivations.domain.names if name in by_name}
    for step in derivations.steps:
        derived = [by_name[column.name] for column in step.derived if column.name in by_name]
        for name in step.replaced if derived else ():
            worst = max(derived, key=lambda loss: loss.share.at_most)
            found[name] = by_name.get(name, replace(worst, column=name, listed=(), ends=None))
    for outcome in derivations.outcomes:
        parts = [found[name] for name in outcome.inputs if name in found]
        for name in outcome.replaced if parts else ():
            worst = max(parts, key=lambda loss: loss.share.at_most)
            found[name] = replace(worst, column=name, listed=(), ends=None)
    modelled = {*derivations.domain.names}
    for name in columns:
        if name not in modelled and name not in keys:
            found[name] = Loss(column=name, kind=MADE_UP, stated=(), share=ALL)
    return [found[name] for name in columns if name in found]


def tabulate(losses: Iterable[Loss], columns: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table with a row for each loss; ``columns`` is the metadata of each column."""
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
    """Describe the range, or count the values, that samples of a column show."""
    if loss.ends is None:
        named = f': {", ".join(map(str, loss.listed))}' if loss.is_target else ''
        number = len(loss.listed)
        return f'{number} value{"s" if number > 1 else ""}{named}' if number else ''
    return tell_range(loss.ends, about)


def tell_range(ends: Sequence[float], about: Mapping[str, Any], step: float = 0.0) -> str:
    """Return a range in words, with dates in the format of the column's metadata."""
    told = [f'{end:.10g}' for end in ends]
    if about.get('sdtype') == 'datetime':
        told = [*map(str, from_seconds(np.array(ends), object, about.get('datetime_format'), step))]
    return ' to '.join(dict.fromkeys(told))


def say_losses(losses: Iterable[Loss]) -> dict[str, str]:
    """Return a sentence for each column with pseudonyms, or with a loss that is worth a warning."""
    return {
        loss.column: loss.said
        for loss in losses
        if loss.kind == NAMED or loss.share.at_most >= WORTH_A_WARNING
    }


def warn_of_losses(losses: Sequence[Loss], targets: Collection[str]) -> None:
    """Warn of certain losses in three lines: how many columns, the worst ones, and advice."""
    worth = [loss for loss in losses if _is_worth(loss, targets)]
    if worth:
        warn('\n'.join([HOW_MUCH.format(_count(worth)), _tell_worst(worth, targets), HELP]))


def _is_worth(loss: Loss, targets: Collection[str]) -> bool:
    # No model can be trained to predict a target of one value.
    spoilt = loss.kind == CONSTANT or (loss.is_target and not loss.listed)
    if loss.kind in (MADE_UP, EMPTY, GUESSED) or (loss.column in targets and spoilt):
        return True
    return loss.share.at_least > 0 and loss.share.share >= WORTH_A_WARNING


def _count(losses: Sequence[Loss]) -> str:
    told = []
    for kind, words in WORDS.items():
        number = sum(loss.kind == kind for loss in losses)
        if number:
            told.append(f'{number} column{"s" if number > 1 else ""} {words[number > 1]}')
    return ', '.join(told)


def _tell_worst(losses: Sequence[Loss], targets: Collection[str]) -> str:
    for loss in losses:
        if loss.column in targets and loss.kind in (EMPTY, CONSTANT, GUESSED):
            told = {CONSTANT: 'only one value was found', GUESSED: 'its numbers are guesses'}
            said = told.get(loss.kind, 'no value was found')
            return f'The target {loss.column!r}: {said}. Samples cannot train a model.'
        if loss.column in targets and loss.is_target:
            return f'The target {loss.column!r}: {loss.share} of the rows lack their class.'
    kind = next(kind for kind in MATTERS if any(loss.kind == kind for loss in losses))
    found = sorted(
        (loss for loss in losses if loss.kind == kind), key=lambda each: -each.share.share
    )
    shares = [f': {loss.share}' if kind in (VALUES, RANGE) else '' for loss in found]
    named = [f'{loss.column!r}{share}' for loss, share in zip(found, shares, strict=True)]
    left = len(named) - MOST_NAMED
    more = f' and {left} more' if left > 0 else ''
    return MATTERS[kind].format(', '.join(named[:MOST_NAMED]) + more)
