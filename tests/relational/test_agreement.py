"""What rows of one owner have in common: how it is estimated, and rows that are drawn so."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from chance import draw_from
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.relational.agreement import Alike, _believe, _count_alike
from sdv_threea.relational.pipeline import release_database
from sdv_threea.settings import Settings
from sdv_threea.synthesizers import multi_table

SHARES = np.array([0.0, 0.5, 0.3, 0.2])


def draw_alike(kept, num_pairs, rng):
    """Draw pairs of codes, of which the second keeps the first with a chance by code."""
    first, fresh = rng.choice(len(SHARES), p=SHARES, size=(2, num_pairs))
    return first, np.where(rng.random(num_pairs) < np.asarray(kept)[first], first, fresh)


@pytest.mark.parametrize('kept', [[0.0, 0.9, 0.9, 0.9], [0.0, 0.2, 0.0, 0.8], [0.0, 0.0, 0.0, 0.0]])
def test_what_is_kept_is_told_from_chance(kept):
    rng = np.random.default_rng(0)
    first, second = draw_alike(kept, 40_000, rng)
    same = np.where(first == second, first, -1)[:, None]
    counts = _count_alike((len(SHARES),), Alike(same))
    assert counts[0] == len(first)
    drawn = [rng.choice(len(SHARES), p=SHARES, size=(40_000, 1)) for _ in range(2)]

    found, often = _believe(counts[1:] / counts[0], 1e-4, drawn, 0)

    assert found[1:] == pytest.approx(kept[1:], abs=0.04)
    assert often == pytest.approx(SHARES @ kept, abs=0.03)


def test_what_noise_explains_is_not_believed():
    rng = np.random.default_rng(1)
    drawn = [rng.choice(len(SHARES), p=SHARES, size=(40_000, 1)) for _ in range(2)]
    often = [
        _believe(SHARES**2 + rng.normal(0, 0.05, len(SHARES)), 0.05, drawn, 0)[1] for _ in range(40)
    ]
    assert np.mean(often) < 0.05


def test_a_pair_adds_one_to_a_code_of_each_column_at_most():
    alike = Alike(np.array([[2, -1, 0]]))
    assert _count_alike((3, 2, 1), alike).tolist() == [1, 0, 0, 1, 0, 0, 1]
    assert _count_alike((3, 2, 1), Alike(alike.codes[:0])).tolist() == [0] * 7


@pytest.mark.parametrize('paired', [True, False])
def test_few_units_at_a_small_budget_keep_what_does_not_vary(monkeypatch, paired):
    monkeypatch.setattr(Settings, 'counts_pairs', paired)
    chance = {'noise': draw_from(np.random.default_rng(3)), 'rng': np.random.default_rng(4)}
    monkeypatch.setattr(multi_table, 'release_database', partial(release_database, **chance))
    rng = np.random.default_rng(2)
    num_units = 4000
    sizes = rng.choice([1, 2, 5], num_units, p=[0.3, 0.4, 0.3])
    units = np.repeat(np.arange(num_units), sizes)
    others = {f'c{at}': rng.choice(list('abc'), len(units)) for at in range(10)}
    others['c0'] = np.where(rng.random(len(units)) < 0.9 * (sizes[units] == 5), 'a', others['c0'])
    band = rng.choice(list('uvwxyz'), num_units)[units]
    tables = {
        'patient': pd.DataFrame({'id': range(num_units), 'sex': rng.choice(['f', 'm'], num_units)}),
        'stay': pd.DataFrame({'patient': units, 'band': band, **others}),
    }
    kinds = {'band': sorted(set(band)), **{name: list('abc') for name in others}}
    columns = {name: {'sdtype': 'categorical'} for name in kinds}
    about = {'patient': {'id': 'id', 'sex': 'categorical'}, 'stay': {'patient': 'id', **columns}}
    metadata = describe_tables(about, ('stay', 'patient', 'patient', 'id'))
    first = tables['stay'].drop_duplicates('patient')
    made = ClustMixMultiTableSynthesizer(
        metadata, epsilon=1.0, delta=1e-6, privacy_unit='patient', verbose=False
    )
    made.fit(tables)
    model = made._model.tables['stay']
    assert model.following is None, 'pairs of rows are not counted'
    assert (model.released.joint is not None) == paired
    assert model.agreement.columns[0] == 'band'

    stays = made.sample_scale(1.0)['stay']
    several = stays.groupby('patient').filter(lambda rows: len(rows) > 1)
    bands = several.groupby('patient')['band']

    assert (bands.min() == bands.max()).mean() > 0.7
    assert stays['band'].value_counts(normalize=True).between(0.1, 0.24).all()
    if paired:
        # One row per owner is read, and owners of many rows have other values.
        of_rows, of_owners = ((table['c0'] == 'a').mean() for table in (tables['stay'], first))
        assert (stays['c0'] == 'a').mean() > of_rows - (of_rows - of_owners) / 2
