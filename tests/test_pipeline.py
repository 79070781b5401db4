"""The whole release: what it costs, what it depends on, and that it works on any kind of table."""

import math
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from small_people import PRIVATE, PUBLIC, make_table, retarget
from unpaired import Unpaired

from sdv_threea.accounting import delta_from_mu
from sdv_threea.domain import Category, Domain
from sdv_threea.pipeline import release
from sdv_threea.planning.plan import STAGES
from sdv_threea.settings import SHARES, Settings


@pytest.mark.parametrize('domain', [PRIVATE, PUBLIC], ids=['private', 'public'])
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
@pytest.mark.parametrize('make', [Settings, Unpaired, partial(Settings, mixing='clusters')])
def test_the_ledger_spends_the_budget_and_no_more(domain, neighbors, make):
    settings = make(epsilon=2.0, delta=1e-5, neighbors=neighbors)
    ledger = release(make_table(2000), domain, settings).ledger
    spent = delta_from_mu(ledger.mu, settings.epsilon) + ledger.delta
    assert 0.999 * settings.delta < spent <= settings.delta
    assert all(receipt.charged and receipt.noise_scale > 0 for receipt in ledger.receipts)


@pytest.mark.parametrize('target', ['label', 'age', 'constant', None])
def test_a_budget_is_spent_whatever_the_target(target):
    constant = Category(name='constant', values=('x',), nullable=False)
    domain = Domain((*PUBLIC.columns, constant), target)
    settings = Settings(epsilon=2.0, delta=1e-5)
    ledger = release(make_table(2000).assign(constant='x'), domain, settings).ledger
    spent = delta_from_mu(ledger.mu, settings.epsilon) + ledger.delta
    assert 0.999 * settings.delta < spent <= settings.delta


def test_stages_are_on_the_ledger():
    ledger = release(make_table(2000), PRIVATE, Settings(epsilon=3.0, mixing='clusters')).ledger
    stages = [receipt.stage for receipt in ledger.receipts]
    assert stages == sorted(stages, key=STAGES.index)
    assert set(stages) == set(STAGES)


@pytest.mark.parametrize('target', ['label', None])
@pytest.mark.parametrize('make', [Settings, Unpaired, partial(Settings, mixing='clusters')])
def test_stages_are_announced_in_order_whatever_they_have_to_do(make, target):
    begun, domain = [], retarget(PUBLIC, target)
    release(make_table(2000), domain, make(), begin=begun.append)
    assert tuple(begun) == STAGES


# The density alone


def find_receipts(released):
    return [each.released.split(' in ')[0] for each in released.ledger.receipts]


@pytest.mark.parametrize('epsilon', [2.0, math.inf])
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
def test_alpha_one_is_the_density_alone(epsilon, neighbors):
    """Classes are the first column of a chain, pairs are counted, and no label is adapted."""
    settings = Settings(epsilon=epsilon, delta=1e-5, alpha=1, neighbors=neighbors)
    table = make_table(4000).assign(town=lambda rows: np.where(rows['label'] == 'yes', 'a', 'b'))
    released = release(table, PUBLIC, settings)

    assert released.labels is None
    assert released.joint.class_column == 4
    assert released.joint.chain.links[0].column == 4
    words = find_receipts(released)
    assert 'histograms of 4 columns' in words
    *_, last = (each for each in words if 'triples' not in each)
    assert last.startswith('interactions of 4 columns and 6 pairs of columns,')
    assert not any('slopes' in each for each in words)
    if epsilon < math.inf:
        spent = delta_from_mu(released.ledger.mu, epsilon) + released.ledger.delta
        assert 0.999 * settings.delta < spent <= settings.delta
    drawn = released.sample(10_000, np.random.default_rng(0))
    assert (drawn['label'] == 'yes').mean() == pytest.approx(0.3, abs=0.03)
    assert ((drawn['label'] == 'yes') == (drawn['town'] == 'a')).mean() > 0.95


