"""Derivations: what goes in comes back, record by record, and what is drawn obeys the rule."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdv_threea.constraints.derivations import Derivations, Indicator, Joint
from sdv_threea.constraints.differences import Order, plant
from sdv_threea.domain import Category, Domain, Number

SETTINGS = settings(max_examples=50)

CITY, LAND, OPEN = (Category(name=name) for name in ('city', 'land', 'open'))
OTHER = Number(name='other')
YES, NO = Number(name='yes'), Category(name='no')

cells = st.sampled_from(['a', 'b', 1, True, None])
present = st.one_of(
    st.integers(-50, 50).map(float),
    st.integers(-5_000, 5_000).map(lambda cents: cents / 100),
    st.floats(-1e6, 1e6),
)
numbers = st.one_of(st.none(), present)


def objects(values):
    return pd.Series(np.fromiter(values, dtype=object, count=len(values)), dtype=object)


def fill(domain, values):
    """The released domain: all values of a table, and nothing narrower than its numbers."""
    columns = []
    for column in domain.columns:
        present = values[column.name].dropna()
        if isinstance(column, Category):
            found = tuple(dict.fromkeys(present)) if column.values is None else column.values  # noqa: PD011
            columns.append(replace(column, values=found, nullable=bool(column.nullable)))
            continue
        ends = [float(end) for end in (present.min(), present.max())] if len(present) else [0.0]
        low = ends[0] if column.low is None else column.low
        high = max(ends[-1], low) if column.high is None else column.high
        nullable = column.nullable is not False
        step = column.step or 0.0
        columns.append(replace(column, low=low, high=high, step=step, nullable=nullable))
    return Domain(tuple(columns), domain.target)


def model(domain, differences=True):
    """The domain that is modelled if all differences, or none, are narrower than their numbers."""
    left_out = {own if differences else gap for own, gap in domain.either}
    return domain.only(set(domain.names) - left_out)


def turn_around(derivations, table, differences=True):
    derived = derivations.forward(table)
    released = fill(model(derivations.derived, differences), derived)
    assert list(derived) == list(derivations.derived.names)
    derived = derived[list(released.names)].copy()
    for column in released.columns:
        # What is never missing is drawn for every row.
        if isinstance(column, Number) and not column.nullable:
            derived[column.name] = derived[column.name].fillna(column.low)
    return derivations.back(derived, released)


def assert_record_wise(derivations, table):
    """Deriving a table is deriving its rows, bit for bit."""
    whole = derivations.forward(table)
    for row in range(len(table)):
        alone = derivations.forward(table.iloc[[row]])
        for name in whole:
            assert repr(alone[name].iloc[0]) == repr(whole[name].iloc[row])


@given(rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=5))
@SETTINGS
def test_combinations_come_back_with_their_missing_values(rows):
    derivations = Derivations(Domain((CITY, OTHER, LAND, OPEN)), (Joint('c', (CITY, LAND, OPEN)),))
    table = pd.DataFrame({'city': objects([row[0] for row in rows]), 'other': 1.5})
    table['land'], table['open'] = (objects([row[at] for row in rows]) for at in (1, 2))
    derived = derivations.forward(table)

    assert list(derived['c']) == rows
    assert list(map(repr, turn_around(derivations, table).itertuples(index=False, name=None))) == [
        repr((city, 1.5, land, is_open)) for city, land, is_open in rows
    ]
    assert_record_wise(derivations, table)


def test_only_released_combinations_are_described():
    land = replace(LAND, values=('CH', 'FR', 'IT'))
    derivations = Derivations(Domain((CITY, land)), (Joint('c', (CITY, land)),))
    released = Domain((Category(name='c', values=(('Bern', 'CH'), (None, 'FR')), nullable=False),))
    city, country = derivations.restore(released).columns

    assert derivations.derived == Domain((Category(name='c', nullable=False),))
    assert (city.values, city.nullable) == (('Bern',), True)  # noqa: PD011
    assert (country.values, country.nullable) == (('CH', 'FR', 'IT'), False)  # noqa: PD011


@given(places=st.lists(st.sampled_from(['yes', 'no']), min_size=1, max_size=5))
@SETTINGS
def test_flags_come_back(places):
    derivations = Derivations(Domain((YES, OTHER, NO)), (Indicator('f', (YES, NO)),))
    table = pd.DataFrame(
        {
            'yes': [float(place == 'yes') for place in places],
            'other': 2.0,
            'no': objects([int(place == 'no') for place in places]),
        }
    )

    assert list(derivations.forward(table)['f']) == places
    pd.testing.assert_frame_equal(turn_around(derivations, table), table)
    assert_record_wise(derivations, table)


def test_flags_are_public_and_broken_ones_count_for_nothing():
    flag = Category(name='no', values=(False, True))
    derivations = Derivations(Domain((YES, flag)), (Indicator('f', (YES, flag)),))
    table = pd.DataFrame({'yes': [1.0, 0.0, np.nan], 'no': objects([True, None, True])})
    released = fill(derivations.derived, derivations.forward(table))
    back = derivations.back(pd.DataFrame({'f': objects(['yes', 'no'])}), released)

    assert list(derivations.forward(table)['f']) == [None, None, 'no']
    assert released == derivations.derived
    assert back['no'].tolist() == [False, True]
    assert back['no'].map(type).eq(bool).all()
    restored = derivations.restore(released)
    assert restored['yes'] == Number(name='yes', low=0.0, high=1.0, step=1.0, nullable=False)
    assert restored['no'] == replace(flag, nullable=False)


ROOTS = {
    'pair': (['a', 'b'], [('a', 'b')]),
    'chain': (['a', 'b', 'c'], [('a', 'b'), ('b', 'c')]),
    'star down': (['a', 'b', 'c'], [('a', 'c'), ('b', 'c')]),
    'star up': (['a', 'b', 'c'], [('a', 'b'), ('a', 'c')]),
    'zigzag': (['a', 'b', 'c', 'd'], [('a', 'b'), ('c', 'b'), ('c', 'd')]),
}


def grow(shape, target=None, strict=False, **facts):
    names, pairs = ROOTS[shape]
    columns = tuple(Number(name=name, **facts) for name in names)
    orders = [Order(low, high, strict, f'{low}#{high}') for low, high in pairs]
    tree = plant(columns, orders, 'missing', target)
    return Derivations(Domain(columns, target), (tree,)), orders


def sort_values(rows, names, orders):
    """Make rows obey the orders, as far as values are present."""
    table = pd.DataFrame(rows, columns=names, dtype=np.float64)
    for _ in names:
        for order in orders:
            low, high = table[order.low].copy(), table[order.high].copy()
            swap = low > high
            table.loc[swap, order.low], table.loc[swap, order.high] = high[swap], low[swap]
    return table


@pytest.mark.parametrize(
    ('shape', 'target'), [*((shape, None) for shape in ROOTS), ('pair', 'b'), ('zigzag', 'a')]
)
@given(data=st.data())
@settings(max_examples=20)
def test_ordered_numbers_come_back_with_their_missing_values(shape, target, data):
    derivations, orders = grow(shape, target)
    names = list(derivations.domain.names)
    row = st.tuples(*(present if name == target else numbers for name in names))
    table = sort_values(data.draw(st.lists(row, min_size=1, max_size=5)), names, orders)
    back = turn_around(derivations, table)
    whole = turn_around(derivations, table, differences=False)
    np.testing.assert_array_equal(whole, table)
    assert list(back) == names
    assert (back.isna() == table.isna()).all().all()
    # A number is lost where it is only known by its distance to a missing one.
    known = table.notna().all(axis=1)
    np.testing.assert_allclose(back[known], table[known], rtol=1e-9, atol=1e-6)
    assert_record_wise(derivations, table)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=10))
@SETTINGS
def test_a_missing_target_stays_missing_and_others_stand_on_another_row(rows):
    derivations, orders = grow('pair', 'b')
    table = sort_values(rows, ['a', 'b'], orders)
    back = turn_around(derivations, table)

    assert (back['b'].isna() == table['b'].isna()).all()
    if table['b'].notna().any():
        assert (back['a'].isna() == table['a'].isna()).all()
        assert (back['b'].isna() | back['a'].isna() | (back['a'] <= back['b'] + 1e-6)).all()


@pytest.mark.parametrize(
    ('shape', 'target', 'root'),
    [
        ('pair', None, 'a'), ('pair', 'b', 'b'), ('chain', None, 'a'), ('chain', 'c', 'c'),
        ('star down', None, 'a'), ('zigzag', None, 'c'), ('chain', 'other', 'a'),
    ],
)  # fmt: skip
def test_the_root_is_the_target_or_as_low_as_can_be(shape, target, root):
    derivations, _ = grow(shape, target)
    assert model(derivations.derived).names[0] == root
    assert len(set(model(derivations.derived).names) & set(derivations.domain.names)) == 1
    assert set(derivations.domain.names) <= set(model(derivations.derived, False).names)


@pytest.mark.parametrize('shape', ROOTS)
@pytest.mark.parametrize('strict', [False, True])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=8)
def test_whatever_is_drawn_obeys_the_order(shape, strict, seed):
    derivations, orders = grow(shape, strict=strict, step=0.1)
    rng = np.random.default_rng(seed)
    columns, sampled = [], {}
    for column in model(derivations.derived).columns:
        if isinstance(column, Category):
            columns.append(replace(column, values=((),)))
            sampled[column.name] = objects([()] * 50)
        else:
            times = rng.integers(0 if column.low is None else round(column.low * 10), 80, 50)
            sampled[column.name] = times / 10
            columns.append(replace(column, low=column.low or 0.0, high=8.0))
    back = derivations.back(pd.DataFrame(sampled), Domain(tuple(columns)))
    restored = derivations.restore(Domain(tuple(columns)))

    for order in orders:
        gap = (back[order.high] - back[order.low]).round(9)
        assert (gap > 0).all() if strict else (gap >= 0).all()
    for name in back:
        assert back[name].between(restored[name].low, restored[name].high).all()
        np.testing.assert_array_equal(back[name], back[name].round(1))


def test_differences_of_decimals_are_exact():
    derivations, _ = grow('pair')
    table = pd.DataFrame({'a': [123_456.7, 0.1], 'b': [123_456.78, 0.3]})

    assert derivations.forward(table)['a#b'].tolist() == [0.08, 0.2]


def test_what_is_public_of_differences():
    facts = {'strict': True, 'step': 1.0, 'low': 0.0, 'nullable': False}
    strict, wide = (grow('pair', high=high, **facts)[0] for high in (20.0, 2_000.0))
    unknown, _ = grow('pair', strict=True)
    gap = strict.derived['a#b']

    assert strict.derived.names == ('a', 'b', 'a#b')
    assert strict.derived.either == (('b', 'a#b'),)
    assert (gap.low, gap.high, gap.step, gap.nullable) == (1.0, 20.0, 1.0, False)
    # Of a wide range, nearly all differences are a small part, which is asked for.
    assert wide.derived['a#b'].high is None
    assert unknown.derived.names == ('a', 'b', 'a#b', 'missing')
    assert unknown.derived['a#b'] == Number(name='a#b', low=0.0, nullable=False)
    assert unknown.derived['missing'] == Category(name='missing', nullable=False)


def test_a_public_bound_holds_for_what_it_bounds_through_the_order():
    columns = (Number(name='a', low=-5.0), Number(name='b'), Number(name='c', high=9.0))
    orders = [Order('a', 'b', False, 'ab'), Order('b', 'c', False, 'bc')]
    tree = plant(columns, orders, 'missing', 'b')
    root = tree.derived[0]
    assert (root.name, root.low, root.high) == ('b', -5.0, 9.0)

    gaps = [replace(gap, low=0.0, high=30.0, step=1.0) for gap in tree.derived[3:5]]
    missing = Category(name='missing', values=((),), nullable=False)
    released = Domain((replace(root, step=1.0), *gaps, missing))
    sampled = pd.DataFrame({'b': [8.0, -3.0], 'ab': [20.0, 1.0], 'bc': [20.0, 1.0]})
    back = tree.back(sampled.assign(missing=objects([(), ()])), released)
    # There is room for 13 below and 1 above, and differences of 20 are folded into it.
    assert back['a'].tolist() == [2.0, -4.0]
    assert back['c'].tolist() == [8.0, -2.0]


def test_differences_stay_in_the_range_that_was_released_beside_them():
    derivations, _ = grow('pair', strict=True, step=1.0, nullable=False)
    columns = (Number(name='a', low=0, high=9, step=1), Number(name='a#b', low=1, high=90, step=1))
    own = Number(name='b', low=3, high=9, step=1, nullable=False)
    released = Domain(columns, beside=(own,))
    sampled = pd.DataFrame({'a': [1.0, 5.0, 9.0], 'a#b': [5.0, 31.0, 4.0]})

    assert derivations.restore(released)['b'] == own
    assert derivations.back(sampled, released)['b'].tolist() == [6.0, 8.0, 9.0]
