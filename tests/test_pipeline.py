"""The whole release: what it costs, what it depends on, and that it works on any kind of table."""

import math
from functools import partial
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sales import SALES, make_sales
from small_people import PRIVATE, PUBLIC, make_table, retarget
from unpaired import Unpaired

from sdv_threea.accounting import delta_from_mu
from sdv_threea.domain import Category, Domain
from sdv_threea.pipeline import release
from sdv_threea.planning.plan import STAGES
from sdv_threea.planning.shares import FOR_PAIRS, share_stages
from sdv_threea.privacy import door
from sdv_threea.settings import SHARES, Settings


def check_spent(ledger, settings):
    """The whole budget is spent, and no more."""
    spent = delta_from_mu(ledger.mu, settings.epsilon) + ledger.delta
    assert 0.999 * settings.delta < spent <= settings.delta


@pytest.mark.parametrize('domain', [PRIVATE, PUBLIC], ids=['private', 'public'])
@pytest.mark.parametrize('neighbors', ['add_remove', 'replace_one'])
@pytest.mark.parametrize('make', [Settings, Unpaired, partial(Settings, mixing='clusters')])
def test_the_ledger_spends_the_budget_and_no_more(domain, neighbors, make):
    settings = make(epsilon=2.0, delta=1e-5, neighbors=neighbors)
    ledger = release(make_table(2000), domain, settings).ledger
    check_spent(ledger, settings)
    assert all(receipt.charged and receipt.noise_scale > 0 for receipt in ledger.receipts)


def test_plans_expect_the_noise_that_receipts_state(monkeypatch):
    """If a row may be replaced, all noise is larger by the root of 2, and plans know it."""
    planned = []

    def watch(where, name, at=None):
        module = import_module(where)
        usual = getattr(module, name)

        def watched(*args):
            returned = usual(*args)
            planned[-1][name] = returned if at is None else args[at]
            return returned

        monkeypatch.setattr(module, name, watched)

    watch('sdv_threea.planning.plan', 'make_classes', 2)
    watch('sdv_threea.planning.prices', 'plan_class_counts', 3)
    watch('sdv_threea.joint.pair_bins', '_pair_noise')
    found = []
    for neighbors in ('add_remove', 'replace_one'):
        planned.append({})
        settings = Settings(epsilon=8.0, delta=1e-5, neighbors=neighbors)
        released = release(make_table(4000), PUBLIC, settings)
        found.append([each.noise_scale for each in released.ledger.receipts])

    removed, replaced = planned
    assert len(removed) == 3
    for name, noise in removed.items():
        assert replaced[name] == pytest.approx(math.sqrt(2) * noise, rel=1e-6)
    by_size, again = (scales[:2] for scales in found)
    assert again == pytest.approx([math.sqrt(2) * scale for scale in by_size], rel=1e-4)


@pytest.mark.parametrize('target', ['label', 'age', 'constant', None])
def test_a_budget_is_spent_whatever_the_target(target):
    constant = Category(name='constant', values=('x',), nullable=False)
    domain = Domain((*PUBLIC.columns, constant), target)
    settings = Settings(epsilon=2.0, delta=1e-5)
    ledger = release(make_table(2000).assign(constant='x'), domain, settings).ledger
    check_spent(ledger, settings)


@pytest.mark.parametrize('target', ['label', None])
@pytest.mark.parametrize('make', [Settings, Unpaired, partial(Settings, mixing='clusters')])
def test_stages_are_announced_in_order_whatever_they_have_to_do(make, target):
    begun, domain = [], retarget(PUBLIC, target)
    release(make_table(2000), domain, make(), begin=begun.append)
    assert tuple(begun) == STAGES


def find_receipts(released):
    return [each.released.split(' in ')[0] for each in released.ledger.receipts]


@pytest.mark.parametrize('epsilon', [2.0, math.inf])
def test_alpha_one_is_the_density_alone(epsilon):
    """Classes are the first column of a chain, pairs are counted, and no label is adapted."""
    settings = Settings(epsilon=epsilon, delta=1e-5, alpha=1)
    table = make_table(4000).assign(town=lambda rows: np.where(rows['label'] == 'yes', 'a', 'b'))
    released = release(table, PUBLIC, settings)

    assert released.adapted is None
    assert released.joint.class_column == 4
    assert released.joint.chain.links[0].column == 4
    words = find_receipts(released)
    assert 'histograms of 4 columns' in words
    *_, last = (each for each in words if 'triples' not in each)
    assert last.startswith('interactions of 4 columns and 6 pairs of columns,')
    assert not any('slopes' in each for each in words)
    if epsilon < math.inf:
        check_spent(released.ledger, settings)
    drawn = released.sample(10_000, np.random.default_rng(0))
    assert (drawn['label'] == 'yes').mean() == pytest.approx(0.3, abs=0.03)
    assert ((drawn['label'] == 'yes') == (drawn['town'] == 'a')).mean() > 0.95


@pytest.mark.parametrize(
    ('target', 'rows', 'options'),
    [
        ('label', 60, {}),  # noise would drown pairs
        ('age', 2000, {'epsilon': 8.0}),
        ('age', 2000, {'epsilon': math.inf}),
    ],
)
def test_at_alpha_one_nothing_is_adapted_whatever_the_target(target, rows, options):
    """No private row is read for the loss, and what that would cost is spent on the density."""
    settings = {'epsilon': 1.0, 'delta': 1e-5} | options
    one, other = (
        release(make_table(rows), retarget(PUBLIC, target), Settings(**settings, alpha=alpha))
        for alpha in (1, 0.999)
    )

    assert one.adapted is None
    assert getattr(other.adapted, 'of_classes', False) == (target != 'age')
    assert 'adapt' not in {each.stage for each in one.ledger.receipts}
    assert 'adapt' in {each.stage for each in other.ledger.receipts}
    if settings['epsilon'] < math.inf:
        assert one.ledger.mu == pytest.approx(other.ledger.mu, rel=1e-6)
        check_spent(one.ledger, Settings(**settings))


