"""The cost of noise: what is compared is comparable, and every line is kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('noise') as module:
        yield module


@pytest.mark.parametrize('name', ['numpy, not exact', 'ours', 'OpenDP'])
def test_samplers_draw_as_many_at_the_scale_asked_for(script, name):
    draws = script.SAMPLERS[name](20_000, 1000)

    assert draws.shape == (20_000,)
    # Six times the deviation of what is compared.
    assert np.std(draws) == pytest.approx(1000, abs=6 * 1000 / 40_000**0.5)


def test_every_line_is_written_with_its_ratio_to_the_first(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, 'RESULTS', tmp_path / 'noise.csv')
    monkeypatch.setattr(script, 'measure', lambda draw: {1: 2e-6, 4: 6e-6}[len(draw())])
    monkeypatch.setattr('sys.argv', ['noise.py', '--draws', '1', '4', '--scales', '3', '5'])

    script.main()

    found = pd.read_csv(script.RESULTS)
    assert list(found) == script.FIELDS
    assert found[
        ['scale', 'draws', 'microseconds', 'ratio']
    ].drop_duplicates().to_numpy().tolist() == [
        [3, 1, 2, 1],
        [3, 4, 1.5, 1],
        [5, 1, 2, 1],
        [5, 4, 1.5, 1],
    ]
    assert found['sampler'].tolist() == [*script.SAMPLERS] * 4


def test_the_least_of_several_calls_counts(script, monkeypatch):
    clock = iter([0.0, 0.3, 1.0, 1.1, 2.0, 2.2])
    monkeypatch.setattr(script.time, 'process_time', lambda: next(clock))

    assert script.measure(list, seconds=0.5) == pytest.approx(0.1)
