"""A small table with its metadata, and synthesizers whose privacy is known."""

import numpy as np
import pandas as pd
import pytest
from described import describe, describe_tables


@pytest.fixture
def people():
    """Make a table of 40 people."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            'key': np.arange(40),
            'age': rng.integers(20, 60, 40),
            'income': rng.normal(3000, 400, 40),
            'kind': rng.choice(['a', 'b'], 40).astype(object),
            'level': pd.Categorical(rng.choice(['low', 'high'], 40)),
            'class': np.array(['n', 'p', 'q'], dtype=object)[np.arange(40) % 20 // 9],
        }
    )


@pytest.fixture
def metadata():
    kinds = {
        'key': 'id', 'age': 'numerical', 'income': 'numerical', 'kind': 'categorical',
        'level': 'categorical', 'class': 'categorical',
    }  # fmt: skip
    return describe(kinds, 'people', primary_key='key')


@pytest.fixture
def clinic():
    """Make patients with a stay each."""
    patients = pd.DataFrame({'patient': [f'P{at}' for at in range(12)], 'age': np.arange(12)})
    stays = pd.DataFrame(
        {'stay': np.arange(12), 'patient': patients['patient'], 'days': np.arange(12) % 5}
    )
    return {'patient': patients, 'stay': stays}


@pytest.fixture
def clinic_metadata():
    key = {'sdtype': 'id', 'regex_format': 'P[0-9]+'}
    tables = {
        'patient': {'patient': key, 'age': 'numerical'},
        'stay': {'stay': 'id', 'patient': key, 'days': 'numerical'},
    }
    return describe_tables(tables, ('stay', 'patient', 'patient', 'patient'), stay='stay')


class NoisyCount:
    """Releases the number of rows with Gaussian noise: it is ``mu``-GDP, exactly."""

    def __init__(self, mu, rng):
        self.mu, self.rng = mu, rng

    def fit(self, data):
        (table,) = data.values()
        self.count = len(table) + self.rng.normal() / self.mu
        self.fitted = table.iloc[:0]

    def sample(self, num_rows):
        drawn = {name: [0] * num_rows for name in self.fitted.columns}
        return {'people': pd.DataFrame(drawn)}


@pytest.fixture
def noisy_count():
    """Return a function that, for a ``mu``, returns a function that makes fresh synthesizers."""
    rng = np.random.default_rng(5)
    return lambda mu: lambda: NoisyCount(mu, rng)
