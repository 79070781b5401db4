"""The cells of a record, ordinary and hostile ones, and tables of ordinary rows made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sdv.cag import FixedCombinations, Inequality, OneHotEncoding

from sdv_threea.constraints import Formula, IfThen

#: How frequent the three kinds of ordinary cells are.
SHARES = [0.4, 0.3, 0.3]

NUMBER, CATEGORY = {'sdtype': 'numerical'}, {'sdtype': 'categorical'}

#: A record: the kind of each of its cells, by name of the cell. ``None`` for no record.
Record = dict[str, str] | None

#: What metadata says of a column.
Facts = Mapping[str, Any]


class Cell(NamedTuple):
    """One cell of a record, or several that have to fit together."""

    #: What the metadata says of its columns.
    columns: Mapping[str, Facts]
    #: The values of those columns, by kind of cell. Ordinary rows have the first three.
    kinds: Mapping[str, tuple[Any, ...]]


def make_cell(
    name: str, about: Facts, kinds: Mapping[str, Any], stated: Facts | None = None
) -> Cell:
    """Make a cell of one column; what is stated of it makes it public."""
    facts = {} if stated is None else {**stated, 'range_is_nullable': True}
    return Cell({name: {**about, **facts}}, {kind: (value,) for kind, value in kinds.items()})


def make_number(name: str, low: float, *, public: bool = False) -> Cell:
    """Make the cell of a number; a public one has a stated range."""
    steps = {'commonest': 4, 'ordinary': 3, 'other': 5, 'low': 0, 'high': 9}
    kinds = {kind: low + step for kind, step in steps.items()} | {'missing': np.nan}
    if public:
        stated = {'range_min': low, 'range_max': low + 9, 'decimal_places': 0}
        return make_cell(name, NUMBER, kinds, stated)
    return make_cell(
        name, NUMBER, {**kinds, 'far out': 1e6, 'far below': -1e6, 'rare': low + 0.123}
    )


def make_category(name: str, *, public: bool = False) -> Cell:
    """Make the cell of a category; a target has no missing value."""
    kinds = {'commonest': 'a', 'ordinary': 'b', 'other': 'c', 'rare': 'd'}
    kinds |= {} if name == 'target' else {'missing': None}
    return make_cell(name, CATEGORY, kinds, {'range_values': [*'abcd']} if public else None)


def make_flag(name: str, *, public: bool = False) -> Cell:
    """Make the cell of a truth value."""
    kinds = {'commonest': False, 'ordinary': True, 'other': True, 'missing': None}
    return make_cell(name, {'sdtype': 'boolean'}, kinds, {} if public else None)


def make_date(name: str, form: str) -> Cell:
    """Make the cell of a date that is written in this form."""
    days = {'commonest': '2021-03-05', 'ordinary': '2021-03-04', 'other': '2022-06-07'}
    days |= {'far out': '2199-12-31', 'far below': '1800-01-01', 'rare': '2021-03-06'}
    kinds = {kind: pd.Timestamp(day).strftime(form) for kind, day in days.items()}
    about = {'sdtype': 'datetime', 'datetime_format': form}
    return make_cell(name, about, {**kinds, 'missing': None})


def mix_cells(*, public: bool) -> list[Cell]:
    """Make cells of all kinds: two numbers, a flag, a category and a target."""
    numbers = [make_number(name, low, public=public) for name, low in (('x', 0.0), ('y', 20.0))]
    categories = [make_category(name, public=public) for name in ('c', 'target')]
    return [*numbers, make_flag('flag', public=public), *categories]


#: A chain, a sum, combinations of two columns, what one fixes in the other, one of three flags.
RULES = (
    lambda: Inequality('low', 'high'),
    lambda: Inequality('high', 'top'),
    lambda: Formula('sum', 'low + high'),
    lambda: IfThen('first', {'second': 'z'}, if_values=['c']),
    lambda: FixedCombinations(['first', 'second']),
    lambda: OneHotEncoding(['one', 'two', 'three']),
)


def obey_rules() -> list[Cell]:
    """Make cells that obey the rules, whatever their kinds."""
    ordered = {'commonest': (3.0, 5.0, 6.0), 'ordinary': (2.0, 4.0, 4.0), 'other': (3.0, 9.0, 90.0)}
    ordered |= {'low': (0.0,) * 3, 'far out': (-1e6, 1e6, 1e6), 'high': (1e6,) * 3}
    ordered |= {'missing': (np.nan,) * 3}
    ends = {kind: (*each, each[0] + each[1]) for kind, each in ordered.items()}
    pairs = {'commonest': ('a', 'x'), 'ordinary': ('b', 'x'), 'other': ('a', 'y')}
    pairs |= {'rare': ('c', 'z'), 'missing': (None, None)}
    flags = {'commonest': (1, 0, 0), 'ordinary': (0, 1, 0), 'other': (0, 0, 1)}
    return [
        Cell(dict.fromkeys(('low', 'high', 'top', 'sum'), NUMBER), ends),
        Cell({'first': CATEGORY, 'second': CATEGORY}, pairs),
        Cell(dict.fromkeys(('one', 'two', 'three'), CATEGORY), flags),
    ]


def by_name(cells: list[Cell]) -> dict[str, Cell]:
    """Return cells by the name of their first column."""
    return {next(iter(cell.columns)): cell for cell in cells}


def list_columns(cells: list[Cell]) -> dict[str, Facts]:
    """Return what the metadata says of the columns of cells."""
    return {name: about for cell in cells for name, about in cell.columns.items()}


def draw_rows(cells: list[Cell], size: int) -> pd.DataFrame:
    """Draw ordinary rows, cell by cell, the same each time."""
    rng, columns = np.random.default_rng(0), {}
    for cell in cells:
        values = list(cell.kinds.values())[:3]
        drawn = rng.choice(3, size, p=SHARES)
        for at, name in enumerate(cell.columns):
            first = values[0][at]
            dtype = {bool: 'boolean', str: 'object'}.get(type(first), type(first))
            columns[name] = pd.Series([values[row][at] for row in drawn], dtype=dtype)
    return pd.DataFrame(columns)


def append_record(
    rows: pd.DataFrame, cells: list[Cell], record: Record, times: int = 1
) -> pd.DataFrame:
    """Append a record to ordinary rows, as often as is said."""
    if record is None:
        return rows
    row: dict[str, Any] = {}
    for name, cell in by_name(cells).items():
        row |= dict(zip(cell.columns, cell.kinds[record[name]], strict=True))
    own = {name: pd.Series([row[name]] * times, dtype=rows[name].dtype) for name in rows}
    return pd.concat([rows, pd.DataFrame(own)], ignore_index=True)
