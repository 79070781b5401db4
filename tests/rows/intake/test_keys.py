"""Keys: which are the same, and which row has one, in every storage."""

from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

from sdv_threea.rows.intake.cells import INVALID_PLACE, MISSING_PLACE
from sdv_threea.rows.intake.keys import Flaws, find_flaws, find_rows, has_repeats, hash_keys


def table(*columns):
    return pd.DataFrame({at: pd.Series(each) for at, each in enumerate(columns)})


def objects(*values):
    return pd.Series(values, dtype=object)


LARGE = 2**53


@pytest.mark.parametrize(
    ('wanted', 'known', 'rows'),
    [
        ([7, 9, 8], [9, 8], [INVALID_PLACE, 0, 1]),
        ([7.0, np.nan, 8.5], [8, 7], [1, MISSING_PLACE, INVALID_PLACE]),
        (pd.Series([7, None], dtype='Int64'), [8, 7], [1, MISSING_PLACE]),
        (['b', None, 'c'], ['a', 'b'], [1, MISSING_PLACE, INVALID_PLACE]),
        (['a\0x', 'a'], ['a', 'a\0', 'a\0x'], [2, 0]),
        (pd.Series(['b', 'a'], dtype='category'), pd.Series(['a', 'b'], dtype='string'), [1, 0]),
        (objects(1, True, '1'), objects('1', 1, True), [1, 2, 0]),
        (objects(0, False, '', 'int 0'), objects('int 0', '', False, 0), [3, 2, 1, 0]),
        (objects(1, 2.0, Decimal(3)), [3, 2, 1], [2, 1, 0]),
        ([LARGE + 2], [LARGE, LARGE + 1, LARGE + 2], [2]),
        ([float(LARGE)], [LARGE, LARGE + 1], [INVALID_PLACE]),
        ([float(LARGE - 1), np.nan], [LARGE, LARGE - 1], [1, MISSING_PLACE]),
        (objects(float(LARGE), LARGE, 0.5), objects(LARGE), [INVALID_PLACE, 0, INVALID_PLACE]),
        (pd.Series([2**24, 3], dtype='float32'), [2**24, 3], [INVALID_PLACE, 1]),
        (objects(np.float32(2**24), np.float32(3)), [2**24, 3], [INVALID_PLACE, 1]),
        (objects(Decimal(LARGE + 1)), [LARGE, LARGE + 1], [1]),
        (objects(UUID(int=1)), objects(UUID(int=2), UUID(int=1)), [1]),
        (pd.to_datetime(['2020-01-01']), objects(pd.Timestamp('2020-01-01')), [0]),
        (objects([1], 'a'), objects('a'), [INVALID_PLACE, 0]),
        ([], [1], []),
        ([1], [], [INVALID_PLACE]),
    ],
    ids=str,
)
def test_a_row_is_found_by_its_key_in_any_storage(wanted, known, rows):
    assert find_rows(table(wanted), table(known)).tolist() == rows
    ours, theirs = hash_keys(table(wanted)), hash_keys(table(known))
    assert all(ours[at] == theirs[row] for at, row in enumerate(rows) if row >= 0)
    assert len(set(theirs.tolist())) == len(known)


def test_keys_of_several_columns_are_found_part_by_part():
    known = table(['a', 'a', 'b\0', 'b'], [1, 2, 1, 1])
    wanted = table(['a', 'b', 'b\0', 'b', None], [2.0, 1.0, 1.0, 2.0, 1.0])

    assert find_rows(wanted, known).tolist() == [1, 3, 2, INVALID_PLACE, MISSING_PLACE]


@pytest.mark.parametrize(
    ('columns', 'expected'),
    [
        ([[1, 2, 3]], False),
        ([[1, 2, 1]], True),
        ([[1.0, np.nan, np.nan]], False),
        ([objects(1, 1.0)], True),
        ([objects(1, True)], False),
        ([['a\0b', 'a\0c', 'a']], False),
        ([['a', 'a', 'b'], [1, 2, 1]], False),
        ([['a', 'a', 'b'], [1, 1, 1]], True),
        ([['a\0', 'a'], ['x', 'x']], False),
        ([[LARGE, LARGE + 1]], False),
    ],
)
def test_repeated_keys_are_found(columns, expected):
    assert has_repeats(table(*columns)) is expected


@pytest.mark.parametrize(
    ('columns', 'flaws'),
    [
        ([[1, 2]], Flaws(repeated=False, missing=False, unreadable=False)),
        ([[1, 1]], Flaws(repeated=True, missing=False, unreadable=False)),
        ([[1.0, np.nan]], Flaws(repeated=False, missing=True, unreadable=False)),
        ([[1.0, float(LARGE)]], Flaws(repeated=False, missing=False, unreadable=True)),
        ([objects([1], 'a')], Flaws(repeated=False, missing=False, unreadable=True)),
        ([pd.Series(['a\0', 'b']).astype('category')], Flaws(False, False, unreadable=True)),
        ([['a', 'a'], objects(Decimal('NaN'), 1)], Flaws(False, missing=True, unreadable=False)),
    ],
)
def test_flaws_of_keys_are_told_apart(columns, flaws):
    assert find_flaws(table(*columns)) == flaws


class Loud(float):
    """A float whose own code must not run."""

    dtype = 'unreadable'

    def __abs__(self):
        raise AssertionError

    __ge__ = __eq__ = __float__ = __abs__
    __hash__ = None


def test_code_of_a_key_is_not_run():
    assert find_rows(table(objects(Loud(LARGE), Loud(7))), table([7])).tolist() == [
        INVALID_PLACE,
        0,
    ]