@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
@pytest.mark.parametrize(
    ('target', 'rows', 'options'),
    [
        ('label', 60, {}),  # noise would drown pairs
        ('age', 2000, {'epsilon': 8.0}),
        ('age', 2000, {'epsilon': math.inf}),
    ],
)
def test_at_alpha_one_nothing_is_adapted_whatever_the_target(target, rows, options, neighbors):
    """No private row is read for the loss, and what that would cost is spent on the density."""
    settings = {'epsilon': 1.0, 'delta': 1e-5, 'neighbors': neighbors} | options
    one, other = (
        release(make_table(rows), retarget(PUBLIC, target), Settings(**settings, alpha=alpha))
        for alpha in (1, 0.999)
    )

    assert one.labels is None and one.number is None
    assert (other.labels is None) == (target == 'age')
    assert 'adapt' not in {each.stage for each in one.ledger.receipts}
    assert 'adapt' in {each.stage for each in other.ledger.receipts}
    if settings['epsilon'] < math.inf:
        assert one.ledger.mu == pytest.approx(other.ledger.mu, rel=1e-6)
        spent = delta_from_mu(one.ledger.mu, settings['epsilon']) + one.ledger.delta
        assert 0.999 * settings['delta'] < spent <= settings['delta']


def test_a_stage_without_a_share_is_left_out():
    settings = Unpaired(shares=SHARES | {'adapt': 0.0})
    stages = {
        receipt.stage for receipt in release(make_table(500), PRIVATE, settings).ledger.receipts
    }
    assert stages == {'describe', 'approximate'}


@pytest.mark.parametrize('target', ['label', 'town', 'smoker', 'age', 'amount', None])
@pytest.mark.parametrize('epsilon', [0.5, 20.0])
def test_any_target_is_modelled(target, epsilon):
    table = make_table(3000)
    released = release(table, retarget(PRIVATE, target), Settings(epsilon=epsilon, delta=1e-5))
    sampled = released.sample(400, np.random.default_rng(0))
    assert list(sampled.columns) == list(table.columns)
    assert len(sampled) == 400
    assert abs(released.num_rows - 3000) < 1500


@pytest.mark.parametrize('num_rows', [0, 1, 60])
@pytest.mark.parametrize('epsilon', [1e-3, math.inf])
@pytest.mark.parametrize('target', ['label', 'age', None])
def test_small_tables_are_released_too(num_rows, epsilon, target):
    settings = Settings(epsilon=epsilon, delta=1e-5)
    released = release(make_table(num_rows), retarget(PRIVATE, target), settings)
    assert released.sample(10, np.random.default_rng(0)).shape == (10, 5)


@pytest.mark.parametrize('name', ['age', 'amount', 'town', 'label'])
@pytest.mark.parametrize('is_target', [True, False])
def test_a_single_column_is_released(name, is_target):
    domain = Domain((PRIVATE[name],), name if is_target else None)
    released = release(make_table(2000)[[name]], domain, Settings(epsilon=5.0))
    sampled = released.sample(50, np.random.default_rng(0))
    assert sampled.shape == (50, 1)
    assert sampled[name].notna().any()


def test_the_paper_charges_its_last_step_only():
    settings = Settings(epsilon=1.0, guarantee='paper')
    *before, last = release(make_table(2000), PRIVATE, settings).ledger.receipts
    assert before and not any(receipt.charged for receipt in before)
    assert all(receipt.noise_scale == 0 for receipt in before)
    assert last.charged
    assert last.stage == 'anonymize'
    assert last.noise_scale > 0


def test_sampling_is_repeatable_and_free():
    released = release(make_table(1000), PRIVATE, Settings())
    before = pickle.dumps(released)
    one, other = (released.sample(100, np.random.default_rng(5)) for _ in range(2))
    pd.testing.assert_frame_equal(one, other)
    assert pickle.dumps(released) == before


def test_two_releases_of_one_table_differ():
    one, other = (release(make_table(1000), PRIVATE, Settings()) for _ in range(2))
    assert not np.array_equal(one.mixture.weights, other.mixture.weights)
