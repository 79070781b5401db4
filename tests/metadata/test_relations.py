"""Relations that a release shows, and those that it does not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea.metadata import suggest_constraints

SDTYPES = {
    'town': 'categorical',
    'country': 'categorical',
    'colour': 'categorical',
    'name': 'categorical',
    'booked': 'datetime',
    'left': 'datetime',
    'net': 'numerical',
    'gross': 'numerical',
    'height': 'numerical',
}


def make_stays(num_rows=4000, seed=0):
    rng = np.random.default_rng(seed)
    town, net = rng.integers(0, 12, num_rows), rng.gamma(4, 25, num_rows).round(2)
    booked = pd.Timestamp('2024-01-01') + pd.to_timedelta(rng.integers(0, 300, num_rows), 'D')
    return pd.DataFrame(
        {
            'town': [f't{each}' for each in town],
            'country': [f'c{each // 4}' for each in town],
            'colour': rng.choice(list('abc'), num_rows),
            'name': [f'n{at}' for at in range(num_rows)],
            'booked': booked.strftime('%d.%m.%Y'),
            'left': (booked + pd.to_timedelta(rng.integers(0, 60, num_rows), 'D')).strftime(
                '%d.%m.%Y'
            ),
            'net': net,
            'gross': (1.2 * net).round(2),
            'height': rng.normal(100, 50, num_rows),
        }
    )


@pytest.fixture
def metadata():
    columns = {name: {'sdtype': sdtype} for name, sdtype in SDTYPES.items()}
    for name in ('booked', 'left'):
        columns[name]['datetime_format'] = '%d.%m.%Y'
    return Metadata.load_from_dict({'tables': {'stays': {'columns': columns}}})


def list_relations(table, metadata):
    sampling = SimpleNamespace(metadata=metadata, sample=lambda *_: {'stays': table})
    return suggest_constraints(sampling)


def test_relations_that_hold_are_suggested_and_no_others(metadata):
    table = make_stays()
    table.loc[::50, 'country'] = 'c0'  # noise breaks some

    found = list_relations(table, metadata)

    relations = set(zip(found['constraint'], map(tuple, found['columns']), strict=True))
    assert relations == {
        ('FixedCombinations', ('town', 'country')),
        ('Inequality', ('booked', 'left')),
        ('Inequality', ('net', 'gross')),
    }
    assert found['obey'].min() > 0.95
    assert found['by chance'].is_monotonic_increasing
    assert found['by chance'].max() < 0.85


def test_fixed_values_and_sums_are_suggested_with_their_arguments():
    rng, n = np.random.default_rng(1), 3000
    asked, net, fee = rng.random(n) < 0.4, rng.gamma(2, 50, n), rng.gamma(2, 20, n)
    answers = {f'q{at}': np.where(asked, rng.integers(1, 6, n), -7) for at in range(3)}
    answers['q0'][::40] = -9
    noise = rng.normal(0, 40, n)
    table = pd.DataFrame({'asked': asked, 'net': net, 'a fee': fee, **answers, 'other': noise + 90})
    table['total'] = np.maximum(net + fee + noise, 0)
    kinds = {'asked': 'boolean', **dict.fromkeys(answers, 'categorical')}
    columns = {name: {'sdtype': kinds.get(name, 'numerical')} for name in table}
    metadata = Metadata.load_from_dict({'tables': {'stays': {'columns': columns}}})
    found = list_relations(table, metadata)
    rules = {kind: own.iloc[0]['parameters'] for kind, own in found.groupby('constraint')}

    assert rules['Formula'] == {'column_name': 'total', 'formula': 'net + `a fee`'}
    assert rules['IfThen']['if_values'] == [False]
    assert rules['IfThen']['then_values'] == {'q0': [-7], 'q1': [-7], 'q2': [-7]}
    assert len(found) == 2
    import sdv_threea.constraints

    for kind, parameters in rules.items():
        getattr(sdv_threea.constraints, kind)(**parameters)
