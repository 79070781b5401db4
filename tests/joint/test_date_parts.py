"""Columns that are parts of a date or a number: which are likely, who obeys, what samples show."""

import math

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea import ClustMixSynthesizer
from sdv_threea.domain import TIME_STEPS, Category, Domain, Number
from sdv_threea.encoding.encoders import CategoryEncoder, NumberEncoder
from sdv_threea.joint.date_parts import OF_DATES, Part, find_parts

START = pd.Timestamp('2000-01-01')

MONTHS = tuple((name, at) for at, name in enumerate(['Jan', 'Feb', 'Mar', 'Apr'], start=1))

HOUR = Part('hour', ('time',), 100.0)

#: Cells that no date has, and others that no arithmetic of floats may stop at.
HOSTILE = [np.nan, np.inf, -np.inf, 1.8e308, -1.8e308, 5e-324, -0.0, 2.0**53, 1_845.0]


def make_seconds(*moments):
    return np.array([(pd.Timestamp(each) - START).total_seconds() for each in moments])


@pytest.mark.parametrize(
    'moment', ['1582-10-15', '1999-12-31 23:59:59', '2000-02-29', '2024-07-07']
)
def test_parts_of_dates_are_those_of_the_calendar(moment):
    found = {name: give(make_seconds(moment))[0] for name, give in OF_DATES.items()}
    known = pd.Timestamp(moment)

    sunday = (known.weekday() + 1) % 7
    names = ('year', 'quarter', 'month', 'day', 'weekday', 'hour', 'minute')
    told = {name: getattr(known, name) for name in names}
    told['weekday'] = known.weekday()
    assert found == told | {'weekday from Sunday': sunday}


def look(number, own, shares, wanted, about=None):
    transformers = (number.assign('x'), own.assign('y'))
    domain = Domain((about or Number(name='x'), Category(name='y')))
    return find_parts(domain, transformers, {'x': shares, 'y': wanted}, ())


def test_a_column_that_is_distributed_like_a_part_is_a_likely_one():
    edges = np.arange(-0.5, 2_400, 50)
    number = NumberEncoder(edges=edges, step=1.0, nullable=False)
    shares = np.append(0.0, np.full(len(edges) - 1, 1 / (len(edges) - 1)))
    hours = CategoryEncoder(tuple(f'h{at:02}' for at in range(24)), False, False)
    even = np.append(0.0, np.full(24, 1 / 24))

    assert [(own.function, own.offset) for own in look(number, hours, shares, even)] == [(100.0, 0)]
    assert not look(number, hours, shares, np.eye(25)[3])
    unread = CategoryEncoder(tuple('abcdefghijklmnopqrstuvwx'), False, False)
    assert not look(number, unread, shares, even)


def test_names_of_months_and_numbers_from_zero_are_understood():
    ends = make_seconds('2021-01-01', '2021-02-01', '2021-03-01', '2021-04-01', '2021-05-01')
    number = NumberEncoder(edges=ends - 1, step=86_400.0, nullable=False)
    shares = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    about = Number(name='x', steps=TIME_STEPS)
    named = CategoryEncoder(tuple(name for name, _ in MONTHS), False, False)
    counted = CategoryEncoder((0, 1, 2, 3), False, False)

    (own,) = look(number, named, shares, shares, about)
    assert (own.function, own.offset, own.values) == ('month', 0, MONTHS)  # noqa: PD011
    assert np.allclose(own.tabulate(number, named, shares), np.diag(shares), atol=1e-12)
    assert look(number, counted, shares, shares, about)[0].offset == -1


@pytest.mark.parametrize('part', [HOUR, *(Part('hour', ('time',), name) for name in OF_DATES)])
def test_whether_a_hostile_record_obeys_depends_on_itself_alone(part):
    cells = np.array(np.meshgrid(HOSTILE, HOSTILE)).reshape(2, -1)
    table = pd.DataFrame(dict(zip(['time', 'hour'], cells, strict=True)))
    alone = [part.holds(table[at : at + 1])[0] for at in range(len(table))]

    assert np.array_equal(alone, part.holds(table))
    texts = Part('hour', ('time',), part.function, values=(('7', 7), ('18', 18)))
    named = table.assign(hour=np.resize(np.array(['7', '18', None, 'x'], dtype=object), len(table)))
    alone = [texts.holds(named[at : at + 1])[0] for at in range(len(named))]
    assert np.array_equal(alone, texts.holds(named))


def test_what_is_missing_a_sentinel_or_without_a_value_stays():
    domain = Domain(
        (Number(name='time', sentinels=(-9.0,)), Number(name='hour', sentinels=(99.0,)))
    )
    times = [1_845.0, -9.0, np.nan, 700.0, 700.0]
    table = pd.DataFrame({'time': times, 'hour': [1.0, 1.0, 1.0, 99.0, np.nan]})
    HOUR.write(table, domain)

    assert table.hour.tolist()[:4] == [18.0, 1.0, 1.0, 99.0]
    assert math.isnan(table.hour[4])
    named = Part('hour', ('time',), 100.0, values=(('seven', 7),))
    shown = named.show(np.array([18.0, 7.0, 7.0]), pd.Series(['noon', 'noon', None]))
    assert shown[:2].tolist() == ['noon', 'seven']
    assert shown.isna().tolist() == [False, False, True]


def test_sampled_rows_obey_what_nobody_stated(rng):
    date = START + pd.to_timedelta(rng.integers(0, 1_500, 3_000), unit='D')
    minute = rng.integers(300, 1_400, 3_000)
    table = pd.DataFrame({'date': date, 'minute': minute, 'hour': minute // 60, 'other': 1.5})
    table = table.assign(month=date.strftime('%b'), weekday=date.weekday + 1)
    kinds = {'date': 'datetime', 'month': 'categorical'}
    metadata = describe(dict.fromkeys(table, 'numerical') | kinds, 'visits')
    synthesizer = ClustMixSynthesizer(metadata, epsilon=8.0)
    synthesizer.fit({'visits': table})
    rows = synthesizer.sample(500)['visits']

    assert (rows.hour == rows.minute // 60).mean() > 0.98
    assert (rows.month == rows.date.dt.strftime('%b')).mean() > 0.98
    assert (rows.weekday == rows.date.dt.weekday + 1).mean() > 0.98
