"""Cells that break the facts about their column: reported without a value, or replaced."""

import datetime

import numpy as np
import pandas as pd
import pytest

from sdv_threea.rows.chunks import chunk_table
from sdv_threea.rows.intake.facts import Facts, read_column
from sdv_threea.rows.intake.table import find_problems
from sdv_threea.storage.metadata import list_facts
from sdv_threea.storage.table_storage import compare_columns, find_misstored

SECRET = 'secret'


def complain(values, target=None, keys=(), **description):
    table = pd.DataFrame({'x': values})
    facts = list_facts({'x': description}, table.dtypes.to_dict())
    return find_problems(chunk_table(table), facts, keys, target)


NOON = pd.Timestamp('2007-07-07 12:00')


def list_strange_zones():
    """Cells of objects whose time zone samples could not tell."""
    zoned, template = 'in a time zone that neither', {'datetime_format': '%Y-%m-%d %H:%M%z'}
    yield [NOON.tz_localize('Europe/Berlin')], {}, zoned
    yield [NOON.to_pydatetime().replace(tzinfo=datetime.UTC)], {}, zoned
    yield [NOON, NOON.tz_localize('UTC')], {}, zoned
    yield [NOON.tz_localize('Asia/Tokyo'), NOON.tz_localize('UTC')], {}, zoned
    yield [NOON.tz_localize('UTC')], {'datetime_format': '%Y-%m-%d'}, zoned
    for end in ('Z', ' z', '+02:00', ' +0200', '-07', ' UTC', '.777Z'):
        yield [f'2007-07-07T12:00:07{end}', None], {}, zoned
    yield ['20070707T120007Z'], {}, zoned
    for cell in (NOON, NOON.to_pydatetime(), NOON.date(), NOON.to_datetime64()):
        yield [cell, NOON.tz_localize('UTC')], template, 'without a time zone, but its format'


@pytest.mark.parametrize(
    ('values', 'description', 'expected'),
    [
        ([1, SECRET], {'sdtype': 'numerical'}, 'not numbers'),
        (['777'], {'sdtype': 'numerical'}, 'not numbers'),
        ([True, False], {'sdtype': 'numerical'}, 'not numbers'),
        ([7.77, np.inf], {'sdtype': 'numerical'}, 'infinite'),
        (pd.Series([7, 10**400], dtype=object), {'sdtype': 'numerical'}, 'too large for a float'),
        ([7 + 7j], {'sdtype': 'numerical'}, 'not numbers'),
        ([7], {'sdtype': 'numerical', 'range_max': 1e300}, 'beyond 1e+200: rescale'),
        ([7], {'sdtype': 'numerical', 'range_min': -1e300}, 'beyond 1e+200: rescale'),
        ([7.77, -np.inf, None], {'sdtype': 'numerical'}, 'infinite'),
        ([777.0], {'sdtype': 'numerical', 'range_max': 100}, 'outside the range'),
        ([-777.0], {'sdtype': 'numerical', 'range_min': 0}, 'outside the range'),
        ([SECRET], {'sdtype': 'datetime'}, 'not dates'),
        (['7/7/2007'], {'sdtype': 'datetime', 'datetime_format': '%Y'}, "in the format '%Y'"),
        ([777.7], {'sdtype': 'datetime', 'datetime_format': '%Y'}, "in the format '%Y'"),
        (['77777-07-07'], {'sdtype': 'datetime'}, 'years 1 to 9999'),
        (['2007-07-07'], {'sdtype': 'datetime', 'range_max': '2000-01-01'}, 'outside the range'),
        *[
            (pd.Series(cells, dtype=object), {'sdtype': 'datetime'} | given, words)
            for cells, given, words in list_strange_zones()
        ],
        ([True, 777], {'sdtype': 'boolean'}, 'other than True'),
        ([SECRET], {'sdtype': 'boolean'}, 'other than True'),
        ([[777]], {'sdtype': 'boolean'}, 'other than True'),
        ([[777]], {'sdtype': 'categorical'}, 'cannot be categories'),
        ([b'777'], {'sdtype': 'ordinal'}, 'cannot be categories'),
        ([SECRET], {'sdtype': 'categorical', 'range_values': ['a']}, "among the 'range_values'"),
        ([777], {'sdtype': 'ordinal', 'range_values': [1, 2]}, "among the 'range_values'"),
        ([777, None], {'sdtype': 'numerical', 'range_is_nullable': False}, 'missing values'),
        ([SECRET, None], {'sdtype': 'categorical', 'range_is_nullable': False}, 'missing values'),
    ],
)
def test_a_broken_rule_is_named_without_values(values, description, expected):
    (problem,) = complain(values, **description)

    assert expected in problem
    assert "'x'" in problem
    assert SECRET not in problem
    assert '77' not in problem


