"""What a transformer does to a column before its codes: cell by cell, fitted to public facts."""

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import (
    BinaryEncoder,
    FloatFormatter,
    LabelEncoder,
    LogitScaler,
    LogScaler,
    OptimizedTimestampEncoder,
    OrderedLabelEncoder,
    UnixTimestampEncoder,
)
from rdt.transformers.base import BaseTransformer

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.transforms.allowed import LOCAL
from sdv_threea.transforms.steps import make_step
from sdv_threea.transforms.transformer_set import DateEncoder

NUMBERS = [0.0, -0.0, 5e-324, 0.1, 0.5, 1.0, 1 / 3, 2.0, 1e15 + 0.3, 1e200, -3.0, -1e200, np.nan]
DAYS = [-1e10, -86_400.0, 0.0, 1e-6, 0.1, 59.999999, 86_400.0, 6.3e8, 6.3e8 + 1, 8e9, np.nan]
WORDS = ['b', 'a', 'c', None, 'b', 'nobody', 'A']
FLAGS = [True, None, False, True]


class Cubed(BaseTransformer):
    """A user's own: it falls, and knows what it was fitted to."""

    INPUT_SDTYPE = 'numerical'
    ACTS_RECORD_BY_RECORD = True

    def _fit(self, data):
        self.seen = data.tolist()

    def _transform(self, data):
        return -np.cbrt(data)

    def _reverse_transform(self, data):
        return (-data) ** 3


#: Every accepted class, with the column that it takes and hostile cells.
STEPS = {
    'FloatFormatter': (FloatFormatter(), Number(name='x'), NUMBERS),
    'LogScaler': (LogScaler(), Number(name='x'), NUMBERS),
    'LogScaler, shifted': (LogScaler(constant=-1.0), Number(name='x', step=1.0), NUMBERS),
    'LogScaler, inverted': (LogScaler(constant=9.0, invert=True), Number(name='x'), NUMBERS),
    'LogitScaler': (LogitScaler(), Number(name='x'), NUMBERS),
    'UnixTimestampEncoder': (UnixTimestampEncoder(), Number(name='x'), DAYS),
    'OptimizedTimestampEncoder': (OptimizedTimestampEncoder(), Number(name='x'), DAYS),
    'OptimizedTimestampEncoder, days': (
        OptimizedTimestampEncoder(datetime_format='%Y-%m-%d'),
        Number(name='x', step=86_400.0),
        DAYS,
    ),
    'BinaryEncoder': (BinaryEncoder(), Category(name='x', values=(False, True)), FLAGS),
    'LabelEncoder': (LabelEncoder(), Category(name='x', values=('a', 'b', 'c')), WORDS),
    'OrderedLabelEncoder': (
        OrderedLabelEncoder(order=['c', 'b', 'a']),
        Category(name='x', values=('a', 'b', 'c')),
        WORDS,
    ),
    'own': (Cubed(), Number(name='x'), NUMBERS),
}


@pytest.fixture(params=STEPS)
def case(request):
    transformer, column, cells = STEPS[request.param]
    step = make_step(column, transformer, is_date=cells is DAYS)
    dtype = object if isinstance(column, Category) else np.float64
    return step, pd.DataFrame({'x': pd.Series(cells, dtype=dtype)})


def test_every_class_that_is_accepted_is_tested_here():
    assert {type(transformer) for transformer, *_ in STEPS.values()} == {*LOCAL, Cubed}


def test_a_cell_is_transformed_alike_in_any_company(case):
    """Whatever the other rows hold, however many there are, and in whatever order."""
    step, table = case
    many = pd.concat([table] * 40, ignore_index=True)
    alone = np.concatenate([step.forward(table.iloc[[at]])['x'] for at in range(len(table))])
    for rows in (many, many.iloc[::-1], many.sample(frac=1, random_state=1), many.iloc[3:]):
        together = step.forward(rows)['x']
        assert together.dtype == np.float64
        expected = np.tile(alone, 40)[rows.index]
        assert together.tobytes() == expected.tobytes()


