import datetime
import enum
import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sdv_threea.encoding.values import (
    LARGEST_NUMBER,
    Distinct,
    detach,
    is_missing,
    make_table,
    read_categories,
    read_numbers,
    spell,
    tally,
    tally_numbers,
)

ODD = [
    True, 1, 1.0, '1', 'True', (1, True), (True, 1), -0.0, 0.0, 0, False, Decimal(1), b'1',
    pd.Timestamp('2020-01-01'), datetime.datetime(2020, 1, 1), 1e308, frozenset({3}), None, np.nan,
    pd.NA, pd.NaT,
]  # fmt: skip


def odd_column(values=ODD):
    cells = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        cells[at] = value
    return pd.Series(cells, name='odd')


@pytest.mark.parametrize(
    'column',
    [
        pd.Series([1.5, np.nan, -3.0]),
        pd.Series([1.5, None, -3], dtype=object),
        pd.Series([1.5, pd.NA, -3], dtype='Float64'),
        pd.Series([1.5, np.nan, -3], dtype='float32'),
        pd.Series([1.5, pd.NA, np.float32(-3)], dtype=object),
    ],
)
def test_numbers_of_any_storage_are_read(column):
    numbers = read_numbers(column)

    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, [1.5, np.nan, -3.0])


def test_numbers_are_finite_and_have_one_zero():
    numbers = read_numbers(pd.Series([-0.0, 0.0, np.inf, -np.inf, 1e308]))

    assert np.signbit(numbers).tolist() == [False, False, False, True, False]
    assert np.abs(numbers).tolist() == [0, 0] + [LARGEST_NUMBER] * 3


@pytest.mark.parametrize('odd', ['my secret', (1, 2), [3], 10**400, 1 + 2j, {'a': 1}])
def test_what_is_no_number_is_refused_without_being_shown(odd):
    with pytest.raises(TypeError, match="'odd' is numerical") as caught:
        read_numbers(odd_column([1.0, odd]))

    assert str(odd) not in str(caught.value)
    assert caught.value.__context__ is None


def list_cells(read):
    """List the cells of a column that was read."""
    if isinstance(read, Distinct):
        return [None if code < 0 else read.listed[code] for code in read.codes]
    return read.tolist()


def test_categories_of_any_storage_become_python_values():
    for column in (
        pd.Series([7, 8]),
        pd.Series([7, 8], dtype='category'),
        pd.Series([np.int16(7), np.int64(8)], dtype=object),
        pd.Series([7, 8], dtype='Int8'),
    ):
        values = list_cells(read_categories(column))
        assert [(type(value), value) for value in values] == [(int, 7), (int, 8)]


def test_missing_categories_are_none():
    values = read_categories(odd_column())

    assert [value is None for value in list_cells(values)] == [False] * 17 + [True] * 4
    assert is_missing(values).tolist() == [False] * 17 + [True] * 4


@pytest.mark.parametrize('odd', [['secret'], {'secret'}, {'a': 'secret'}, ('a', ['secret'])])
def test_what_is_not_hashable_is_refused_without_being_shown(odd):
    with pytest.raises(TypeError, match="'odd' is categorical") as caught:
        read_categories(odd_column(['a', odd]))

    assert 'secret' not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize('read', [read_numbers, read_categories])
def test_cells_are_read_one_by_one(read):
    column = odd_column() if read is read_categories else pd.Series([1.5, -0.0, np.nan, 1e308])
    together = list_cells(read(column))

    alone = [list_cells(read(column.iloc[[at]]))[0] for at in range(len(column))]
    assert list(map(repr, together)) == list(map(repr, alone))


def test_each_value_is_spelled_differently():
    present = [value for value in ODD if not pd.api.types.is_scalar(value) or not pd.isna(value)]

    assert len({spell(value) for value in present}) == len(present) == 17


def test_a_record_counts_once():
    column = odd_column(ODD * 3)
    counts = tally(read_categories(column))

    assert [count for _, count in counts.values()] == [3] * 17


