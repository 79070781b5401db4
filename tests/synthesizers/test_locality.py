"""A record by itself, from the user's table to its codes, with constraints.

What becomes of a record is compared by how it is spelled, alone and among others.
"""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from described import describe
from drawn import always
from hypothesis import given
from hypothesis import strategies as st
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from spelled import spell_rows

from sdv_threea.constraints import derivations as derive
from sdv_threea.constraints import differences
from sdv_threea.encoding.classes import RecordEncoder
from sdv_threea.rows.guard import guarded
from sdv_threea.synthesizers.single_table import ClustMixSynthesizer

NAME = 't'

#: Columns under constraints of every kind, and some that are under none.
COLUMNS = {
    **dict.fromkeys(('low', 'middle', 'high', 'small', 'step', 'large'), 'numerical'),
    **dict.fromkeys(('town', 'land'), 'categorical'),
    **dict.fromkeys(('first', 'second'), 'numerical'),
    **dict.fromkeys(('begin', 'end'), {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}),
    'other': 'ordinal',
    'flag': 'boolean',
}


def make_usual(num_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    numbers = np.sort(rng.integers(0, 50, (num_rows, 6)), axis=1)
    days = pd.date_range('2020', periods=60).strftime('%Y-%m-%d').to_numpy()
    begin = rng.integers(0, 30, num_rows)
    town = rng.choice(['Bern', 'Genf', 'Rom'], num_rows)
    first = rng.integers(0, 2, num_rows)
    table = pd.DataFrame(
        {
            'low': numbers[:, 0], 'middle': numbers[:, 1], 'high': numbers[:, 2],
            'small': numbers[:, 3], 'large': numbers[:, 4], 'step': numbers[:, 5] * 5,
            'town': town, 'land': np.where(town == 'Rom', 'Italy', 'Swiss'),
            'first': first, 'second': 1 - first, 'begin': days[begin], 'end': days[begin + 20],
            'other': rng.choice(['flu', 'cold', None], num_rows),
            'flag': rng.random(num_rows) < 0.5,
        }
    )  # fmt: skip
    return table.astype(object).where(table.notna(), None)


@pytest.fixture(scope='module')
def fitted():
    """A synthesizer whose target has several classes, fitted to usual rows."""
    terms = {'epsilon': 50.0, 'invalid_cells': 'coerce', 'target_column': 'other'}
    synthesizer = ClustMixSynthesizer(describe(COLUMNS), **terms)
    synthesizer.add_constraints(
        [
            FixedCombinations(['town', 'land']),
            Inequality('small', 'large'),
            Inequality('begin', 'end', strict_boundaries=True),
            Range('low', 'middle', 'high'),
            OneHotEncoding(['first', 'second']),
            FixedIncrements('step', 5),
        ]
    )
    synthesizer.fit({NAME: make_usual()})
    return synthesizer


def check_rows(synthesizer, table, number):
    """Translate and encode rows whole, one by one, and in another order."""
    model, translate = synthesizer._model, synthesizer.preprocessor.make_translation()
    layout = RecordEncoder(None, model.transformers, model.classes, model.scored).coder
    with guarded():
        whole = translate(table)
        parts = [translate(table.iloc[[at]]) for at in range(len(table))]
        codes = list(map(tuple, np.column_stack(layout.encode(whole)).tolist()))
        alone = [list(map(tuple, np.column_stack(layout.encode(each)).tolist())) for each in parts]
        places = np.random.default_rng(number).permutation(len(table))
        shuffled = translate(table.iloc[places])
    spelled = spell_rows(whole)
    assert spelled == [row for part in parts for row in spell_rows(part)]
    assert spell_rows(shuffled) == [spelled[at] for at in places]
    assert codes == [row for rows in alone for row in rows]


@pytest.fixture
def check_hostile(fitted, hostile):
    """Check drawn tables, in which odd cells are among usual ones."""
    cells, usual = hostile('cells'), make_usual(12, seed=1)
    spots = st.tuples(st.integers(0, 11), st.sampled_from(list(COLUMNS)))
    odd = st.dictionaries(spots, cells.pick(cells.CELLS) | cells.DRAWN, max_size=25)

    @always(25)
    @given(odd, st.integers(0, 99))
    def check(changes, number):
        columns = {name: usual[name].tolist() for name in COLUMNS}
        for (row, name), cell in changes.items():
            columns[name][row] = cell
        filled = {
            name: pd.Series(np.fromiter(each, dtype=object, count=len(each)), dtype=object)
            for name, each in columns.items()
        }
        check_rows(fitted, pd.DataFrame(filled), number)

    return check


def test_every_record_is_translated_and_encoded_by_itself_under_constraints(check_hostile):
    check_hostile()


def break_combinations(patch):
    """Join what is common to all rows."""
    forward = derive.join_values

    def join(name, names, table):
        cells = forward(name, names, table)
        return {name: np.array([*cells[name][:1], None], dtype=object)[[0] * len(table)]}

    patch.setattr(derive, 'join_values', join)


def break_differences(patch):
    """Take differences relative to the smallest."""
    subtract = differences._subtract

    def relate(*given):
        found = subtract(*given)
        return found - np.nanmin(np.append(found, 0.0))

    patch.setattr(differences, '_subtract', relate)


def break_flags(patch):
    """Take the flag that most rows have."""
    forward = derive.name_set_flag

    def name_flag(name, flags, table):
        cells = forward(name, flags, table)
        known = Counter(cells[name].tolist())
        return {name: np.full(len(table), max(known, key=known.get), dtype=object)}

    patch.setattr(derive, 'name_set_flag', name_flag)


@pytest.mark.parametrize('breach', [break_combinations, break_differences, break_flags])
def test_the_check_sees_records_that_are_derived_from_others(check_hostile, breach, monkeypatch):
    breach(monkeypatch)
    with pytest.raises(AssertionError):
        check_hostile()
