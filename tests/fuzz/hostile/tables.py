"""Tables of odd columns under odd names, their metadata, and the settings of a fit."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from hypothesis import strategies as st
from sdv.metadata import Metadata

from hostile.columns import TEXTS, Column, columns, wrong
from sdv_threea.rows.intake.columns import LARGEST_NUMBER
from sdv_threea.storage.metadata import MODELLED

NAME = 'table'

NUM_ROWS = st.sampled_from([1, 2, 3, 10, 60, 200, 400])

#: Settings that are all allowed. Each example draws some of them.
SETTINGS: dict[str, list[Any]] = {
    'epsilon': [1e-4, 0.1, 1, 10.0, 1e3, 1e9, math.inf],
    'delta': [1e-12, 1e-6, 1e-6, 0.009],
    'neighbors': ['add_remove', 'replace_one'],
    'mixing': [None, None, 'clusters', 'random'],
    'enforce_min_max_values': [True, False],
    'enforce_rounding': [True, False],
    'alpha': [0.0, 0.5, 1],
}


@dataclass(frozen=True)
class Case:
    """What a synthesizer is given.

    Args:
        table: The private table.
        metadata: Its metadata.
        settings: Arguments of the constructor.
        num_rows: How many rows to sample.
        names: The columns and arguments of which some may be refused, none if all is as it should.
        is_told: Whether the metadata states all ranges and values, truly, and they are public.
    """

    table: pd.DataFrame
    metadata: Metadata
    settings: dict[str, Any]
    num_rows: int
    names: tuple[str, ...] = ()
    is_told: bool = False

    def __repr__(self) -> str:
        # SDV's metadata cannot be printed with values that JSON does not know.
        about = self.metadata.tables[NAME].columns
        return f'{about!r}\n{self.settings!r}, {self.num_rows} rows, {self.names}\n{self.table}'


def make_metadata(
    columns: dict[str, dict[str, Any]], key: str | None = None, name: str = NAME
) -> Metadata:
    """Make the metadata of a table."""
    table = {'columns': columns} | ({'primary_key': key} if key else {})
    return Metadata.load_from_dict({'tables': {name: table}})


def state_facts(metadata: Metadata, table: pd.DataFrame) -> bool:
    """Let SDV detect ranges and values; tell whether it can."""
    # pandas, by which SDV detects values, takes texts for equal that begin alike up to a NUL.
    if any(isinstance(cell, str) and '\0' in cell for name in table for cell in table[name]):
        return False
    described = metadata.tables[NAME]
    before = deepcopy(described.columns)
    try:
        described._detect_ranges(table)
        metadata.validate()
    except Exception:  # SDV's detection stumbles over odd values: nothing is stated then
        described.columns = before
        return False
    return True


@st.composite
def good_tables(draw: st.DrawFn) -> Case:
    """Tables that are what their metadata says: each must be fitted."""
    num_rows = draw(NUM_ROWS)
    names = draw(st.lists(TEXTS, min_size=1, max_size=5, unique=True))
    drawn = {name: draw(columns(num_rows)) for name in names}
    return assemble(draw, drawn, num_rows)


@st.composite
def bad_tables(draw: st.DrawFn) -> Case:
    """Tables with columns that are not what the metadata says, and are to be named."""
    num_rows = draw(NUM_ROWS)
    names = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    drawn = {name: draw(columns(num_rows)) for name in names}
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)):
        drawn[name] = draw(wrong(num_rows))
    return assemble(draw, drawn, num_rows)


@st.composite
def broken_tables(draw: st.DrawFn) -> Case:
    """Tables with a column too many or too few, or twice, without rows, or named by numbers."""
    case = draw(good_tables())
    table, some = case.table.copy(), case.table.columns[0]
    match draw(st.sampled_from(['many', 'few', 'twice', 'empty', 'key'])):
        case 'many':
            table['too many'], names = 1, ('too many',)
        case 'few':
            table, names = table.drop(columns=some), (some,)
        case 'twice':
            table, names = pd.concat([table, table[[some]]], axis=1), ('same name',)
        case 'empty':
            table, names = table.head(0), ('no rows',)
        case _:
            table['key'], names = 7, ('key',)
    return replace(case, table=table, names=(*case.names, *names))


def assemble(draw: st.DrawFn, drawn: dict[str, Column], num_rows: int) -> Case:
    """Put columns together, and draw a key, a target and settings for them."""
    table = pd.DataFrame({name: column.cells for name, column in drawn.items()})
    about = {name: column.about for name, column in drawn.items()}
    key = 'key' if draw(st.booleans()) and 'key' not in table else None
    if key:
        about[key] = {'sdtype': 'id'}
        texts = draw(st.booleans())
        table[key] = [f'key-{row}' for row in range(num_rows)] if texts else range(num_rows)
    settings = draw(st.fixed_dictionaries({}, optional=_choices()))
    faulty = [name for name, column in drawn.items() if column.faulty]
    told = not faulty and draw(st.booleans())
    metadata = make_metadata(about, key)
    told = told and state_facts(metadata, table)
    if told:
        settings['public_metadata'] = True
        faulty = [name for name in drawn if _is_extreme(metadata.tables[NAME].columns[name])]
    predictable = [
        name
        for name, each in about.items()
        if each['sdtype'] in MODELLED and each['sdtype'] != 'datetime' and table[name].notna().any()
    ]
    if predictable and draw(st.booleans()):
        settings['target_column'] = draw(st.sampled_from(predictable))
    # A table may come in any order, under any index.
    table = table[draw(st.permutations(list(table)))].set_axis(range(9, 9 + num_rows))
    num_sampled = draw(st.sampled_from([0, 1, 30]))
    return Case(table, metadata, settings, num_sampled, tuple(faulty), told)


def _is_extreme(about: dict[str, Any]) -> bool:
    """Whether a stated range may be refused."""
    ends = [about.get('range_min', 0), about.get('range_max', 0)]
    return about['sdtype'] == 'numerical' and max(map(abs, ends)) > LARGEST_NUMBER


def _choices() -> dict[str, st.SearchStrategy[Any]]:
    return {name: st.sampled_from(values) for name, values in SETTINGS.items()}
