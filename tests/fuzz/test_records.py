"""A record by itself: what it is read as does not depend on the others, in any table.

Every sensitivity stands on this: were a record to change what others are read as, one would move
the counts of many.
"""

from __future__ import annotations

from itertools import count

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from sdv_threea.encoding.values import tally, tally_numbers
from sdv_threea.intake import columns
from sdv_threea.intake.columns import read_categories, read_numbers
from sdv_threea.intake.scalars import spell
from sdv_threea.intake.table import read_table
from sdv_threea.synthesizers.schema import list_facts

NAME = 'table'

NUM_EXAMPLES = 80


def read(case, places):
    """Read some rows: the spelling of each cell, and the counts of each value, by column."""
    facts = list_known(case)
    names = [each.name for each in facts]
    rows = read_table(facts, case.table.iloc[places])
    spelled = {
        name: [None if pd.isna(cell) else spell(cell) for cell in rows[name]] for name in names
    }
    return spelled, {name: count_values(rows[name]) for name in names}


def count_values(cells):
    if cells.dtype.kind == 'f':
        found = tally_numbers(read_numbers(cells))
        pairs = zip(found.numbers.tolist(), found.counts.tolist(), strict=True)
        return {number: (number, times) for number, times in pairs}
    return tally(read_categories(cells))


def list_known(case):
    """What is public of the cells."""
    return list_facts(case.metadata.tables[NAME].columns, case.table.dtypes.to_dict())


def check_record(case, place, number):
    """Read a table whole, in parts, in another order, and without a record."""
    num_rows, rng = len(case.table), np.random.default_rng(number)
    whole, counts = read(case, np.arange(num_rows))
    for places in (np.flatnonzero(rng.random(num_rows) < 0.5), [place], rng.permutation(num_rows)):
        part, _ = read(case, places)
        assert part == {name: [cells[at] for at in places] for name, cells in whole.items()}
    _, fewer = read(case, np.delete(np.arange(num_rows), place))
    for name, counted in counts.items():
        keys = counted.keys() | fewer[name].keys()
        moved = [counted.get(key, (0, 0))[1] - fewer[name].get(key, (0, 0))[1] for key in keys]
        is_counted = whole[name][place] is not None
        assert [each for each in moved if each] == [1] * is_counted


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('strategy', ['good_tables', 'bad_tables'])
def test_a_record_is_read_by_itself(hostile, strategy):
    num_tables = count()

    def check(case, place, number):
        next(num_tables)
        check_record(case, place % len(case.table), number)

    drawn = getattr(hostile('tables'), strategy)(), st.integers(0, 399), st.integers(0, 99)
    hostile('examples').run_through(check, *drawn, num_examples=NUM_EXAMPLES, number=5)

    assert next(num_tables) > 10


@pytest.fixture
def case_of(hostile):
    tables = hostile('tables')

    def make(*values):
        table = pd.DataFrame({'x': pd.Series(values, dtype=object)})
        metadata = tables.make_metadata({'x': {'sdtype': 'categorical'}})
        return tables.Case(table, metadata, {}, 0)

    return make


def test_the_check_sees_values_that_change_with_the_others(case_of, monkeypatch):
    """What was wrong once: one text among numbers, and all of them were read as texts."""
    case = case_of(*[1, 2, 3] * 5, 'text')
    check_record(case, 15, 0)

    def infer(column):
        together = len(set(map(type, column))) > 1
        return list_cells(column.map(str) if together else column)

    list_cells = columns.list_cells
    monkeypatch.setattr(columns, 'list_cells', infer)
    with pytest.raises(AssertionError):
        check_record(case, 15, 0)


def test_the_check_sees_values_that_are_taken_for_equal_ones(case_of, monkeypatch):
    """What was wrong once: texts were compared up to their first NUL."""
    case = case_of('flu\0 John Smith', *['flu'] * 5)
    check_record(case, 0, 0)

    monkeypatch.setattr(columns, 'spell', lambda value: spell(value).split('\\x00')[0].strip("'"))
    with pytest.raises(AssertionError):
        check_record(case, 0, 0)
