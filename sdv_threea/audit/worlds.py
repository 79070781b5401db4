"""Two neighbouring tables: one without and one with a *canary*, a record that stands out.

Each function below turns the last row, or the last unit, of a table into the canary, and returns
both tables as :class:`Neighbours`. The two tables differ only in the canary, and their keys stay
valid. The argument ``table`` is not needed if there is one table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from sdv_threea.errors import InputError

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Neighbours:
    """Two sets of tables that differ by a canary: one row, or one unit with its rows.

    Args:
        without: All tables by name, without the canary.
        canary: The rows that the canary adds, by table.
        instead: The rows that replace the canary in the table without it, by table: needed for a
            claim about replaced records. By default the claim is about added or removed records.

    Raises:
        ValueError: If the canary has no rows, or other columns or dtypes than the tables. Dtypes
            are public, so both tables must have the same.
    """

    without: Mapping[str, pd.DataFrame]
    canary: Mapping[str, pd.DataFrame]
    instead: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not sum(len(rows) for rows in self.canary.values()):
            raise InputError('canary must have at least one row: the tables differ by its rows.')
        for name, rows in (*self.canary.items(), *self.instead.items()):
            if name not in self.without or not len(self.without[name]):
                raise InputError(f'without must have rows in the table {name!r}, as canary has.')
            mine, theirs = rows.dtypes.to_dict(), self.without[name].dtypes.to_dict()
            if mine != theirs:
                changed = [column for column in theirs if mine.get(column) != theirs[column]]
                raise InputError(
                    f'canary must have the columns and dtypes of the table {name!r}, '
                    f'but differs in {changed or list(mine)}.'
                )

    def build(self, *, with_canary: bool) -> Tables:
        """Return the tables, with or without the canary."""
        extra = self.canary if with_canary else self.instead
        return {
            name: pd.concat([table, extra[name]], ignore_index=True)
            if name in extra
            else table.reset_index(drop=True)
            for name, table in self.without.items()
        }


def far_out(
    tables: Mapping[str, pd.DataFrame], metadata: Any, table: str | None = None
) -> Neighbours:
    """Make the last row the canary: its numbers are far above all others.

    Each number exceeds the other rows' largest by a thousand times their range, if the dtype
    allows.

    Raises:
        ValueError: If there is no such table, or it has no numerical column.
    """
    name = _choose(tables, table)
    rest, canary = tables[name].iloc[:-1], tables[name].iloc[-1:].copy()
    columns = metadata.tables[name].columns
    numbers = [each for each, facts in columns.items() if facts['sdtype'] == 'numerical']
    if not numbers:
        raise InputError(f'The table {name!r} has no numerical column: try rare_category.')
    for column in numbers:
        canary[column] = _fill(_lie_far_out(rest[column]), canary.index, rest[column].dtype)
    return Neighbours({**tables, name: rest}, {name: canary})


def rare_category(
    tables: Mapping[str, pd.DataFrame], column: str, value: Any = 'canary', table: str | None = None
) -> Neighbours:
    """Make the last row the canary: it has a category that no other row has.

    Raises:
        ValueError: If there is no such table, or the value occurs, or the dtype cannot hold it.
    """
    name = _choose(tables, table)
    rest, canary = tables[name].iloc[:-1], tables[name].iloc[-1:].copy()
    if (rest[column] == value).any():
        raise InputError(f'value must not occur in the column {column!r}; try lone_class.')
    if isinstance(rest[column].dtype, pd.CategoricalDtype):
        rest, canary = (rows.astype({column: object}) for rows in (rest, canary))
    canary[column] = _fill(value, canary.index, rest[column].dtype)
    return Neighbours({**tables, name: rest}, {name: canary})


def lone_class(
    tables: Mapping[str, pd.DataFrame], column: str, value: Any, table: str | None = None
) -> Neighbours:
    """Make the last row of a class the canary, and leave out all other rows of that class.

    Raises:
        ValueError: If there is no such table, or the value does not occur.
    """
    name = _choose(tables, table)
    own = (tables[name][column] == value).to_numpy(dtype=bool, na_value=False)
    if not own.any():
        raise InputError(f'value must occur in the column {column!r}; try rare_category.')
    rest, canary = tables[name][~own], tables[name][own].iloc[-1:]
    return Neighbours({**tables, name: rest}, {name: canary})


def many_children(
    tables: Mapping[str, pd.DataFrame], metadata: Any, table: str, children: int
) -> Neighbours:
    """Make the last row of ``table`` the canary, and let many rows refer to it.

    In each child table, the last rows of other parents become the canary's until it has
    ``children`` rows. These rows are equal except for their primary keys.

    Raises:
        ValueError: If no table refers to ``table``, or one does by several columns, has too few
            rows, or is itself referred to.
    """
    links = [each for each in metadata.relationships if each['parent_table_name'] == table]
    if not links:
        raise InputError(f'No table refers to {table!r}: choose the table of units.')
    if not all(isinstance(link['parent_primary_key'], str) for link in links):
        raise InputError(f'Keys of {table!r} have several columns: make Neighbours by hand.')
    names = {link['child_table_name'] for link in links}
    if any(each['parent_table_name'] in names for each in metadata.relationships):
        raise InputError(f'Other tables refer to rows of {sorted(names)}: leave these tables out.')
    without, canary = dict(tables), {table: tables[table].iloc[-1:]}
    without[table] = tables[table].iloc[:-1]
    for link in links:
        key, reference = link['parent_primary_key'], link['child_foreign_key']
        name = link['child_table_name']
        mine = canary[table][key].iloc[0]
        rows = tables[name]
        own = (rows[reference] == mine).to_numpy(dtype=bool, na_value=False)
        spare = np.flatnonzero(~own)[::-1][: max(children - int(own.sum()), 0)]
        own[spare] = True
        if own.sum() < children or own.all():
            raise InputError(f'{name!r} has too few rows for {children} children of one row.')
        canary[name] = _make_alike(rows[own].copy(), metadata, name, {reference: mine})
        without[name] = rows[~own]
    return Neighbours(without, canary)


def _choose(tables: Mapping[str, pd.DataFrame], table: str | None) -> str:
    if table is None and len(tables) == 1:
        return next(iter(tables))
    if table is None or table not in tables:
        raise InputError(f'table must be one of {list(tables)}, got {table!r}.')
    return table


def _lie_far_out(numbers: pd.Series) -> float | int:
    high, low = float(numbers.max()), float(numbers.min())
    value = high + 1000 * max(high - low, 1.0)
    kind = getattr(numbers.dtype, 'numpy_dtype', numbers.dtype)
    if kind.kind in 'iu':
        return min(round(value), int(np.iinfo(kind).max))
    return value


def _make_alike(
    rows: pd.DataFrame, metadata: Any, table: str, fixed: Mapping[str, Any]
) -> pd.DataFrame:
    facts = metadata.tables[table]
    keys = facts.primary_key if isinstance(facts.primary_key, list) else [facts.primary_key]
    for column in rows.columns.difference(keys):
        value = fixed.get(column, rows[column].iloc[-1])
        rows[column] = _fill(value, rows.index, rows[column].dtype)
    return rows


def _fill(value: Any, index: pd.Index, dtype: Any) -> pd.Series:
    try:
        return pd.Series([value] * len(index), index=index, dtype=object).astype(dtype)
    except (TypeError, ValueError):
        raise InputError(
            f'value must be one that the dtype {dtype} can hold, got {value!r}.'
        ) from None
