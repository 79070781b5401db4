"""Rows of a public table in an order of likeness, and references to them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_threea.domain import Category, Domain, Number
from sdv_threea.relational.foreign_keys import level
from sdv_threea.relational.likeness import list_attributes, order_alike

DOMAIN = Domain((Number(name='price'), Category(name='kind')))


def make_products(num=120, seed=0):
    """Products of four kinds; those of a kind have similar prices. Names are unique."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 4, num)
    price = 100.0 * kinds + rng.random(num)
    return pd.DataFrame({'price': price, 'kind': np.array(list('uvwx'))[kinds], 'shelf': kinds})


def count_changes(values):
    values = np.asarray(values)
    return int((values[1:] != values[:-1]).sum())


def test_rows_of_a_kind_are_neighbours():
    products = make_products()

    order, apart = order_alike(products, DOMAIN)

    assert sorted(order) == list(range(120))
    kinds = products['kind'].to_numpy()[order]
    assert count_changes(kinds) == 3
    furthest = np.sort(np.argsort(-apart)[:3])
    assert furthest.tolist() == (np.flatnonzero(kinds[1:] != kinds[:-1]) + 1).tolist()


def test_foreign_keys_are_attributes_and_unique_values_are_none():
    products = make_products()

    order, _ = order_alike(products, Domain(()), [('shelf',)])

    assert count_changes(products['shelf'].to_numpy()[order]) == 3
    names = pd.DataFrame({'name': [f'product {at}' for at in range(120)]})
    order, apart = order_alike(names, Domain((Category(name='name'),)))
    assert order.tolist() == list(range(120))
    assert not apart.any()


def test_missing_attributes_and_dates_as_texts_have_a_place():
    days = pd.Series(pd.date_range('2020-01-01', periods=100).astype(str), dtype=object)
    days[::10] = None

    order, _ = order_alike(pd.DataFrame({'day': days}), Domain((Number(name='day'),)))

    known = days.to_numpy()[order]
    known = known[[each is not None for each in known]]
    assert list(known) in (sorted(known), sorted(known, reverse=True))


def test_attributes_are_coarse_and_those_that_name_the_same_or_single_rows_are_left_out():
    products = make_products()
    products['name'] = [f'product {at}' for at in range(120)]
    products.loc[:9, 'price'] = np.nan
    domain = Domain((*DOMAIN.columns, Category(name='name')))

    price, kind = list_attributes(products, domain, [('shelf',)], 10)

    assert (price.name, price.ordered, kind.name, kind.ordered) == ('price', True, 'kind', False)
    assert len(np.unique(kind.codes)) == 4
    assert (price.codes[:10] == price.codes.max()).all()
    present = products['price'][10:]
    assert present.groupby(price.codes[10:]).agg(['min', 'max']).to_numpy().ravel().tolist() == (
        sorted(present.groupby(price.codes[10:]).agg(['min', 'max']).to_numpy().ravel())
    )
    assert np.bincount(price.codes)[1:].max() <= 20


def test_references_are_levelled_among_neighbours():
    rng = np.random.default_rng(0)
    drawn = np.sort(rng.integers(0, 1000, 1000))

    found = level(drawn, np.ones(1000), rng)

    assert np.bincount(found, minlength=1000).tolist() == [1] * 1000
    assert np.abs(found - drawn).mean() < 50, 'at random it is about 120'
