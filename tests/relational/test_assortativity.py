"""Which kind of row refers to which: what is counted, what is made of noisy counts, and samples."""

import math

import numpy as np
import pandas as pd
import pytest
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.constants import ApproximateConstants
from sdv_threea.encoding.encoders import CategoryEncoder
from sdv_threea.joint.joint_constants import JointConstants
from sdv_threea.relational.assortativity import Both, End, estimate_ends, plan_ends

KINDS = tuple('xyz')

CONSTANTS = JointConstants(), ApproximateConstants()


def describe_kind(shares=(0.5, 0.3, 0.2)):
    encoder = CategoryEncoder(KINDS, False, False, None).assign('kind')
    return End(False, encoder, None, np.array([0.0, *shares]), 0.0)


def plan(num_references, same=True):
    both = Both(describe_kind(), describe_kind(), same)
    return plan_ends([both], num_references, 0.1, CONSTANTS, within=True)


def test_only_equal_values_are_counted_where_noise_exceeds_bins():
    assert [ends.shape for _, ends in plan(1e5)] == [(4, 3)]
    assert [ends.shape for _, ends in plan(300)] == [(2, 1)]
    assert plan(300, same=False) == ()


@pytest.mark.parametrize('shift', [0, 1])
def test_noisy_tables_of_kinds_are_close_to_the_true_ones(shift):
    chosen = plan(1e5)
    table = np.roll(np.diag([0.4, 0.3, 0.3]), shift, 1)
    cells = np.vstack([table, np.zeros(3)])
    if not shift:  # equal values are counted in the last row
        cells = np.vstack([np.zeros((3, 3)), table.diagonal()])
    noise = np.random.default_rng(1).normal(0, 60, cells.size)
    found = estimate_ends(chosen, [2 * 8000 * cells.ravel() + noise], 60.0, 1.0, CONSTANTS[0])
    assert np.abs(found.tables[0] - cells).sum() < 0.05


def test_noise_alone_is_no_table():
    chosen = plan(1e5)
    even = np.vstack([np.outer(*[[0.5, 0.3, 0.2]] * 2), np.zeros(3)])
    even[-1] = even[:-1].diagonal()
    np.fill_diagonal(even[:-1], 0.0)
    rng = np.random.default_rng(2)
    noisy = [2 * 8000 * even.ravel() + rng.normal(0, 60, even.size) for _ in range(20)]
    found = [estimate_ends(chosen, [each], 60.0, 1.0, CONSTANTS[0]) for each in noisy]
    assert sum(len(each.ends) for each in found) <= 1


def make_people(choose, num=500, num_rows=2500):
    """Make people of three kinds who pay by card or cash, and few of whom get most."""
    rng = np.random.default_rng(1)
    kind, weights = rng.choice(3, num, p=[0.5, 0.3, 0.2]), rng.lognormal(0, 1, num)
    sender, card = rng.integers(0, num, num_rows), rng.random(num_rows) < 0.5
    receiver = []
    for one, by_card in zip(sender, card, strict=True):
        chances = weights * choose(kind, kind[one], by_card)
        receiver.append(rng.choice(num, p=chances / chances.sum()))
    rows = pd.DataFrame({'sender': sender, 'receiver': receiver, 'card': card})
    rows = rows[rows['sender'] != rows['receiver']].drop_duplicates(['sender', 'receiver'])
    people = pd.DataFrame({'id': range(num), 'kind': np.array(KINDS)[kind]})
    return {'person': people, 'transfer': rows}


def sample(tables):
    kinds = {'kind': 'categorical', 'card': 'boolean'}
    parts = {name: {each: kinds.get(each, 'id') for each in own} for name, own in tables.items()}
    keys = [('transfer', key, 'person', 'id') for key in ('sender', 'receiver')]
    metadata = describe_tables(parts, *keys)
    terms = {'epsilon': math.inf, 'privacy_unit': 'person', 'verbose': False}
    made = ClustMixMultiTableSynthesizer(metadata, **terms)
    made.fit(tables)
    return made.sample_scale(1.0)


def join(tables):
    """Return the numbers of the kinds at both ends, and the share of the twenty who get most."""
    kind = tables['person'].set_index('id')['kind'].map(KINDS.index)
    paid = tables['transfer']
    top = paid['receiver'].value_counts(normalize=True)[:20].sum()
    return kind[paid['sender']].to_numpy(), kind[paid['receiver']].to_numpy(), top


def test_kinds_that_pay_in_a_circle_do_so_in_samples():
    tables = make_people(lambda kinds, own, _: kinds == (own + 1) % 3)
    drawn = sample(tables)
    sender, receiver, top = join(drawn)
    assert (receiver == (sender + 1) % 3).mean() > 0.95
    assert top == pytest.approx(join(tables)[2], abs=0.05)
    paid = drawn['transfer']
    assert (paid['sender'] == paid['receiver']).mean() < 0.01
    assert paid.duplicated(['sender', 'receiver']).mean() < 0.01


def test_cards_lead_to_one_kind_and_cash_to_others():
    drawn = sample(make_people(lambda kinds, _, card: (kinds == 0) == card))
    _, receiver, _ = join(drawn)
    card = drawn['transfer']['card'].to_numpy().astype(bool)
    assert (receiver[card] == 0).mean() > 0.95
    assert (receiver[~card] == 0).mean() < 0.05