def test_a_tally_tells_nothing_of_the_order_of_the_records():
    values = [True, 1, 1.0, (1, True), -0.0, 0, 'a']
    tallies = [
        tally(read_categories(odd_column(list(order))))
        for order in itertools.islice(itertools.permutations(values), 0, 5040, 97)
    ]

    first = {key: repr(counted) for key, counted in tallies[0].items()}
    assert all({key: repr(each[key]) for key in each} == first for each in tallies)


def test_numbers_are_tallied_as_they_are():
    whole = tally_numbers(read_numbers(pd.Series([0.1, -0.0, 0.0, np.nan, 0.1, 3])))

    assert str(whole.numbers.tolist()) == '[0.0, 0.1, 3.0]'
    assert whole.counts.tolist() == [2, 2, 1]


def test_tallies_of_parts_add_up():
    numbers = pd.Series([0.1, -0.0, 0.0, np.nan, 0.1, 3, 0.0])
    parts = [tally_numbers(read_numbers(numbers[:3])), tally_numbers(read_numbers(numbers[3:]))]
    both = parts[0] + parts[1]

    assert (both.numbers.tolist(), both.counts.tolist()) == ([0.0, 0.1, 3.0], [3, 2, 1])
    columns = odd_column(ODD * 2), odd_column(ODD)
    tallies = [tally(read_categories(column)) for column in columns]
    assert {count for _, count in (tallies[0] + tallies[1]).values()} == {3}
    assert (tallies[1] + tallies[0]).keys() == tallies[0].keys()


def test_nothing_to_tally():
    assert tally_numbers(read_numbers(pd.Series([], dtype=float))).numbers.tolist() == []
    assert tally(read_categories(pd.Series([None, None], dtype=object))) == {}


def test_equal_texts_become_one_object():
    one, other = ''.join(['yes', ' ', 'sir']), ''.join(['yes ', 'sir'])

    assert one is not other
    assert detach(one) is detach(other)
    assert detach((1, True)) == (1, True)
    assert detach((one, 1))[0] is detach((other, 2))[0]


class Color(enum.StrEnum):
    """Equal to a text, and another value."""

    RED = 'red'


class Size(enum.IntEnum):
    """Equal to a number, and another value."""

    SMALL = 1


@pytest.mark.parametrize(
    ('own', 'equal'), [(Color.RED, 'red'), (Size.SMALL, 1), ('red', Color.RED)]
)
def test_a_value_that_is_equal_to_another_record_is_not_taken_for_it(own, equal):
    """One record more, first or last, must not change what the others are counted as."""
    alone = tally(read_categories(odd_column([own] * 5)))

    for values in ([equal] + [own] * 5, [own] * 5 + [equal]):
        together = tally(read_categories(odd_column(values)))
        assert {key: together[key] for key in alone} == alone
        assert sorted(count for _, count in together.values()) == [1, 5]


DATES = [datetime.datetime(2020, 1, 1), datetime.date(2020, 1, 1), pd.Timedelta(days=1), 7, True]


@pytest.mark.parametrize('value', DATES)
def test_a_table_keeps_the_types_of_objects_whatever_the_other_rows_hold(value):
    """Left to itself, pandas makes a column of dates of objects, if all of them are dates."""
    for others in ([], ['text'], [None]):
        column = np.array([value, value, *others], dtype=object)
        table = make_table({'x': column}, pd.RangeIndex(len(column)))

        assert table['x'].dtype == object
        assert [type(each) for each in table['x'].head(2)] == [type(value)] * 2


def test_a_table_keeps_rows_without_columns_and_the_names_of_rows():
    assert make_table({}, pd.RangeIndex(3)).shape == (3, 0)
    table = make_table({'x': np.array([1.0, np.nan])}, pd.Index([7, 9]))
    assert (list(table.index), table['x'].dtype) == ([7, 9], float)