@pytest.mark.parametrize(
    ('values', 'description'),
    [
        ([1, 2.5, None], {'sdtype': 'numerical', 'range_min': 1, 'range_max': 2.5}),
        (pd.array([1, None], dtype='Int8'), {'sdtype': 'numerical'}),
        (pd.array([1, None], dtype=object), {'sdtype': 'numerical'}),
        ([0.3, 0.1 + 0.2], {'sdtype': 'numerical'}),
        ([None, None], {'sdtype': 'numerical', 'decimal_places': 0}),
        ([0.123], {'sdtype': 'numerical', 'decimal_places': 1}),
        ([2.04], {'sdtype': 'numerical', 'decimal_places': 1, 'range_max': 2.0}),
        ([1 / 3], {'sdtype': 'numerical', 'decimal_places': 15}),
        ([4e-56], {'sdtype': 'numerical', 'decimal_places': 15, 'range_min': 4e-56}),
        ([0.126], {'sdtype': 'numerical', 'decimal_places': 2, 'range_max': 0.126}),
        ([None, None], {'sdtype': 'datetime'}),
        (['2000-01-01', None], {'sdtype': 'datetime', 'range_min': '2000-01-01'}),
        (['1/2/2000'], {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'}),
        ([NOON, NOON.date(), '7.7.2007 10:00 PM', '2007-07-07'], {'sdtype': 'datetime'}),
        (pd.Series([NOON]).dt.tz_localize('Asia/Tokyo'), {'sdtype': 'datetime'}),
        (
            pd.Series(['2007-07-07 +0700', NOON.tz_localize('UTC'), None], dtype=object),
            {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %z'},
        ),
        (
            pd.Series(['2007-07-07Z', NOON.tz_localize('UTC')], dtype=object),
            {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%dZ'},
        ),
        ([True, None], {'sdtype': 'boolean'}),
        (pd.array([np.bool_(True)], dtype=object), {'sdtype': 'boolean'}),
        (pd.array([True, None], dtype='boolean'), {'sdtype': 'boolean'}),
        ([1.0, None], {'sdtype': 'categorical', 'range_values': [1, 2]}),
        ([1], {'sdtype': 'ordinal', 'range_values': [1.0, 2.0]}),
        ([True], {'sdtype': 'categorical', 'range_values': [0, 1]}),
        ([np.inf], {'sdtype': 'unknown'}),
    ],
)
def test_a_valid_column_is_not_complained_about(values, description):
    assert complain(values, **description) == []


@pytest.mark.parametrize(
    ('values', 'facts', 'expected'),
    [
        (
            [-5, 0.26, 99.0, np.inf, SECRET, None],
            {'sdtype': 'numerical', 'low': 0.0, 'high': 9.0, 'places': 1},
            [0, 0.3, 9, 9, np.nan, np.nan],
        ),
        ([-5.0, np.inf, -np.inf], {'sdtype': 'numerical', 'low': 0.0}, [0, np.nan, 0]),
        (
            ['1999-01-01', '2000-01-02', SECRET, None],
            {'sdtype': 'datetime', 'template': '%Y-%m-%d', 'low': 0.0},
            [0, 86_400, np.nan, np.nan],
        ),
        ([True, 1, 'True', None], {'sdtype': 'boolean'}, [True, None, None, None]),
        (['a', 'b', ['a'], None], {'sdtype': 'categorical'}, ['a', 'b', None, None]),
        (['a', 'b', ['a'], 1], {'sdtype': 'categorical', 'values': ('a',)}, ['a'] + [None] * 3),
        ([None, 1], {'sdtype': 'ordinal', 'nullable': False}, [None, 1]),
    ],
)
def test_a_cell_that_breaks_a_rule_is_the_nearest_bound_or_missing(values, facts, expected):
    column = pd.Series(values, dtype=object)
    cells, problems = read_column(column, Facts('x', **facts))

    assert problems
    read = list_values(cells)
    assert read == [None if pd.isna(each) else each for each in expected]
    rows = [column.iloc[[at]] for at in range(len(column))]
    assert [list_values(read_column(row, Facts('x', **facts)).cells)[0] for row in rows] == read


def list_values(cells):
    values = pd.Series(cells).astype(object)
    return values.where(values.notna(), None).tolist()


@pytest.mark.parametrize('places', [0, 2, 15, 400])
@pytest.mark.filterwarnings('error')
def test_large_numbers_are_not_harmed_by_rounding(places):
    numbers = pd.Series([1e308, -1e300, 0.0, 3.0, 2.0**52 + 1, 0.125])
    cells, problems = read_column(numbers, Facts('x', 'numerical', places=places))

    assert problems == ()
    assert cells[:5].tolist() == numbers[:5].tolist()
    assert cells[5] == {0: 0.0, 2: 0.12}.get(places, 0.125)


@pytest.mark.parametrize('dtype', ['float32', 'Float32'])
@pytest.mark.parametrize('value', [0.1, -1e-5, 5.7327015853817856e16])
def test_a_range_that_was_detected_in_single_precision_holds_its_own_ends(dtype, value):
    column = pd.Series([value], dtype=dtype)
    end = float(column[0])

    assert complain(column, sdtype='numerical', range_min=end, range_max=end) == []
    assert complain(column, sdtype='numerical', range_min=value, range_max=value) == []
    assert 'outside' in complain(column, sdtype='numerical', range_min=end + abs(end) / 1e6)[0]


@pytest.mark.parametrize(
    ('values', 'expected'),
    [([SECRET, None], 'missing'), ([SECRET, SECRET], 'repeated'), ([777, 777], 'repeated')],
)
def test_keys_are_present_and_unique(values, expected):
    (problem,) = complain(values, keys=['x'], sdtype='id')

    assert expected in problem
    assert SECRET not in problem
    assert '77' not in problem
    assert complain([1, 2], keys=['x'], sdtype='id') == []


def test_numbers_that_are_stored_as_categories_are_refused_by_their_dtype_alone():
    header = pd.DataFrame({'x': pd.Series([7, 77], dtype='category'), 'y': [1, 2]}).head(0)
    about = {name: {'sdtype': 'numerical'} for name in header}
    (problem,) = find_misstored(header, list_facts(about, header.dtypes.to_dict()))

    assert "'x' (numerical) is stored as a category" in problem


def test_columns_are_those_of_the_metadata():
    assert compare_columns(['a', 'b', 'b'], ['a', 'b', 'c']) == [
        "The columns ['c'] of the metadata are not in the table.",
        'The table has several columns of the same name.',
    ]
    assert compare_columns(['a'], []) == ["The columns ['a'] of the table are not in the metadata."]


def test_a_table_without_rows_or_a_target_without_values_cannot_be_learned():
    assert 'no rows' in complain([], sdtype='numerical')[0]
    assert "'x' has no values" in complain([None], target='x', sdtype='numerical')[0]
    assert complain([5, 5], target='x', sdtype='numerical') == []


def test_where_cells_are_replaced_only_a_table_without_rows_is_a_problem():
    table = pd.DataFrame({'x': [SECRET, None], 'key': [1, 1]})
    facts = list_facts({'x': {'sdtype': 'numerical'}}, table.dtypes.to_dict())

    assert find_problems(chunk_table(table), facts, ['key'], 'x')
    assert find_problems(chunk_table(table), facts, ['key'], 'x', coerce=True) == []
    assert find_problems(chunk_table(table.head(0)), facts, ['key'], 'x', coerce=True)
