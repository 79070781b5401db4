import numpy as np
import pytest

from sdv_threea.describe.description import describe
from sdv_threea.privacy.rows import chunk_table


@pytest.fixture
def silence():
    """No noise where noise is due: what comes out is exact, at the price of noise."""
    return lambda size, scale: np.zeros(size, dtype=np.int64)


@pytest.fixture
def gaussian():
    """Seeded noise of the right scale, quicker than the real one."""
    rng = np.random.default_rng(11)
    return lambda size, scale: np.rint(rng.normal(0, scale, size)).astype(np.int64)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def ask():
    """Describe a table."""

    def ask(table, noise, domain, *, mu=0.5, delta=1e-6, neighbors='add_remove'):
        rows = chunk_table(table)
        return describe(rows, domain, mu=mu, delta=delta, neighbors=neighbors, noise=noise)

    return ask
