"""What a valid table is, as ``docs/privacy.md`` says it: rules for one row, and rules for all."""

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables
from sdv.cag import Inequality
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import InvalidDataError

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSynthesizer

SDTYPES = {
    'key': {'sdtype': 'id'},
    'amount': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 100},
    'limit': {'sdtype': 'numerical'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'flag': {'sdtype': 'boolean'},
    'kind': {'sdtype': 'categorical', 'range_values': ['u', 'v']},
}
ROWS = [
    ('k1', 3.0, 9.0, '2020-01-01', True, 'u'),
    ('k2', np.nan, np.nan, None, None, None),
    ('k3', 100.0, 100.5, '1999-12-31', False, 'v'),
    ('k4', 0.0, 1e12, '2260-06-01', True, 'v'),
]
#: One cell of a row, what it becomes, and whether the row is then valid by itself.
CELLS = [
    ('amount', 100.0, True), ('amount', 100.01, False), ('amount', -1e-9, False),
    ('amount', np.inf, False), ('amount', 'seven', False), ('limit', 10**400, False),
    ('limit', 1e300, True), ('day', '2020-02-30', False), ('day', '9999-01-01', True),
    ('day', 'soon', False), ('day', '1700-01-01', True), ('flag', 'yes', False),
    ('kind', 'w', False), ('kind', ['u'], False), ('kind', None, True),
]  # fmt: skip


def make_table(rows):
    columns = zip(*rows, strict=True) if rows else ([] for _ in SDTYPES)
    return pd.DataFrame(
        {
            name: pd.Series(list(cells), dtype=object)
            for name, cells in zip(SDTYPES, columns, strict=True)
        }
    )


def is_valid(rows, target='kind', public_metadata=True):
    metadata = describe(SDTYPES, primary_key='key')
    terms = {'target_column': target, 'public_metadata': public_metadata}
    synthesizer = ClustMixSynthesizer(metadata, **terms)
    synthesizer.add_constraints([Inequality('amount', 'limit')])
    try:
        synthesizer.validate({'t': make_table(rows)})
    except (InvalidDataError, ConstraintNotMetError):
        return False
    return True


def test_a_valid_table_stays_valid_whichever_row_is_taken_away():
    assert is_valid(ROWS)
    for gone in range(len(ROWS)):
        assert is_valid(ROWS[:gone] + ROWS[gone + 1 :])


@pytest.mark.parametrize(('name', 'cell', 'valid'), CELLS)
def test_a_row_may_be_added_if_it_is_valid_by_itself(name, cell, valid):
    row = dict(zip(SDTYPES, ('new', 0.5, 1e301, '2000-01-01', True, 'u'), strict=True))
    row = tuple({**row, name: cell}.values())

    assert is_valid([row], target=None) == valid
    for at in (0, 2, len(ROWS)):
        assert is_valid([*ROWS[:at], row, *ROWS[at:]]) == valid


@pytest.mark.parametrize(
    ('row', 'alone', 'terms'),
    [
        (('new', 50.0, 49.0, None, None, 'u'), False, {}),  # breaks the constraint
        (('k1', 1.0, 2.0, None, None, 'u'), True, {}),  # its key is there, which no row tells
        (('k4', 1.0, 2.0, None, None, 'u'), True, {}),
        ((None, 1.0, 2.0, None, None, 'u'), False, {}),
        (('new', 5000.0, 6000.0, None, None, 'never stated'), False, {}),
        (('new', 5000.0, 6000.0, None, None, 'never stated'), True, {'public_metadata': False}),
    ],
)
def test_a_row_that_breaks_a_rule_may_not_be_added(row, alone, terms):
    assert is_valid([row], **terms) == alone
    assert is_valid([*ROWS, row], **terms) == bool(terms)


def test_the_last_row_and_the_last_target_may_not_be_taken_away():
    assert not is_valid([])
    assert not is_valid([ROWS[1]])
    assert is_valid([ROWS[0]])
    assert is_valid([ROWS[1]], target=None)


def test_a_reference_has_to_lead_to_a_row_and_a_unit_may_be_taken_away_whole():
    columns = {'id': 'id', 'kind': 'categorical'}
    described = {'a': columns, 'b': columns | {'a_id': 'id'}}
    metadata = describe_tables(described, ('b', 'a_id', 'a', 'id'), b='id')
    tables = {
        'a': pd.DataFrame({'id': ['p', 'q', 'r'], 'kind': ['u', 'v', 'u']}),
        'b': pd.DataFrame({'id': [1, 2, 3, 4], 'kind': ['u'] * 4, 'a_id': ['p', 'p', 'q', None]}),
    }
    synthesizer = ClustMixMultiTableSynthesizer(metadata, privacy_unit='a')

    def drop(a, b):
        return {'a': tables['a'][~tables['a']['id'].isin(a)], 'b': tables['b'].drop(list(b))}

    for a, b in [((), ()), (('p',), (0, 1)), (('q',), (2,)), (('r',), ()), ((), (3,))]:
        synthesizer.validate(drop(a, b))
    for a, b in [(('p',), (0,)), (('q',), ()), ((), (0, 1, 2, 3))]:
        with pytest.raises(InvalidDataError):
            synthesizer.validate(drop(a, b))
