"""Tables whose target follows from several columns together, and what is public of them."""

import numpy as np
import pandas as pd

from sdv_threea.domain import Category, Domain, Number


def make_counts(num_rows, missing=0.0):
    """People, the hours that each is there, and how often they were lent a bike."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({'hour': rng.integers(0, 24, num_rows) + 0.0})
    table['wet'] = rng.choice(['yes', 'no'], num_rows).astype(object)
    table['works'] = rng.choice(['yes', 'no'], num_rows).astype(object)
    busy = np.where(table['works'] == 'yes', np.cos(table['hour'] / 3), np.sin(table['hour'] / 3))
    table['lent'] = np.round(100 + 40 * busy + rng.normal(0, 10, num_rows)).clip(0, 200)
    table.loc[rng.random(num_rows) < missing, 'lent'] = np.nan
    return table


#: What is public of it.
COUNTS = (
    Number(name='hour', low=0.0, high=23.0, step=1.0, nullable=False),
    Category(name='wet', values=('no', 'yes'), nullable=False),
    Category(name='works', values=('no', 'yes'), nullable=False),
    Number(name='lent', low=0.0, high=200.0, step=1.0, nullable=True),
)


def make_wide(rng, num_rows, num_columns=60):
    """Each column tells hardly anything of the rare class, all of them together nearly all."""
    rare = rng.random(num_rows) < 0.15
    lean = np.tile([0.4, -0.4], num_columns // 2)
    values = rng.normal(0, 1, (num_rows, num_columns)) + lean * rare[:, None]
    table = pd.DataFrame(np.rint(50 + 10 * values).clip(0, 100))
    table.columns = [f'column {at}' for at in range(num_columns)]
    return table.assign(target=np.where(rare, 'yes', 'no').astype(object))


def make_wide_domain(table):
    numbers = [
        Number(name=name, low=0.0, high=100.0, step=1.0, nullable=False)
        for name in table.columns.drop('target')
    ]
    return Domain(
        (*numbers, Category(name='target', values=('no', 'yes'), nullable=False)), target='target'
    )
