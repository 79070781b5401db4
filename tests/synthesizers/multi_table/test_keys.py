"""Keys of any length, and foreign keys that may be missing, come back as they were stored."""

import numpy as np
import pandas as pd
import pytest
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer

ROWS, WARDS = 600, 30

#: The first of them is the least whole number that no float can hold.
LONG = 2**53 + 1 + 2 * np.arange(WARDS)

METADATA = describe_tables(
    {
        'ward': {'id': 'id', 'kind': 'categorical'},
        'stay': {'id': 'id', 'ward': 'id', 'days': 'numerical'},
    },
    ('stay', 'ward', 'ward', 'id'),
    stay='id',
)


def make_hospital(keys):
    rng = np.random.default_rng(0)
    referred = pd.Series(rng.choice(keys, ROWS)).astype('Int64').mask(rng.random(ROWS) < 0.2)
    return {
        'ward': pd.DataFrame({'id': keys, 'kind': np.resize(['a', 'b'], len(keys))}),
        'stay': pd.DataFrame(
            {'id': range(ROWS), 'ward': referred, 'days': rng.integers(0, 9, ROWS)}
        ),
    }


def draw(tables, **settings):
    synthesizer = ClustMixMultiTableSynthesizer(METADATA, epsilon=8.0, verbose=False, **settings)
    synthesizer.fit(tables)
    return synthesizer.sample_scale(1.0)


def test_a_foreign_key_that_may_be_missing_stays_a_whole_number():
    drawn = draw(make_hospital(np.arange(ROWS)), privacy_unit='ward')
    referred = drawn['stay']['ward']

    assert referred.dtype == 'Int64'
    assert 0.05 < referred.isna().mean() < 0.4
    assert referred.dropna().isin(drawn['ward']['id']).all()
    assert not drawn['stay'][['ward']].dropna().to_csv(index=False).count('.')


@pytest.mark.parametrize('dtype', ['Int64', object])
def test_references_to_keys_that_no_float_can_hold_lead_to_a_row(dtype):
    tables = make_hospital(LONG)
    tables['stay']['ward'] = tables['stay']['ward'].astype(dtype)
    referred = draw(tables, privacy_unit='stay', public_tables=['ward'])['stay']['ward']

    assert set(map(int, referred.dropna())) <= set(LONG.tolist())
    assert referred.nunique() > WARDS / 2
    assert referred.isna().any()
