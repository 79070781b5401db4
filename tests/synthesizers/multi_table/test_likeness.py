"""References to a large public table lead to rows whose attributes suit the row that refers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer

BUYERS, PRODUCTS, LINES = 300, 400, 1500


def make_shop():
    """Lines of buyers; one product in twenty is dear, and the price of a line is its product's."""
    rng = np.random.default_rng(0)
    price = np.where(rng.random(PRODUCTS) < 0.05, 9.0, 1.0)
    rows = {'id': range(LINES), 'buyer': np.arange(LINES) % BUYERS}
    lines = pd.DataFrame({**rows, 'product': rng.integers(0, PRODUCTS, LINES)})
    return {
        'buyer': pd.DataFrame({'id': range(BUYERS), 'age': rng.integers(20, 60, BUYERS)}),
        'product': pd.DataFrame({'id': range(PRODUCTS), 'price': price}),
        'line': lines.assign(paid=price[lines['product']]),
    }


def describe_shop():
    tables = {
        'buyer': {'id': 'id', 'age': 'numerical'},
        'product': {'id': 'id', 'price': 'numerical'},
        'line': {'id': 'id', 'buyer': 'id', 'product': 'id', 'paid': 'numerical'},
    }
    links = ('line', 'buyer', 'buyer', 'id'), ('line', 'product', 'product', 'id')
    return describe_tables(tables, *links, line='id')


def test_the_price_of_a_line_is_that_of_its_product():
    shop = make_shop()
    synthesizer = ClustMixMultiTableSynthesizer(
        describe_shop(),
        epsilon=math.inf,
        privacy_unit='buyer',
        public_tables=['product'],
        verbose=False,
    )

    synthesizer.fit(shop)

    drawn = synthesizer.sample_scale(1.0)['line']
    price = shop['product']['price'].to_numpy()[drawn['product']]
    assert (drawn['paid'] == price).mean() > 0.98
    assert drawn['product'].nunique() > PRODUCTS / 2