def test_a_stage_without_a_share_is_left_out():
    settings = Unpaired(shares=SHARES | {'adapt': 0.0})
    stages = {
        receipt.stage for receipt in release(make_table(500), PRIVATE, settings).ledger.receipts
    }
    assert stages == {'describe', 'approximate'}


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


@pytest.mark.parametrize('target', ['label', 'age', None])
@pytest.mark.parametrize('settings', [Settings(epsilon=8.0), Settings(guarantee='paper')])
def test_every_answer_of_the_door_is_on_the_ledger(monkeypatch, target, settings):
    given = []

    def watch(real):
        def answer(*values, **terms):
            answered = real(*values, **terms)
            given.append((answered[-1].released, answered[-1].noise_scale))
            return answered

        return answer

    for name in ('add_noise', 'threshold_release'):
        monkeypatch.setattr(door, name, watch(getattr(door, name)))
    ledger = release(make_table(2000), retarget(PRIVATE, target), settings).ledger
    assert [(each.released, each.noise_scale) for each in ledger.receipts] == given
    assert len(given) > 5


def test_two_releases_of_one_table_differ():
    one, other = (release(make_table(1000), PRIVATE, Settings()) for _ in range(2))
    assert not np.array_equal(one.mixture.weights, other.mixture.weights)


PLACES = Domain(
    tuple(
        Category(name=name, values=tuple(range(size)), nullable=False)
        for name, size in {'code': 40, 'name': 40, 'place': 10, 'zone': 3, 'kind': 4}.items()
    )
)


def make_places(num_rows, seed=0):
    """A code says the name, which says the place, which says the zone."""
    rng = np.random.default_rng(seed)
    codes, names = rng.integers(0, 40, num_rows), rng.permutation(40)
    places, zones = rng.permutation(40) % 10, rng.permutation(10) % 3
    table = {'code': codes, 'name': names[codes]}
    table['place'] = places[table['name']]
    table['zone'] = zones[table['place']]
    table['kind'] = rng.integers(0, 4, num_rows)
    return pd.DataFrame(table).astype(object)


def count_breaks(real, synthetic):
    """The share of rows in which a column is not what it follows from says, by relation."""
    found = {}
    for one, other in (('code', 'name'), ('name', 'place'), ('place', 'zone'), ('code', 'zone')):
        says = dict(zip(real[one], real[other], strict=True))
        found[one, other] = (synthetic[one].map(says) != synthetic[other]).mean()
    return found


@pytest.mark.parametrize(('epsilon', 'most'), [(1.0, 0.03), (8.0, 0.005), (math.inf, 1e-4)])
def test_columns_that_follow_from_others_do_so_in_rows_that_are_drawn(epsilon, most):
    table = make_places(30_000)
    released = release(table, PLACES, Settings(epsilon=epsilon, delta=1e-5))

    drawn = released.sample(30_000, np.random.default_rng(0))

    breaks = count_breaks(table, drawn)
    assert max(breaks.values()) < most, breaks
    last = [each.released for each in released.ledger.receipts if 'pairs' in each.released]
    assert last[1] == 'histograms of 3 pairs of columns, in up to 41 codes each'
    spent = delta_from_mu(released.ledger.mu, epsilon) if epsilon < math.inf else 1e-5
    assert 0.999e-5 < spent <= 1e-5


@pytest.mark.parametrize('epsilon', [2.0, math.inf])
def test_without_a_target_pairs_of_columns_come_last_and_get_what_is_left(epsilon):
    settings = Settings(epsilon=epsilon, delta=1e-5, alpha=1.0, shares=SHARES | {'size': 0.0})
    released = release(make_table(2000), retarget(PUBLIC, None), settings)

    receipts = list(released.ledger.receipts)
    (before,) = (at for at, each in enumerate(receipts) if 'moments' in each.released)
    first, *between = receipts[before + 1 :]
    last = between.pop() if epsilon < math.inf else first  # without noise once is enough
    for each in (first, last):
        assert each.released.startswith('interactions of 5 columns and 10 pairs of columns, in')
        assert each.released.endswith(' bins each')
    # There may be a look at the triples of five columns, and some may be counted.
    assert all(' triples of columns' in each.released for each in between)
    assert {each.stage for each in receipts[before:]} == {'approximate'}
    assert len(released.joint.tables) <= 10
    if epsilon < math.inf:
        shares = share_stages(retarget(PUBLIC, None), settings)
        costs = [each.mu**2 for each in (first, *between, last)]
        paid = np.array(costs) / released.ledger.mu**2 * sum(shares.values())
        assert paid[0] == pytest.approx(shares['pairs'])
        assert paid.sum() == pytest.approx(sum(shares[stage] for stage in FOR_PAIRS))


@pytest.mark.parametrize(('neighbors', 'epsilon'), [('add_remove', 4.0), ('replace_one', 8.0)])
def test_all_sales_of_a_product_have_its_price_to_the_cent(neighbors, epsilon):
    table = make_sales(20_000)
    settings = Settings(epsilon=epsilon, neighbors=neighbors)
    released = release(table, SALES, settings)

    sampled = released.sample(5000, np.random.default_rng(1))

    prices = table.groupby('product')['price'].first()
    assert (sampled['product'].map(prices) == sampled['price']).mean() > 0.95
    words = [each.released for each in released.ledger.receipts]
    assert 'digits of numbers by category, of 1 pair of columns' in words
    budget = settings.budget(thresholds=True)
    assert released.ledger.mu == pytest.approx(budget.mu)
