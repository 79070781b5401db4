"""The reasons why conditions cannot be met, in terms of the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdv_threea.conditions.reading import Conditions, cast
from sdv_threea.domain import Category, Domain
from sdv_threea.storage.table import StoredColumns
from sdv_threea.storage.writing import decode

if TYPE_CHECKING:
    from sdv_threea.release import Release

#: The most released values that a message lists.
MOST_LISTED = 20


def explain(conditions: Conditions, released: Release, storage: StoredColumns) -> str:
    """Say which conditions cannot be met, and list alternatives; the text shows no condition."""
    codes, total = conditions.codes, len(conditions.codes)
    found = [
        f'{missed} of {total} ask for a value of {name!r} other than '
        f'{_list_choice(released, name, storage)}'
        for name, missed in (codes < 0).sum().items()
        if missed
    ]
    apart = int((~conditions.is_possible & (codes >= 0).all(axis=1)).sum())
    if apart:
        names = [*codes, *conditions.choices]
        found.append(
            f'{apart} of {total} ask for values of {names} that were released, but never together'
        )
    return '; '.join(found)


def _list_choice(released: Release, name: str, storage: StoredColumns) -> str:
    """Say which values of a column can be asked for: released ones, which are public."""
    column = storage.domain[name] if name in storage.domain.names else released.domain[name]
    possible = np.asarray(released.chances(name).any(axis=0))
    if isinstance(column, Category):
        listed = column.values or ()  # noqa: PD011 (not pandas)
        can_be = possible[1:] if len(listed) == len(possible) - 1 else [True] * len(listed)
        values = [each for each, ok in zip(listed, can_be, strict=True) if ok]
        rest = len(values) - MOST_LISTED
        choice = f'{values[:MOST_LISTED]}' + (f' and {rest} more' if rest > 0 else '')
    else:
        shown = pd.DataFrame({name: [column.low or 0.0, column.high or 0.0, *column.sentinels]})
        stored = decode(shown, storage.columns, storage.dtypes, Domain((column,)))[name]
        low, high, *apart = cast(stored, storage.dtypes[name])
        others = f' and [{", ".join(map(str, apart))}]' if apart else ''
        choice = f'those from {low} to {high}{others}'
    return choice + (' (or a missing one)' if possible[0] else '')
