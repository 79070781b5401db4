"""The strategies and the judge of the fuzzing, which live beside its bench."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / 'benchmarks'


@pytest.fixture(scope='session')
def hostile():
    """Load a module of the bench by its name; they are gone afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    try:
        yield lambda name: importlib.import_module(f'hostile.{name}')
    finally:
        sys.path.remove(str(FOLDER))
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], '__file__', None)).startswith(str(FOLDER)):
                del sys.modules[name]
