"""Private records leave a release by the doors of noise, and by no other way."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from small_people import PRIVATE, PUBLIC, make_table, retarget

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
    doors, constants = (mechanism.add_noise, mechanism.threshold_release), Constants()
    with monkeypatch.context() as patch:
        for name, module in list(sys.modules.items()):
            for door in doors if name.startswith('sdv_threea') else ():
                if getattr(module, door.__name__, None) is door:
                    patch.setattr(module, door.__name__, getattr(constants, door.__name__))
        return release(table, domain, settings, rng=np.random.default_rng(3))


@pytest.mark.parametrize('target', ['label', 'age', None])
@pytest.mark.parametrize('domain', [PRIVATE, PUBLIC], ids=['private', 'public'])
def test_nothing_but_the_door_of_noise_lets_private_records_out(monkeypatch, domain, target):
    settings = Settings(n_components=3)
    one, other = make_table(500, seed=1), make_table(90, seed=2).iloc[::-1]
    other['age'], other['town'] = 7.0, 'c'
    domain = retarget(domain, target)
    first, second = (
        pickle.dumps(release_constants(monkeypatch, table, domain, settings))
        for table in (one, other)
    )
    assert first == second


def test_nor_where_the_only_category_stands_for_classes(monkeypatch):
    domain = Domain(tuple(PUBLIC[name] for name in ('age', 'amount', 'label')))
    tables = make_table(500, seed=1), make_table(90, seed=2).assign(age=7.0, label='no')
    settings = Settings(epsilon=0.01)
    first, second = (release_constants(monkeypatch, each, domain, settings) for each in tables)
    assert first.classes.count == 2
    assert pickle.dumps(first) == pickle.dumps(second)


def test_the_proof_above_would_see_a_leak(monkeypatch):
    settings, table = Settings(n_components=1), make_table(500)
    real = release(table, PUBLIC, settings, rng=np.random.default_rng(3))
    constant = release_constants(monkeypatch, table, PUBLIC, settings)
    assert pickle.dumps(real) != pickle.dumps(constant)
