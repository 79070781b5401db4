"""Private records leave a release by the doors of noise, and by no other way."""

import pickle
import sys

import numpy as np
import pytest
from sales import SALES, make_sales
from small_people import PRIVATE, PUBLIC, make_table, retarget
from unpaired import Unpaired

from sdv_threea.accounting import Receipt
from sdv_threea.domain import Domain
from sdv_threea.pipeline import release
from sdv_threea.privacy import mechanism
from sdv_threea.settings import Settings


class Constants:
    """Stands in for the door of noise: answers by constants, whatever goes in."""

    def __init__(self):
        self.rng = np.random.default_rng(7)

    def add_noise(self, values, *, mu, stage, released, resolution=1.0, **others):
        noisy = np.abs(self.rng.normal(0, 3e4, values.shape)) * resolution
        return noisy, Receipt(
            stage=stage, released=released, sensitivity=1.0, noise_scale=5.0 * resolution, mu=mu
        )

    def threshold_release(self, keys, counts, *, mu, stage, released, **others):
        receipt = Receipt(stage=stage, released=released, sensitivity=1, noise_scale=5.0, mu=mu)
        return [], np.zeros(0), receipt


def release_constants(monkeypatch, table, domain, settings):
    return release_by(monkeypatch, Constants(), table, domain, settings)


def release_by(monkeypatch, constants, table, domain, settings):
    """Release a table with something else in place of the doors."""
    doors = mechanism.add_noise, mechanism.threshold_release
    with monkeypatch.context() as patch:
        for name, module in list(sys.modules.items()):
            for door in doors if name.startswith('sdv_threea') else ():
                if getattr(module, door.__name__, None) is door:
                    patch.setattr(module, door.__name__, getattr(constants, door.__name__))
        return release(table, domain, settings, rng=np.random.default_rng(3))


@pytest.mark.parametrize('target', ['label', 'age', None])
@pytest.mark.parametrize('domain', [PRIVATE, PUBLIC], ids=['private', 'public'])
def test_nothing_but_the_door_of_noise_lets_private_records_out(monkeypatch, domain, target):
    settings = Unpaired()
    one, other = make_table(500, seed=1), make_table(90, seed=2).iloc[::-1]
    other['age'], other['town'] = 7.0, 'c'
    domain = retarget(domain, target)
    first, second = (
        pickle.dumps(release_constants(monkeypatch, table, domain, settings))
        for table in (one, other)
    )
    assert first == second


def test_nor_where_the_only_category_is_taken_for_the_target(monkeypatch):
    domain = Domain(tuple(PUBLIC[name] for name in ('age', 'amount', 'label')))
    tables = make_table(500, seed=1), make_table(90, seed=2).assign(age=7.0, label='no')
    settings = Settings(epsilon=0.01)
    first, second = (release_constants(monkeypatch, each, domain, settings) for each in tables)
    assert first.domain.target == 'label'
    assert pickle.dumps(first) == pickle.dumps(second)


class Replay:
    """Stands in for the doors: hands on what they answered to one table, and again to another."""

    def __init__(self):
        self.doors = mechanism.add_noise, mechanism.threshold_release
        self.answers, self.asked, self.inside = [], None, False

    def answer(self, door, *values, **terms):
        if self.inside:  # one door goes through the other
            return door(*values, **terms)
        if self.asked is None:
            self.inside = True
            self.answers.append(door(*values, **terms))
            self.inside = False
            return self.answers[-1]
        self.asked += 1
        return self.answers[self.asked - 1]

    def add_noise(self, *values, **terms):
        return self.answer(self.doors[0], *values, **terms)

    def threshold_release(self, *values, **terms):
        return self.answer(self.doors[1], *values, **terms)


@pytest.mark.parametrize('target', ['label', None])
def test_nor_where_pairs_and_triples_are_counted(monkeypatch, target):
    """What was answered to one table makes the same release of a table that shares no row."""
    table = make_table(4000, seed=1)
    table['town'] = np.where((table['label'] == 'yes') ^ (table['age'] > 50), 'a', 'b')
    others = make_table(90, seed=2).assign(age=7.0, town='c')
    domain, settings = retarget(PUBLIC, target), Settings(epsilon=50.0, alpha=1.0)
    doors = Replay()
    first = release_by(monkeypatch, doors, table, domain, settings)
    doors.asked = 0
    second = release_by(monkeypatch, doors, others, domain, settings)
    assert first.joint.triples is not None
    assert doors.asked == len(doors.answers)
    assert pickle.dumps(first) == pickle.dumps(second)


def test_nor_where_categories_have_numbers(monkeypatch):
    doors, settings = Replay(), Settings(epsilon=4.0)
    first = release_by(monkeypatch, doors, make_sales(20_000), SALES, settings)
    doors.asked = 0
    others = make_sales(300, seed=5).assign(price=1.25, kind='b')
    second = release_by(monkeypatch, doors, others, SALES, settings)
    assert first.joint.numbers
    assert doors.asked == len(doors.answers)
    assert pickle.dumps(first) == pickle.dumps(second)


def test_the_proof_above_would_see_a_leak(monkeypatch):
    settings, table = Unpaired(), make_table(500)
    real = release(table, PUBLIC, settings, rng=np.random.default_rng(3))
    constant = release_constants(monkeypatch, table, PUBLIC, settings)
    assert pickle.dumps(real) != pickle.dumps(constant)
