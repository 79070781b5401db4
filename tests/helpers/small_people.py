"""A small table of people, and what may be public of it."""

import numpy as np
import pandas as pd

from sdv_threea.domain import Category, Domain, Number

PRIVATE = Domain(
    (
        Number(name='age'),
        Number(name='amount'),
        Category(name='town'),
        Category(name='smoker', values=(False, True)),
        Category(name='label'),
    ),
    'label',
)
PUBLIC = Domain(
    (
        Number(name='age', low=0, high=99, step=1.0, nullable=False),
        Number(name='amount', low=0.0, high=1e4, step=0.0, nullable=True),
        Category(name='town', values=('a', 'b', 'c'), nullable=True),
        Category(name='smoker', values=(False, True), nullable=False),
        Category(name='label', values=('no', 'yes'), nullable=False),
    ),
    'label',
)


def make_table(num_rows, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.random(num_rows) < 0.3
    table = pd.DataFrame(
        {
            'age': np.clip(np.round(rng.normal(40 + 10 * label, 12)), 0, 99),
            'amount': np.where(rng.random(num_rows) < 0.2, np.nan, rng.lognormal(3 + label, 1)),
            'town': rng.choice(['a', 'b', 'c', None], num_rows, p=[0.5, 0.3, 0.1, 0.1]),
            'smoker': rng.random(num_rows) < 0.2 + 0.4 * label,
            'label': np.where(label, 'yes', 'no'),
        }
    )
    return table.astype({'town': object, 'smoker': object, 'label': object})


def retarget(domain, target):
    return Domain(domain.columns, target)
