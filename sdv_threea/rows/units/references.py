"""References as row numbers: every key cell is read once, here, as the user stored it.

A fit keeps the row numbers next to the modelled columns. So constraints, stated facts, coercion and
transformers may change a key column, but cannot move a row to another unit.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdv_threea.rows.guard import guarded
from sdv_threea.rows.intake.cells import INVALID_PLACE, MISSING_PLACE
from sdv_threea.rows.intake.keys import find_rows
from sdv_threea.rows.units.membership import Parents
from sdv_threea.schema import Link

Tables = Mapping[str, pd.DataFrame]

#: The parent of a row without a reference.
NOBODY = MISSING_PLACE


class BrokenReferenceError(ValueError):
    """A reference leads to no row, or to several."""


@dataclass(frozen=True)
class Labels:
    """Names of the columns that number a row and, by foreign key, the rows that it refers to."""

    own: str
    links: Mapping[Link, str]


def number_rows(
    tables: Tables, labels: Mapping[str, Labels], keys: Mapping[str, tuple[str, ...]]
) -> dict[str, pd.DataFrame]:
    """Return, by table, the numbers of its rows from 0 and of the rows that they refer to.

    A row without a reference refers to :data:`NOBODY`. No key of a parent may occur twice.

    Formal guarantees:
        * whether a row refers to another is a function of the key cells of these two rows, as they
          are stored: any two keys that differ are told apart
        * a row refers to no row only where a part of its reference is missing; any other reference
          that leads to no row raises :class:`BrokenReferenceError`
    """
    numbered = {}
    for name, table in tables.items():
        columns = {labels[name].own: np.arange(len(table))}
        for link, label in labels[name].links.items():
            key = list(keys[link.parent])
            with guarded():
                found = find_rows(table[list(link.columns)], tables[link.parent][key])
            if (found == INVALID_PLACE).any():
                raise BrokenReferenceError(f'Not every reference of {link.name} leads to a row.')
            columns[label] = found
        numbered[name] = pd.DataFrame(columns, index=pd.RangeIndex(len(table)))
    return numbered


def link_rows(numbered: Tables, labels: Mapping[str, Labels]) -> Parents:
    """Return the position of the parent row of each row, by foreign key; :data:`NOBODY` for none.

    ``numbered`` has the columns of :func:`number_rows`; rows may have been dropped or reordered.
    :class:`BrokenReferenceError` is raised if a row that is referred to was dropped, if two rows
    have the same number, or if a column of numbers is missing or changed.
    """
    with guarded():
        read = {name: _read_numbers(table, labels[name]) for name, table in numbered.items()}
    strange = [name for name, numbers in read.items() if numbers is None]
    if strange:
        raise BrokenReferenceError(f'The numbers of rows are missing or changed in {strange}.')
    numbers = {name: each for name, each in read.items() if each is not None}
    parents = {}
    for name, own in labels.items():
        for link, label in own.links.items():
            above = pd.Index(numbers[link.parent][labels[link.parent].own])
            wanted = numbers[name][label]
            places = above.get_indexer(pd.Index(wanted))
            if ((places < 0) & (wanted != NOBODY)).any():
                raise BrokenReferenceError(f'Rows that {link.name} refers to are missing.')
            parents[link] = places.astype(np.int64)
    return parents


def _read_numbers(table: pd.DataFrame, labels: Labels) -> dict[str, NDArray[np.int64]] | None:
    names = [labels.own, *labels.links.values()]
    if any(list(table.columns).count(name) != 1 or table[name].dtype.kind != 'i' for name in names):
        return None
    numbers = {name: table[name].to_numpy(dtype=np.int64) for name in names}
    own = numbers[labels.own]
    if (own < 0).any() or len(np.unique(own)) < len(own):
        return None
    return numbers
