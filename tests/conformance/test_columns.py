"""Kinds of columns and how they are stored: what goes in comes out."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

NAME = 'people'

NUM_ROWS = 400

NUMERICAL, CATEGORICAL, BOOLEAN, DATETIME = (
    {'sdtype': sdtype} for sdtype in ('numerical', 'categorical', 'boolean', 'datetime')
)


def draw(seed=0):
    return np.random.default_rng(seed)


def drop(values):
    column = pd.Series(values)
    return column.mask(draw(9).random(len(column)) < 0.15)


def draw_days():
    days = pd.to_timedelta(draw(5).integers(0, 900, NUM_ROWS), unit='D')
    return pd.Series(pd.Timestamp('2019-01-01') + days)


def draw_moments():
    seconds = pd.to_timedelta(draw(6).integers(0, 10**8, NUM_ROWS), unit='s')
    return pd.Series(pd.Timestamp('2019-01-01') + seconds)


WHOLE = draw().integers(0, 60, NUM_ROWS)
REAL = draw().normal(0, 2, NUM_ROWS)
LETTERS = draw().choice(['a', 'b', 'c'], NUM_ROWS)
FLAGS = draw().random(NUM_ROWS) < 0.4

SIZES = ['uint8', 'uint64', 'float16', 'UInt8', 'Float32']
ID, ORDERED = {'sdtype': 'id'}, pd.CategoricalDtype(list('cab'), ordered=True)

#: Storage by name: a column, and what the metadata says about it.
STORED = {
    'int64': (pd.Series(WHOLE), NUMERICAL),
    'int8': (pd.Series(WHOLE, dtype='int8'), NUMERICAL),
    'uint16': (pd.Series(WHOLE, dtype='uint16'), NUMERICAL),
    'float64': (pd.Series(REAL), NUMERICAL),
    'float32': (pd.Series(REAL.round(2), dtype='float32'), NUMERICAL),
    'float64 that is whole': (pd.Series(WHOLE, dtype='float64'), NUMERICAL),
    'float64 with missing values': (drop(REAL), NUMERICAL),
    'Int64': (pd.Series(WHOLE).astype('Int64'), NUMERICAL),
    'Int64 with missing values': (drop(WHOLE).astype('Int64'), NUMERICAL),
    'Float64 with missing values': (drop(REAL).astype('Float64'), NUMERICAL),
    'negative numbers': (pd.Series(-5 - WHOLE), NUMERICAL),
    'large numbers': (pd.Series(REAL * 1e12), NUMERICAL),
    'small numbers': (pd.Series(REAL * 1e-12), NUMERICAL),
    'texts': (pd.Series(LETTERS), CATEGORICAL),
    'texts with missing values': (drop(LETTERS), CATEGORICAL),
    'string': (pd.Series(LETTERS).astype('string'), CATEGORICAL),
    'category': (pd.Series(LETTERS).astype('category'), CATEGORICAL),
    'whole numbers as categories': (pd.Series(WHOLE % 3), CATEGORICAL),
    'booleans as categories': (pd.Series(FLAGS), CATEGORICAL),
    'bool': (pd.Series(FLAGS), BOOLEAN),
    'boolean with missing values': (drop(FLAGS.astype(object)).astype('boolean'), BOOLEAN),
    'booleans and None as objects': (drop(FLAGS.astype(object)), BOOLEAN),
    'ordinal texts': (pd.Series(LETTERS), {'sdtype': 'ordinal', 'range_values': ['a', 'b', 'c']}),
    'datetime64[ns]': (draw_moments(), DATETIME),
    'datetime64[ns] with missing values': (drop(draw_moments()), DATETIME),
    'datetime64[s]': (draw_moments().astype('datetime64[s]'), DATETIME),
    'dates as texts': (
        draw_days().dt.strftime('%d/%m/%Y'),
        DATETIME | {'datetime_format': '%d/%m/%Y'},
    ),
    'moments as texts': (
        draw_moments().dt.strftime('%Y-%m-%d %H:%M:%S'),
        DATETIME | {'datetime_format': '%Y-%m-%d %H:%M:%S'},
    ),
    **{
        f'dates as numbers in {dtype}': (
            draw_days().dt.strftime('%Y%m%d').astype(int).astype(dtype),
            DATETIME | {'datetime_format': '%Y%m%d'},
        )
        for dtype in ('int64', 'Int64', 'float64')
    },
    **{f'{dtype} numbers': (pd.Series(WHOLE).astype(dtype), NUMERICAL) for dtype in SIZES},
    'numbers beyond floats': (pd.Series(WHOLE) + 2**62, NUMERICAL),
    'the largest number': (pd.Series([2**63 - 1] * NUM_ROWS), NUMERICAL),
    'category with missing values': (drop(LETTERS).astype('category'), CATEGORICAL),
    'ordered category': (pd.Series(LETTERS).astype(ORDERED), CATEGORICAL),
    'codes in floats': (pd.Series(WHOLE % 3).astype(float), CATEGORICAL),
    'codes in Int64': (pd.Series(WHOLE % 3).astype('Int64'), CATEGORICAL),
    'booleans as a category dtype': (pd.Series(FLAGS).astype('category'), BOOLEAN),
    'dates as a category dtype': (draw_days().dt.strftime('%Y-%m-%d').astype('category'), DATETIME),
    **{f'ids in {dtype}': (pd.Series(WHOLE).astype(dtype), ID) for dtype in ('int32', 'float64')},
    'ids as texts': (pd.Series(LETTERS), ID),
    'unknown booleans': (pd.Series(FLAGS), {'sdtype': 'unknown', 'pii': True}),
}


def fit_and_sample(make, build_metadata, table, columns):
    synthesizer = make(build_metadata(columns))
    synthesizer.fit({NAME: table})
    return synthesizer.sample(80)[NAME]


@pytest.fixture(scope='module')
def stored_rows(make, build_metadata, private):
    """Rows of one table that has a column in every storage."""
    table = pd.DataFrame({name: column for name, (column, _) in STORED.items()})
    metadata = build_metadata({name: about for name, (_, about) in STORED.items()})
    synthesizer = make(metadata, **({'epsilon': 500.0} if private else {}))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit({NAME: table})
    return synthesizer.sample(80)[NAME]


@pytest.mark.parametrize('stored', STORED)
def test_a_column_comes_back_as_it_was_stored(stored_rows, stored):
    (column, _), rows = STORED[stored], stored_rows[stored]
    assert str(rows.dtype) == str(column.dtype)
    kinds = {type(value) for value in rows.dropna()}
    assert kinds <= {type(value) for value in column.dropna()}


@pytest.mark.sdv_fails('Booleans are recognised by identity, which NumPy booleans fail.')
def test_numpy_booleans_as_objects_are_booleans(make, build_metadata):
    flags = pd.Series([np.bool_(flag) for flag in FLAGS], dtype=object)
    table = pd.DataFrame({'x': flags, 'y': WHOLE})
    rows = fit_and_sample(make, build_metadata, table, {'x': BOOLEAN, 'y': NUMERICAL})
    assert set(rows['x']) == {True, False}


def test_columns_that_are_named_by_numbers_keep_their_names(make, build_metadata):
    table = pd.DataFrame({0: WHOLE, 1: LETTERS})
    rows = fit_and_sample(make, build_metadata, table, {'0': NUMERICAL, '1': CATEGORICAL})
    assert list(rows.columns) == [0, 1]


@pytest.mark.sdv_fails('Names are restored neither to no rows, nor under conditions.')
def test_columns_that_are_named_by_numbers_keep_their_names_however_sampled(make, build_metadata):
    synthesizer = make(build_metadata({'0': NUMERICAL, '1': CATEGORICAL}))
    synthesizer.fit({NAME: pd.DataFrame({0: WHOLE, 1: LETTERS})})
    known, asked = pd.DataFrame({'1': ['a', 'b']}), [Condition({'1': 'a'}, 4)]
    assert synthesizer.sample(0)[NAME].empty
    completed = synthesizer.sample_remaining_columns(known)[NAME]
    for rows, values in (
        (completed, ['a', 'b']),
        (synthesizer.sample_from_conditions(asked)[NAME], ['a'] * 4),
    ):
        assert (list(rows.columns), list(rows[1])) == ([0, 1], values)


@pytest.mark.sdv_fails('Names are restored by position, so that columns are exchanged.')
def test_columns_that_are_named_by_numbers_may_come_in_another_order(make, build_metadata):
    table = pd.DataFrame({1: LETTERS, 0: WHOLE})
    rows = fit_and_sample(make, build_metadata, table, {'0': NUMERICAL, '1': CATEGORICAL})
    assert set(rows[1]) <= {'a', 'b', 'c'}


@pytest.mark.filterwarnings('ignore:No .datetime_format. is present')
@pytest.mark.parametrize('date', [True, False])
def test_date_objects_are_dates(make, build_metadata, date):
    values = draw_days().dt.date if date else [each.to_pydatetime() for each in draw_moments()]
    table = pd.DataFrame({'x': pd.Series(values, dtype=object), 'y': WHOLE})
    rows = fit_and_sample(make, build_metadata, table, {'x': DATETIME, 'y': NUMERICAL})
    assert pd.to_datetime(rows['x']).between(*map(pd.Timestamp, ('2010-01-01', '2030-01-01'))).all()
    assert rows['x'].map(lambda value: isinstance(value, (str, datetime.date))).all()


@pytest.mark.sdv_fails('Only Python and NumPy numbers are taken for numbers.')
def test_decimals_are_numbers(make, build_metadata):
    prices = pd.Series([Decimal(int(value)) / 4 for value in WHOLE], dtype=object)
    table = pd.DataFrame({'x': prices, 'y': WHOLE})
    rows = fit_and_sample(make, build_metadata, table, {'x': NUMERICAL, 'y': NUMERICAL})
    assert rows['x'].astype(float).between(-5, 20).all()


def test_the_decimal_places_of_the_metadata_hold(make, build_metadata):
    table = pd.DataFrame({'x': WHOLE / 10, 'y': WHOLE})
    described = NUMERICAL | {'decimal_places': 1}
    rows = fit_and_sample(make, build_metadata, table, {'x': described, 'y': NUMERICAL})
    assert np.allclose(rows['x'], rows['x'].round(1))


@pytest.mark.parametrize('sdtype', ['unknown', 'name', 'ssn', 'ipv4_address', 'address'])
def test_personal_information_of_any_kind_is_made_up(make, build_metadata, sdtype):
    table = pd.DataFrame({'x': [f'private {at}' for at in range(NUM_ROWS)], 'y': WHOLE})
    described = {'x': {'sdtype': sdtype, 'pii': True}, 'y': NUMERICAL}
    rows = fit_and_sample(make, build_metadata, table, described)
    assert rows['x'].notna().all()
    assert not rows['x'].astype(str).str.contains('private').any()


@pytest.mark.differs(
    theirs='can occur in a sample',
    ours='does not occur',
    why='A category is released if enough records share it.',
)
def test_a_category_of_one_record(make, private, build_metadata):
    letters = np.where(draw().random(NUM_ROWS) < 0.5, 'a', 'b').astype(object)
    letters[7] = 'private'
    table = pd.DataFrame({'x': letters, 'y': WHOLE})
    synthesizer = make(build_metadata({'x': CATEGORICAL, 'y': NUMERICAL}))
    synthesizer.fit({NAME: table})
    occurs = 'private' in set(synthesizer.sample(8_000)[NAME]['x'])
    assert occurs is not private


@pytest.mark.differs(
    theirs='are learned from the table',
    ours='are dropped, unless they are declared public',
    why='A range that was detected in the table is a pair of its records.',
)
def test_ranges_in_the_metadata(make, private, build_metadata):
    described = NUMERICAL | {'range_min': -3, 'range_max': 200}
    synthesizer = make(build_metadata({'x': described, 'y': NUMERICAL}))
    kept = synthesizer.get_metadata().tables[NAME].columns['x']
    assert ('range_min' in kept) is not private
