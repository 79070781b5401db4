"""Sampled tables that refer to each other; columns are read along foreign keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.arrays import Floats, Wholes
from sdv_threea.constraints.outcomes import SECONDS
from sdv_threea.constraints.stated import read_in_days
from sdv_threea.storage.relationships import as_columns, find_places
from sdv_threea.storage.writing import fit_into, from_seconds

#: Possible numbers of decimals of a column; a sum of floats is rounded to the last one.
DECIMALS = (0, 1, 2, 3, 4, 5, 6, 9)

#: The granularities of dates, in days: a day and a second.
DATE_STEPS = (1.0, 1.0 / SECONDS)

#: A foreign key: the referring table and its columns.
Edge = tuple[str, tuple[str, ...]]

#: Foreign keys that lead from a table to one above it, in order.
Path = tuple[Edge, ...]


class Name(NamedTuple):
    """A column of a table, written ``table.column``."""

    table: str
    column: str

    def __str__(self) -> str:
        return f'{self.table}.{self.column}'


@dataclass
class Linked:
    """Tables that refer to each other. Numbers are read as floats, and dates as days since 2000.

    Args:
        tables: The tables by name; :meth:`put` replaces columns in place.
        dtypes: The dtypes in which columns are written, by table and column, where known.
    """

    tables: dict[str, pd.DataFrame]
    metadata: Metadata
    dtypes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    _places: dict[Edge, Wholes] = field(default_factory=dict)

    def climb(self, table: str, path: Path) -> Wholes:
        """Return the row that each row reaches along a path of keys: shape (n,), -1 for none."""
        found = np.arange(len(self.tables[table]))
        for edge in path:
            found = np.append(self._find(edge), -1)[found]
        return found

    def gather(self, table: str, path: Path) -> Wholes:
        """Return group numbers, shape (n,): equal for rows that reach the same row."""
        places = self.climb(table, path)
        alone = places < 0
        places[alone] = places.max(initial=-1) + 1 + np.arange(int(alone.sum()))
        return places

    def describe(self, name: Name) -> Mapping[str, Any]:
        """Return the metadata of a column."""
        about: Mapping[str, Any] = self.metadata.tables[name.table].columns[name.column]
        return about

    def take(self, name: Name) -> pd.Series:
        """Return the cells of a column, indexed from 0."""
        return self.tables[name.table][name.column].reset_index(drop=True)

    def read(self, name: Name) -> Floats:
        """Return the numbers of a column, NaN where missing, shape (n,)."""
        return read_in_days(self.take(name), self.describe(name))

    def put(self, name: Name, rows: Wholes, cells: pd.Series) -> None:
        """Write cells into some rows of a column; the other rows keep theirs."""
        column = self.take(name)
        if len(rows) == len(column):
            order = np.argsort(rows)
            stored = store(cells.take(order), self._choose_dtype(name))
        else:
            whole = pd.concat([column, store(cells, column.dtype)], ignore_index=True)
            places = np.arange(len(column))
            places[rows] = len(column) + np.arange(len(rows))
            stored = store(whole.take(places), column.dtype)
        self.tables[name.table] = self.tables[name.table].assign(**{name.column: stored.array})

    def sort(self, name: Name, path: Path) -> None:
        """Sort a column among the rows that lead to the same row."""
        places = self.gather(name.table, path)
        order = np.lexsort((self.read(name), places))
        cells = self.take(name).take(order).reset_index(drop=True)
        self.put(name, np.argsort(places, kind='stable'), cells)

    def spell(self, name: Name, numbers: Floats, step: float = 0.0) -> pd.Series:
        """Return numbers as a column stores them, NaN as missing; ``step`` is the step of dates."""
        about, dtype = self.describe(name), self._choose_dtype(name)
        if about['sdtype'] == 'datetime':
            template = about.get('datetime_format')
            return from_seconds(numbers * SECONDS, dtype, template, step * SECONDS)
        is_whole = pd.api.types.is_integer_dtype(dtype)
        numbers = np.rint(numbers) if is_whole else numbers
        whole = bool((numbers[np.isfinite(numbers)] % 1 == 0).all())
        return fit_into(pd.Series(numbers), dtype, float(whole))

    def write(self, name: Name, numbers: Floats, decimals: int | None) -> None:
        """Write a number into each row of a column, rounded to these decimals."""
        is_date = self.describe(name)['sdtype'] == 'datetime'
        if not is_date:
            numbers = np.round(numbers, DECIMALS[-1] if decimals is None else decimals)
        cells = self.spell(name, numbers, find_step(numbers) if is_date else 0.0)
        self.put(name, np.arange(len(numbers)), cells)

    def translate(self, source: Name, target: Name) -> pd.Series:
        """Return the cells of one column in the stored form of another."""
        one, other = self.describe(source), self.describe(target)
        formats = [each.get('datetime_format') for each in (one, other)]
        kinds = [self.take(source).dtype.kind == 'M', self._choose_dtype(target).kind == 'M']
        if one['sdtype'] != 'datetime' or (formats[0] == formats[1] and kinds[0] == kinds[1]):
            return self.take(source)
        numbers = self.read(source)
        return self.spell(target, numbers, find_step(numbers))

    def _choose_dtype(self, name: Name) -> Any:
        own = self.take(name).dtype
        return self.dtypes.get(name.table, {}).get(name.column, own)

    def _find(self, edge: Edge) -> Wholes:
        if edge not in self._places:
            child, columns = edge
            parent = next(
                each['parent_table_name']
                for each in self.metadata.relationships
                if each['child_table_name'] == child
                and as_columns(each['child_foreign_key']) == columns
            )
            key = as_columns(self.metadata.tables[parent].primary_key)
            known = self.tables[parent][list(key)]
            self._places[edge] = find_places(self.tables[child][list(columns)], known)
        return self._places[edge]


def store(cells: pd.Series, dtype: Any) -> pd.Series:
    """Convert cells to a dtype if it can hold them."""
    if isinstance(dtype, pd.CategoricalDtype):
        known = dtype.categories is not None and cells.dropna().isin(dtype.categories).all()
        return cells.astype(object).astype(dtype if known else 'category')
    if isinstance(dtype, np.dtype) and dtype.kind in 'biu' and cells.isna().any():
        return cells
    try:
        return cells.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return cells


def find_step(days: Floats) -> float:
    """Return the granularity of dates in days: a day, a second, or 0 if finer."""
    known = days[np.isfinite(days)]
    for step in DATE_STEPS:
        if (np.abs(known / step - np.rint(known / step)) < 1e-6).all():
            return step
    return 0.0


def find_decimals(numbers: Floats) -> int | None:
    """Return the fewest decimals that write all numbers; ``None`` if more than ``DECIMALS``."""
    known = numbers[np.isfinite(numbers)]
    return next((each for each in DECIMALS if (np.round(known, each) == known).all()), None)
