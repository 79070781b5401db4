"""What the tests of releases of this room share."""

from __future__ import annotations

import importlib

import pytest

from sdv_threea.privacy.mechanism import add_noise


@pytest.fixture
def sums(monkeypatch, request):
    """What goes through the door of noise: the exact sums, of each release in turn.

    The releases are those of the module that the file of the tests is named after.
    """
    name = request.module.__name__.rpartition('.')[2].removeprefix('test_')
    seen = []

    def watch(values, **terms):
        seen.append(values)
        return add_noise(values, **terms)

    monkeypatch.setattr(importlib.import_module(f'sdv_threea.joint.{name}'), 'add_noise', watch)
    return seen
