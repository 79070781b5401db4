"""Made databases and their neighbours, and releases through doors that keep what goes in."""

import pytest
from kept_doors import Constants, Door, couple_choices, hang
from made_databases import OPEN, add_children, make_database, reach, remove_unit, seeded_noise


@pytest.fixture(scope='session')
def make():
    return make_database


@pytest.fixture(scope='session')
def open_columns():
    return OPEN


@pytest.fixture(scope='session')
def crowd():
    return add_children


@pytest.fixture(scope='session')
def neighbour():
    return remove_unit


@pytest.fixture(scope='session')
def reached():
    return reach


@pytest.fixture(scope='session')
def noise():
    return seeded_noise


@pytest.fixture
def in_order(monkeypatch):
    couple_choices(monkeypatch)


@pytest.fixture
def compare_neighbours(monkeypatch):
    """Release a database and a neighbour of it with the same noisy values, and record both."""

    def compare(one, other, *, coupled=True, **settings):
        first = Door()
        second = Door(replay=first)
        with monkeypatch.context() as patch:
            if coupled:
                couple_choices(patch)
            for door, made in ((first, one), (second, other)):
                with monkeypatch.context() as hung:
                    hang(hung, door)
                    model = made.release(noise=seeded_noise(11), **settings)
        assert len(first.calls) == len(second.calls)
        receipts = first.receipts(model)
        assert {number for number, *_ in receipts} == set(range(len(first.calls)))
        calls = [
            (call, call.distance(other))
            for call, other in zip(first.calls, second.calls, strict=True)
        ]
        return [(*paid, *calls[number]) for number, *paid in receipts]

    return compare


@pytest.fixture
def compare_sums(monkeypatch):
    """Return how far apart the sums of two databases are at most, with the same noisy values."""

    def compare(one, other, **settings):
        first = Door()
        for door, made in ((first, one), (second := Door(replay=first), other)):
            with monkeypatch.context() as hung:
                hang(hung, door)
                made.release(noise=seeded_noise(11), **settings)
        assert len(first.calls) == len(second.calls) > 0
        pairs = zip(first.calls, second.calls, strict=True)
        return max(call.distance(other) for call, other in pairs)

    return compare


@pytest.fixture
def release_constants(monkeypatch):
    def release(made, **settings):
        with monkeypatch.context() as patch:
            hang(patch, Constants())
            return made.release(**settings)

    return release