def test_missing_cells_stay_missing(case):
    step, table = case
    done = step.forward(table)['x']
    assert np.isnan(done[table['x'].isna()]).all()
    assert np.isfinite(done[~np.isnan(done)]).all()


def test_what_was_transformed_comes_back(case):
    step, table = case
    done = step.forward(table)
    domain = Domain(tuple(step.derived))
    back = step.back(pd.DataFrame(done), domain)['x']
    kept = ~np.isnan(done['x'])
    if isinstance(step.column, Category):
        assert back[kept].tolist() == table['x'][kept].tolist()
        return
    given = table['x'][kept].to_numpy()
    if step.column.step:
        given = (np.floor if step.is_date else np.rint)(given / step.column.step)
        given = given * step.column.step
    # Dates of pandas are finer than those that are released; logarithms lose the last digits.
    assert np.allclose(back[kept], given, rtol=1e-9, atol=2e-6 if step.is_date else 1e-9)


def test_a_transformer_is_fitted_to_public_facts_alone():
    numbers = Number(name='x', low=-8.0, high=27.0)
    assert make_step(numbers, Cubed(), is_date=False).transformer.seen == [-8.0, 1.0, 27.0]
    nothing = make_step(Number(name='x'), Cubed(), is_date=False)
    assert nothing.transformer.seen == [1.0]


def test_what_is_public_of_a_column_goes_through_its_transformer():
    column = Number(name='x', low=0.0, high=9.0, step=1.0, nullable=False)
    (image,) = make_step(column, LogScaler(constant=-1.0), is_date=False).derived
    assert (image.low, image.high) == (0.0, np.log(10.0))
    assert (image.step, image.nullable) == (0.0, False)
    (image,) = make_step(column, Cubed(), is_date=False).derived
    assert (image.low, image.high) == (-np.cbrt(9.0), 0.0)
    (image,) = make_step(column, LogScaler(), is_date=False).derived
    assert (image.low, image.high) == (None, np.log(9.0))  # no logarithm of zero
    days = Number(name='x', step=86_400.0, steps=(86_400.0, 3_600.0))
    (image,) = make_step(days, UnixTimestampEncoder(), is_date=True).derived
    assert (image.step, image.steps) == (86_400e9, (86_400e9, 3_600e9))


def test_a_transformed_column_is_looked_for_in_cells_as_fine_as_its_own():
    (plain,) = make_step(Number(name='x'), FloatFormatter(), is_date=False).derived
    (image,) = make_step(Number(name='x'), LogScaler(), is_date=False).derived
    positive = np.array([border for border in plain.grid if border > 0])
    assert np.array_equal(image.grid, np.unique(np.log(positive)))


WRITTEN = pd.Series(pd.to_datetime(['2020-01-31', None, '2021-12-01', '2020-02-29']), name='d')


@pytest.mark.parametrize(
    ('cells', 'datetime_format'),
    [
        (WRITTEN, None),
        (WRITTEN.dt.tz_localize('UTC'), None),
        (WRITTEN.dt.strftime('%d.%m.%Y'), '%d.%m.%Y'),
        (WRITTEN.dt.strftime('%Y-%m-%d'), None),
        (WRITTEN.dropna().dt.strftime('%Y%m%d').astype('int64'), '%Y%m%d'),
        (WRITTEN + pd.Timedelta(seconds=5), None),
    ],
    ids=['dates', 'zone', 'texts', 'ISO 8601', 'numbers', 'seconds'],
)
def test_dates_come_back_as_they_were(cells, datetime_format):
    table = cells.to_frame('d')
    encoder = DateEncoder(datetime_format=datetime_format)
    codes = encoder.fit_transform(table, 'd')
    assert ((codes['d'] == 0) == cells.isna()).all()
    back = encoder.reverse_transform(codes)
    assert back['d'].dtype == table['d'].dtype
    again = encoder.transform(back)
    pd.testing.assert_frame_equal(again, codes)
