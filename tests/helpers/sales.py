"""Sales of products, each of which has one price."""

import numpy as np
import pandas as pd

from sdv_threea.domain import Category, Domain, Number

#: So many that each has too few sales for its price to be found as a heavy single value.
NUM_PRODUCTS = 300


def make_sales(num_rows, num_products=NUM_PRODUCTS, seed=0):
    """Products and their prices, to the cent; and a kind that says nothing of either."""
    rng = np.random.default_rng(seed)
    prices = rng.uniform(0, 900, num_products).round(2)
    product = rng.integers(0, num_products, num_rows)
    names = np.array([f'p{at}' for at in range(num_products)], dtype=object)
    kind = rng.choice(np.array(['a', 'b'], dtype=object), num_rows)
    return pd.DataFrame({'product': names[product], 'price': prices[product], 'kind': kind})


SALES = Domain(
    (
        Category(
            name='product', values=tuple(f'p{at}' for at in range(NUM_PRODUCTS)), nullable=False
        ),
        Number(name='price', low=0.0, high=1000.0, step=0.01, nullable=False),
        Category(name='kind', values=('a', 'b'), nullable=False),
    )
)
