"""A made database of customers, orders and lines, and rules between its tables."""

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_threea.constraints import After, ExactlyOne, Formula, Ranks, SameAs, TotalOf, Within

KINDS = {
    'customer': {'id': 'id', 'city': 'categorical', 'since': 'datetime', 'until': 'datetime'},
    'product': {'id': 'id', 'price': 'numerical'},
    'order': {
        'id': 'id',
        'customer': 'id',
        'seller': 'id',
        'city': 'categorical',
        'day': 'datetime',
        'total': 'numerical',
        'number': 'numerical',
        'main': 'boolean',
    },
    'line': {
        'id': 'id',
        'order': 'id',
        'product': 'id',
        'price': 'numerical',
        'pieces': 'numerical',
        'amount': 'numerical',
        'kind': 'categorical',
        'day': 'datetime',
    },
}
LINKS = [
    ('order', 'customer', 'customer'),
    ('order', 'seller', 'customer'),
    ('line', 'order', 'order'),
    ('line', 'product', 'product'),
]

RULES = [
    Within('order.day', 'customer.since', 'customer.until', foreign_key='customer'),
    After('line.day', 'order.day'),
    SameAs('order.city', 'customer.city', foreign_key='customer'),
    SameAs('line.price', 'product.price'),
    TotalOf('order.total', 'line.amount', decimals=2),
    ExactlyOne('line.kind', 'main', 'order'),
    ExactlyOne('order.main', True, 'customer', foreign_key='customer'),
    Ranks('order.number', 'customer', 'order.day', foreign_key='customer'),
]
SINGLE = [Formula('amount', 'price * pieces', decimals=2, table_name='line')]


def make_metadata():
    columns = {
        table: {name: {'sdtype': sdtype} for name, sdtype in own.items()}
        for table, own in KINDS.items()
    }
    for table, own in KINDS.items():
        for name, sdtype in own.items():
            if sdtype == 'datetime':
                columns[table][name]['datetime_format'] = '%Y-%m-%d'
    columns['customer']['since']['datetime_format'] = '%Y-%m-%d %H:%M'
    return Metadata.load_from_dict(
        {
            'tables': {
                table: {'columns': own, 'primary_key': 'id'} for table, own in columns.items()
            },
            'relationships': [
                {
                    'parent_table_name': parent,
                    'child_table_name': child,
                    'parent_primary_key': 'id',
                    'child_foreign_key': key,
                }
                for child, key, parent in LINKS
            ],
        }
    )


def draw_days(rng, num, form='%Y-%m-%d'):
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 90_000, num), 'min')
    return pd.Series(days.strftime(form)).where(pd.Series(rng.random(num) < 0.9), None)


def draw_tables(seed=0, sizes=(20, 7, 60, 150)):
    rng, (customers, products, orders, lines) = np.random.default_rng(seed), sizes
    tables = {
        'customer': pd.DataFrame(
            {
                'id': rng.permutation(100)[:customers],
                'city': rng.choice(['x', 'y', None], customers),
                'since': draw_days(rng, customers, '%Y-%m-%d %H:%M'),
                'until': draw_days(rng, customers),
            }
        ),
        'product': pd.DataFrame(
            {'id': np.arange(products), 'price': np.round(rng.random(products) * 9, 2)}
        ),
    }
    tables['order'] = pd.DataFrame(
        {
            'id': rng.permutation(1000)[:orders],
            'customer': rng.choice(tables['customer']['id'], orders).astype(float),
            'seller': rng.choice(tables['customer']['id'], orders),
            'city': rng.choice(['x', 'y'], orders),
            'day': draw_days(rng, orders),
            'total': np.round(rng.random(orders) * 50, 2),
            'number': rng.integers(0, 9, orders),
            'main': rng.random(orders) < 0.5,
        }
    )
    tables['order'].loc[::9, 'customer'] = np.nan
    tables['line'] = pd.DataFrame(
        {
            'id': np.arange(lines),
            'order': rng.choice(tables['order']['id'].iloc[: orders // 2 + 1], lines),
            'product': rng.choice(tables['product']['id'], lines),
            'price': np.round(rng.random(lines), 2),
            'pieces': rng.integers(1, 9, lines),
            'amount': 0.0,
            'kind': rng.choice(['main', 'other'], lines),
            'day': draw_days(rng, lines),
        }
    )
    return tables
