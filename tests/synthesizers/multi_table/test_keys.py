"""Keys of any length, and foreign keys that may be missing, come back as they were stored."""

import numpy as np
import pandas as pd
from described import describe_tables

from sdv_threea import ClustMixMultiTableSynthesizer

ROWS, WARDS = 600, 30


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
