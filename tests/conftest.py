"""Scripts beside the package, loaded as if they were run, and hostile input."""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


@contextmanager
def importing_from(folder):
    """Import from a folder; what was imported from there is gone afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], '__file__', None)).startswith(str(folder)):
                del sys.modules[name]


@pytest.fixture(scope='session')
def load_script():
    """Load a script that finds its neighbours; they are gone afterwards."""

    @contextmanager
    def load(name, folder='benchmarks'):
        with importing_from(ROOT / folder):
            yield importlib.import_module(name)

    return load


@pytest.fixture(scope='session')
def hostile():
    """Load a module of hostile input by its name; they are gone afterwards."""
    with importing_from(ROOT / 'tests' / 'fuzz'):
        yield lambda name: importlib.import_module(f'hostile.{name}')


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
