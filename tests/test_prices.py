"""Numbers that categories have come back from a release: all sales of a product have its price."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sales import SALES, make_sales

from sdv_threea.domain import Domain
from sdv_threea.pipeline import release
from sdv_threea.settings import Settings


@pytest.mark.parametrize(('neighbors', 'epsilon'), [('add_remove', 4.0), ('replace_one', 8.0)])
def test_all_sales_of_a_product_have_its_price_to_the_cent(neighbors, epsilon):
    table = make_sales(20_000)
    settings = Settings(epsilon=epsilon, neighbors=neighbors)
    released = release(table, SALES, settings)

    sampled = released.sample(5000, np.random.default_rng(1))

    prices = table.groupby('product')['price'].first()
    assert (sampled['product'].map(prices) == sampled['price']).mean() > 0.95
    words = [each.released for each in released.ledger.receipts]
    assert 'digits of numbers by category, of 1 pairs of columns' in words
    budget = settings.budget(thresholds=True)
    assert released.ledger.mu == pytest.approx(budget.mu)


def test_prices_that_are_missing_are_missing_as_often():
    table = make_sales(20_000)
    table.loc[np.random.default_rng(2).random(20_000) < 0.04, 'price'] = np.nan
    columns = [
        replace(each, nullable=True) if each.name == 'price' else each for each in SALES.columns
    ]
    released = release(table, Domain(tuple(columns)), Settings(epsilon=8.0))
    sampled = released.sample(5000, np.random.default_rng(1))
    prices = table.groupby('product')['price'].max()
    given = sampled.dropna()
    assert released.joint.numbers
    assert 0.02 < 1 - len(given) / 5000 < 0.06
    assert (given['product'].map(prices) == given['price']).mean() > 0.95


def test_prices_that_vary_keep_to_their_intervals_and_vary():
    table = make_sales(20_000)
    table['price'] = (table['price'] + np.random.default_rng(2).uniform(0, 20, 20_000)).round(2)
    released = release(table, SALES, Settings(epsilon=20.0))
    sampled = released.sample(5000, np.random.default_rng(1))
    spread = sampled.groupby('product')['price'].std()
    assert (spread > 2).mean() > 0.9
