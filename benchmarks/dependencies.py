"""A table of columns that follow from others: codes, places, times and numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from tables import Split

NUM_TRAIN, NUM_TEST = 33_000, 10_000

#: How many there are of each.
NUM_PRODUCTS, NUM_KINDS, NUM_STORES, NUM_CITIES, NUM_REGIONS = 100, 12, 60, 25, 8

#: Days of a month; hours at which a part of the day begins.
MONTH_DAYS, PARTS = 30.42, [6, 11, 14, 18]

#: Relations of which each value of the one column has one of the other.
FOLLOWING = (
    ('product', 'name'),
    ('name', 'kind'),
    ('product', 'price'),
    ('store', 'sign'),
    ('store', 'city'),
    ('city', 'region'),
    ('store', 'region'),
    ('month', 'quarter'),
    ('hour', 'part'),
)

NUMBERS = ('price', 'day', 'minute', 'hour', 'monthly', 'yearly', 'quantity', 'discount')


def make_split() -> Split:
    """Make the table; nothing is to be predicted that does not follow anyway."""
    table = make_table(NUM_TRAIN + NUM_TEST)
    kinds = {name: 'numerical' if name in NUMBERS else 'categorical' for name in table}
    columns = {name: {'sdtype': sdtype} for name, sdtype in kinds.items()}
    metadata = Metadata.load_from_dict({'tables': {'dependencies': {'columns': columns}}})
    train, test = table[:NUM_TRAIN], table[NUM_TRAIN:].reset_index(drop=True)
    return Split('dependencies', 'returned', train, test, metadata, numeric=False)


def make_table(num_rows: int) -> pd.DataFrame:
    """Make sales of products in stores."""
    rng = np.random.default_rng(0)
    product = rng.choice(NUM_PRODUCTS, num_rows, p=rng.dirichlet(np.full(NUM_PRODUCTS, 4.0)))
    store = rng.choice(NUM_STORES, num_rows, p=rng.dirichlet(np.full(NUM_STORES, 3.0)))
    names, signs = rng.permutation(NUM_PRODUCTS), rng.permutation(NUM_STORES)
    kinds = rng.integers(0, NUM_KINDS, NUM_PRODUCTS)[product]
    prices = np.round(np.exp(rng.normal(2.5, 0.8, NUM_PRODUCTS)), 2)[product]
    cities = rng.integers(0, NUM_CITIES, NUM_STORES)[store]
    regions = rng.integers(0, NUM_REGIONS, NUM_CITIES)[cities]
    day = np.minimum((365 * rng.beta(2, 2, num_rows)).astype(int), 364)
    month = find_month(day)
    minute = rng.normal(14 * 60, 200, num_rows) + 60 * (kinds % 3)
    minute = np.clip(minute, 0, 1_439).astype(int)
    monthly = np.round(np.exp(rng.normal(8, 0.4, num_rows) + 0.2 * (regions % 2)), 2)
    quantity = 1 + rng.poisson(1 + kinds / 4)
    discount = rng.random(num_rows) * 0.3 * prices * quantity
    returned = rng.random(num_rows) < 0.05 + 0.1 * (kinds > NUM_KINDS - 4)
    reasons = rng.choice(['broken', 'late', 'wrong'], num_rows)
    return pd.DataFrame(
        {
            'product': _spell('p', product),
            'name': _spell('n', names[product]),
            'kind': _spell('k', kinds),
            'price': prices,
            'store': _spell('s', store),
            'sign': _spell('g', signs[store]),
            'city': _spell('c', cities),
            'region': _spell('r', regions),
            'day': day,
            'month': _spell('m', month),
            'quarter': _spell('q', (month - 1) // 3),
            'minute': minute,
            'hour': minute // 60,
            'part': _spell('t', np.digitize(minute // 60, PARTS)),
            'monthly': monthly,
            'yearly': np.round(12 * monthly, 2),
            'quantity': quantity,
            'discount': np.where(rng.random(num_rows) < 0.7, 0, np.round(discount, 2)),
            'returned': np.where(returned, 'yes', 'no'),
            'reason': np.where(returned, reasons, None),
        }
    )


def find_month(day: np.ndarray | pd.Series) -> np.ndarray:
    """Find the month of a day of the year."""
    return np.minimum(np.asarray(day) // MONTH_DAYS, 11).astype(int) + 1


def count_breaks(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, float]:
    """Count the rows that break each relation, as shares."""
    found = {}
    for one, other in FOLLOWING:
        says = dict(zip(real[one], real[other], strict=True))
        found[f'{one}: {other}'] = synthetic[one].map(says) != synthetic[other]
    prices = synthetic.groupby('product')['price'].transform(lambda own: own.mode().iloc[0])
    found['one price of a product'] = synthetic['price'] != prices
    found['minute: hour'] = synthetic['minute'] // 60 != synthetic['hour']
    found['day: month'] = _spell('m', find_month(synthetic['day'])) != synthetic['month']
    ratios = synthetic['yearly'] / (12 * synthetic['monthly'])
    found['yearly is 12 monthly, within 2 %'] = (ratios - 1).abs() > 0.02
    given = synthetic['reason'].notna()
    found['a reason if returned'] = given != (synthetic['returned'] == 'yes')
    return {name: float(np.mean(broken)) for name, broken in found.items()}


def _spell(letter: str, numbers: np.ndarray) -> np.ndarray:
    return np.array([f'{letter}{number:03d}' for number in numbers], dtype=object)
