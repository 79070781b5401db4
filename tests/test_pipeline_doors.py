"""Private records leave a release by the doors of noise, and by no other way.

What was answered to one table makes the same release of another that shares no row.
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sales import SALES, make_sales
from small_people import PRIVATE, PUBLIC, make_table, retarget
from unpaired import Unpaired

from sdv_threea.audit.doors import record, replay
from sdv_threea.domain import Domain
from sdv_threea.pipeline import release
from sdv_threea.settings import Settings


def release_twice(one, other, domain, settings, replayed=release):
    """Release a table, and another one with the noisy answers to the first."""
    terms = domain, settings
    first, transcript = record(lambda: release(one, *terms, rng=np.random.default_rng(3)))
    second, _ = replay(lambda: replayed(other, *terms, rng=np.random.default_rng(3)), transcript)
    return first, pickle.dumps(first) == pickle.dumps(second)


@pytest.mark.parametrize('target', ['label', 'age', None])
@pytest.mark.parametrize('domain', [PRIVATE, PUBLIC], ids=['private', 'public'])
def test_nothing_but_the_door_of_noise_lets_private_records_out(domain, target):
    one, other = make_table(500, seed=1), make_table(90, seed=2).iloc[::-1]
    other['age'] = 7.0
    if domain is PUBLIC:  # a value that is shown stands in both tables
        other['town'] = 'c'
    assert release_twice(one, other, retarget(domain, target), Unpaired())[1]


def test_nor_where_the_only_category_is_taken_for_the_target():
    domain = Domain(tuple(PUBLIC[name] for name in ('age', 'amount', 'label')))
    tables = make_table(500, seed=1), make_table(90, seed=2).assign(age=7.0, label='no')
    released, alike = release_twice(*tables, domain, Settings(epsilon=0.01))
    assert released.domain.target == 'label'
    assert alike


@pytest.mark.parametrize('target', ['label', None])
def test_nor_where_pairs_and_triples_are_counted(target):
    table = make_table(4000, seed=1)
    table['town'] = np.where((table['label'] == 'yes') ^ (table['age'] > 50), 'a', 'b')
    others = make_table(90, seed=2).assign(age=7.0, town='c')
    domain, settings = retarget(PUBLIC, target), Settings(epsilon=50.0, alpha=1.0)
    released, alike = release_twice(table, others, domain, settings)
    assert released.joint.triples is not None
    assert alike


def test_nor_where_categories_have_numbers():
    others = make_sales(300, seed=5).assign(price=1.25, kind='b')
    released, alike = release_twice(make_sales(20_000), others, SALES, Settings(epsilon=4.0))
    assert released.joint.numbers
    assert alike


def test_the_proof_above_would_see_a_leak():
    def leak(table, *terms, **chance):
        return replace(release(table, *terms, **chance), plan=(str(len(table)),))

    assert not release_twice(make_table(500), make_table(90), PUBLIC, Unpaired(), leak)[1]
