"""In a database, the range of a number follows from the category beside it, as in one table."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from chance import draw_from
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.relational import databases
from sdv_threea.synthesizers import multi_table

PATIENTS = 1500

#: The mean, the deviation and the unit of each test.
TESTS = {
    'sodium': (140, 3, 'mmol/L'),
    'hba1c': (6, 0.8, '%'),
    'platelets': (250, 60, '/nL'),
    'ldl': (110, 30, 'mg/dL'),
}

COLUMNS = {
    'test': 'categorical', 'unit': 'categorical', 'result': 'numerical', 'fasting': 'boolean',
    'hours': 'numerical',
}  # fmt: skip


def make_laboratory():
    """Two results of each patient on average; hours are told by those who fasted."""
    rng = np.random.default_rng(4)
    patients = pd.DataFrame({'id': range(PATIENTS), 'age': rng.integers(18, 90, PATIENTS)})
    owners = np.repeat(patients['id'], rng.poisson(2, PATIENTS)).to_numpy()
    names = rng.choice(list(TESTS), len(owners))
    means, deviations, units = zip(*map(TESTS.get, names), strict=True)
    fasting = rng.random(len(owners)) < 0.4
    results = pd.DataFrame(
        {
            'id': range(len(owners)),
            'patient': owners,
            'test': names,
            'unit': units,
            'result': np.round(np.maximum(0.1, rng.normal(means, deviations)), 1),
            'fasting': fasting,
            'hours': np.where(fasting, rng.integers(6, 20, len(owners)), np.nan),
        }
    )
    return {'patient': patients, 'result': results}


@pytest.fixture
def drawn(monkeypatch):
    noise = draw_from(np.random.default_rng(3))
    release = partial(databases.release_database, noise=noise)
    monkeypatch.setattr(multi_table, 'release_database', release)
    metadata = describe_tables(
        {
            'patient': {'id': 'id', 'age': 'numerical'},
            'result': {'id': 'id', 'patient': 'id', **COLUMNS},
        },
        ('result', 'patient', 'patient', 'id'),
        result='id',
    )
    synthesizer = ClustMixMultiTableSynthesizer(
        metadata, epsilon=8.0, privacy_unit='patient', verbose=False
    )
    tables = make_laboratory()
    synthesizer.fit(tables)
    return tables['result'], synthesizer.sample_scale(1.0)['result']


def test_results_suit_their_test_and_nobody_tells_hours_without_fasting(drawn):
    results, rows = drawn
    low, high = (results.groupby('test')['result'].agg(each) for each in ('min', 'max'))
    units = {name: unit for name, (*_, unit) in TESTS.items()}

    possible = rows['result'].between(rows['test'].map(low), rows['test'].map(high))
    assert possible.mean() > 0.9
    assert (rows['unit'] == rows['test'].map(units)).mean() > 0.95
    assert (rows['hours'].notna() == rows['fasting'].astype(bool)).mean() > 0.95
