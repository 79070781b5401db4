"""How a row follows another row of its owner: how it is estimated, and rows that are drawn so."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from chance import draw_from
from described import describe_tables
from sdv.metadata import Metadata

from sdv_threea import ClustMixMultiTableSynthesizer, ClustMixSequentialSynthesizer
from sdv_threea.relational.agreement import (
    Bins,
    Follower,
    Moves,
    _believe,
    _count_moves,
    _find_moves,
    _share,
)
from sdv_threea.relational.databases import release_database
from sdv_threea.relational.model import _move
from sdv_threea.settings import Settings
from sdv_threea.synthesizers import multi_table

SHARES = np.array([0.0, 0.5, 0.3, 0.2])


def draw_alike(kept, num_pairs, rng):
    """Draw pairs of codes, of which the second keeps the first with a chance by code."""
    first, fresh = rng.choice(len(SHARES), p=SHARES, size=(2, num_pairs))
    return first, np.where(rng.random(num_pairs) < np.asarray(kept)[first], first, fresh)


@pytest.mark.parametrize('kept', [[0.0, 0.9, 0.9, 0.9], [0.0, 0.2, 0.0, 0.8], [0.0, 0.0, 0.0, 0.0]])
def test_what_is_kept_is_told_from_chance(kept):
    first, second = draw_alike(kept, 40_000, np.random.default_rng(0))
    same = np.bincount(first[first == second], minlength=len(SHARES)) / len(first)

    found = _believe(same - SHARES**2, SHARES - SHARES**2, 1e-4)

    assert found[1:] == pytest.approx(kept[1:], abs=0.04)


def test_what_noise_explains_is_not_believed():
    rng, gains = np.random.default_rng(1), SHARES - SHARES**2
    often = [_believe(rng.normal(0, 0.05, 4), gains, 0.05) @ SHARES for _ in range(40)]
    assert np.mean(often) < 0.05


def test_a_pair_is_in_one_cell_of_each_table():
    bins = Bins(None, 0, np.array([-1, 0, 1, 1]), 2)
    before, codes = np.array([[1, 2, 3, 2, -1, 0], [2, 3, 3, 1, 1, 1]])
    cells = bins.locate(before, codes)
    assert cells.tolist() == [1, 3, 5, 2, -1, -1]

    counts = _count_moves((6,), Moves(cells[:, None]))
    both, same = _share(counts[1:].astype(float), bins)

    assert counts.tolist() == [6, 0, 1, 1, 1, 0, 1]
    assert both.tolist() == [[0, 1], [1, 2]], 'the bin of one code has no pair of two codes'
    assert same.tolist() == [0, 1]


def test_a_row_is_moved_as_often_as_its_table_says():
    table = np.array([[0.1, 0.3, 0.1], [0.3, 0.0, 0.0], [0.1, 0.0, 0.1]])
    whole, given = table.sum(axis=0), table / table.sum(axis=1, keepdims=True)
    bins, shares = Bins(None, 0, np.array([-1, 0, 1, 2]), 3), np.append(0, whole)
    moves = _find_moves(Follower(bins, table, np.zeros(3), shares))
    assert not moves[0].any()
    assert not moves[:, 0].any()
    left = given - moves[1:, 1:]
    assert left == pytest.approx(np.outer(left.sum(axis=1), whole))

    before = np.repeat([1, 2, 3], 10_000)
    after = _move(before, moves, np.random.default_rng(0).random(30_000))
    for code in (1, 2, 3):
        shares = np.bincount(after[before == code] + 1, minlength=5)[1:] / 10_000
        assert shares == pytest.approx(moves[code], abs=0.02)


def test_a_row_moves_to_the_codes_of_a_bin_by_their_shares():
    bins, kept = Bins(None, 0, np.array([-1, 0, 0, 1]), 2), np.array([0.25, 1.0])
    table, shares = np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([0.0, 0.3, 0.2, 0.5])

    moves = _find_moves(Follower(bins, table, kept, shares))

    # A row stays in its bin more often than chance by 0.6, and keeps its code in 0.25 of 0.8.
    stays, others = 0.2, 0.4 * np.array([0.6, 0.4])
    assert moves[1, 1:] == pytest.approx([stays + others[0], others[1], 0])
    assert moves[2, 1:] == pytest.approx([others[0], stays + others[1], 0])
    assert moves[3, 1:] == pytest.approx([0, 0, 0.6])


def test_sequences_at_a_small_budget_follow_the_row_before(monkeypatch):
    monkeypatch.setattr(Settings, 'counts_pairs', False)
    chance = {'noise': draw_from(np.random.default_rng(3)), 'rng': np.random.default_rng(4)}
    monkeypatch.setattr(multi_table, 'release_database', partial(release_database, **chance))
    rng, num_units = np.random.default_rng(2), 1500
    units = np.repeat(np.arange(num_units), 4)
    level = rng.normal(100, 20, num_units)[units] + rng.normal(0, 3, len(units))
    rows = pd.DataFrame({'who': units, 'day': np.tile(range(4), num_units), 'level': level})
    rows['kind'] = rng.choice(list('abc'), len(rows))
    keys = {'sequence_key': 'who', 'sequence_index': 'day'}
    sdtypes = {'who': 'id', 'day': 'numerical', 'level': 'numerical', 'kind': 'categorical'}
    columns = {name: {'sdtype': sdtype} for name, sdtype in sdtypes.items()}
    metadata = Metadata.load_from_dict({'tables': {'stays': {'columns': columns, **keys}}})
    synthesizer = ClustMixSequentialSynthesizer(metadata, epsilon=2.0, delta=1e-6, verbose=False)

    synthesizer.fit({'stays': rows})
    made = synthesizer.sample(1000)['stays']

    before = made.groupby('who', sort=False)['level'].shift()
    assert made['level'].corr(before) > 0.5
    assert 85 < made['level'].mean() < 115


def fit(monkeypatch, unit, rows, *, paired, epsilon, owners=None, target=None):
    """Fit units and their rows of categories with fixed noise, and return samples with the model.

    ``rows`` have the unit first; ``owners`` are the units' own categories.
    """
    monkeypatch.setattr(Settings, 'counts_pairs', paired)
    chance = {'noise': draw_from(np.random.default_rng(3)), 'rng': np.random.default_rng(4)}
    monkeypatch.setattr(multi_table, 'release_database', partial(release_database, **chance))
    owners = pd.DataFrame({'id': range(rows[unit].max() + 1), **(owners or {})})
    about = {unit: dict.fromkeys(owners, 'categorical'), 'row': dict.fromkeys(rows, 'categorical')}
    about[unit]['id'] = about['row'][unit] = 'id'
    synthesizer = ClustMixMultiTableSynthesizer(
        describe_tables(about, ('row', unit, unit, 'id')),
        epsilon=epsilon, delta=1e-6, privacy_unit=unit, verbose=False,
        target_column={'row': target} if target else None,
    )  # fmt: skip
    synthesizer.fit({unit: owners, 'row': rows})
    model = synthesizer._model.tables['row']
    assert model.following is None, 'pairs of rows are not counted'
    return synthesizer.sample_scale(1.0)['row'], model


@pytest.mark.parametrize(('paired', 'target'), [(True, None), (False, None), (True, 'c1')])
def test_few_units_at_a_small_budget_keep_what_does_not_vary(monkeypatch, paired, target):
    rng, num_units = np.random.default_rng(2), 4000
    sizes = rng.choice([1, 2, 5], num_units, p=[0.3, 0.4, 0.3])
    units = np.repeat(np.arange(num_units), sizes)
    others = {f'c{at}': rng.choice(list('abc'), len(units)) for at in range(10)}
    others['c0'] = np.where(rng.random(len(units)) < 0.9 * (sizes[units] == 5), 'a', others['c0'])
    band = rng.choice(list('uvwxyz'), num_units)[units]
    rows = pd.DataFrame({'patient': units, 'band': band, **others})
    sex = {'sex': rng.choice(['f', 'm'], num_units)}

    stays, model = fit(
        monkeypatch, 'patient', rows, paired=paired, epsilon=1.0, owners=sex, target=target
    )

    assert (model.released.joint is not None) == paired
    assert model.agreement.columns[0] == 'band'
    several = stays.groupby('patient').filter(lambda rows: len(rows) > 1)
    bands = several.groupby('patient')['band']
    assert (bands.min() == bands.max()).mean() > 0.7
    assert stays['band'].value_counts(normalize=True).between(0.1, 0.24).all()
    if paired:
        # One row per owner is read, and owners of many rows have other values.
        first = rows.drop_duplicates('patient')
        of_rows, of_owners = ((table['c0'] == 'a').mean() for table in (rows, first))
        assert (stays['c0'] == 'a').mean() > of_rows - (of_rows - of_owners) / 2


# Without pair counts, the kind does not depend on the number of holders: .67 are owners.
@pytest.mark.parametrize(('paired', 'least'), [(True, 0.9), (False, 0.62)])
def test_what_occurs_once_in_a_unit_occurs_once_in_samples(monkeypatch, paired, least):
    rng = np.random.default_rng(2)
    accounts = np.repeat(np.arange(4000), rng.choice([1, 2], 4000))
    kind = np.where(pd.Series(accounts).duplicated(), 'second', 'owner')
    others = {f'c{at}': rng.choice(list('abc'), len(accounts)) for at in range(10)}
    rows = pd.DataFrame({'account': accounts, 'kind': kind, **others})

    holders, model = fit(monkeypatch, 'account', rows, paired=paired, epsilon=2.0)

    assert (model.agreement.chain is not None) == paired
    several = holders.groupby('account').filter(lambda rows: len(rows) == 2)
    owners = (several['kind'] == 'owner').groupby(several['account']).sum()
    assert (owners == 1).mean() > least
