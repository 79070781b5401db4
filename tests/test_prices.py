"""Numbers that categories have come back from a release: all sales of a product have its price."""

import numpy as np
import pytest
from sales import SALES, make_sales

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
