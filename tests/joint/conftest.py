"""What the tests of releases of this room share."""

import pytest

from sdv_threea.privacy.mechanism import add_noise


@pytest.fixture
def sums(monkeypatch):
    """What goes through the door of noise: the exact sums, of each release in turn."""
    seen = []

    def watch(values, **terms):
        seen.append(values)
        return add_noise(values, **terms)

    monkeypatch.setattr('sdv_threea.privacy.door.add_noise', watch)
    return seen
