"""The benchmark measures each run by itself."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux forgets earlier peaks')
def test_memory_is_that_of_a_run_however_much_an_earlier_one_took(load_script, monkeypatch):
    costs = {'fit_seconds': 1.0, 'sample_seconds': 1.0}

    def take(mib):
        return lambda *_: (np.ones(2**17 * mib)[:0], costs)

    with load_script('utility') as script:
        monkeypatch.setitem(script.METHODS, 'large', take(256))
        monkeypatch.setitem(script.METHODS, 'small', take(64))
        monkeypatch.setattr(script, 'score_models', lambda *_: {})
        terms = script.Terms(1.0, 1e-5, script.QUALITY_REPEATS, 60)
        split = pd.DataFrame()
        peaks = [script.measure(split, name, terms)['peak_mib'] for name in ('large', 'small')]

    assert peaks == [pytest.approx(256, abs=40), pytest.approx(64, abs=40)]
