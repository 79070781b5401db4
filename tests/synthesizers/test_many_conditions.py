"""Many conditions cost little more than one."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea import ClustMixSynthesizer
from sdv_threea.release import Release


@pytest.mark.parametrize(
    'how',
    [{}, {'mixing': 'clusters'}, {'target_column': 'u'}],
    ids=['pairs', 'mixture', 'labels'],
)
def test_many_conditions_are_drawn_at_once(build_metadata, monkeypatch, how):
    """Each took a call, or three: 20,000 of them took an hour."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({'x': rng.integers(0, 300, 2_000), 'u': rng.choice(list('ab'), 2_000)})
    table['y'] = table['x'] // 10 + rng.integers(0, 3, 2_000)
    kinds = {'x': 'numerical', 'y': 'numerical', 'u': 'categorical'}
    metadata = build_metadata({name: {'sdtype': kind} for name, kind in kinds.items()})
    synthesizer = ClustMixSynthesizer(metadata, epsilon=100.0, **how)
    synthesizer.fit({'people': table})
    calls = []
    whole = Release.sample
    monkeypatch.setattr(Release, 'sample', lambda *given: calls.append(1) or whole(*given))
    known = pd.DataFrame({'x': np.arange(900) % 290, 'u': np.repeat(['a', 'b', 'a'], 300)})

    rows = synthesizer.sample_remaining_columns(known)['people']

    assert rows['x'].tolist() == known['x'].tolist() and rows['u'].tolist() == known['u'].tolist()
    assert len(calls) == 1
    assert np.corrcoef(rows['x'], rows['y'])[0, 1] > 0.9
