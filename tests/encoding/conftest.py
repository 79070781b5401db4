import numpy as np
import pytest


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
