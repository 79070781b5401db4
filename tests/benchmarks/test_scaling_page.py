"""The page on sizes says what is measured, on tables of the shape that is asked for."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope='module')
def cost(load_script):
    with load_script('cost') as module:
        yield module


@pytest.fixture(scope='module')
def page(load_script):
    with load_script('scaling_page') as module:
        yield module


@pytest.fixture
def runs(cost):
    """Runs whose seconds follow a law: a second, and one for each million cells."""
    rows = []
    jobs = cost.list_jobs(SimpleNamespace(series=list(cost.SERIES), methods=cost.METHODS))
    for job in jobs:
        cells = job['rows'] * job['columns']
        seconds = {f'{part}_seconds': 1 + cells / 1e6 for part in ('fit', 'refit', 'sample')}
        peaks = {f'{part}_peak_mib': 50 + cells / 2**20 for part in ('fit', 'refit')}
        rows.append(job | seconds | peaks | {'note': ''})
    return pd.DataFrame(rows)


def test_ours_comes_first_and_the_slowest_peer_last(cost, runs):
    assert list(dict.fromkeys(runs['method'])) == cost.METHODS
    assert runs['method'].map(cost.METHODS.index).is_monotonic_increasing


def test_a_peer_is_compared_with_our_later_fits(page, cost, runs):
    runs.loc[runs['method'] == cost.COPULA, 'fit_seconds'] *= 7
    gone = (runs['method'] == cost.MST) & (runs['rows'] == 10**6)
    runs.loc[gone, ['fit_seconds', 'sample_seconds']] = math.nan
    runs.loc[gone, 'note'] = 'timed out after 9 s'
    table = page.write_series(runs, 'rows')
    assert '(7.0 ×)' in table
    assert '| timed out |' in table


def test_made_tables_have_the_shape_that_is_asked_for(load_script):
    with load_script('made') as made:
        table, metadata = made.make_table(2_000, 10, 7)
    assert table.shape == (2_000, 10)
    assert sorted(metadata.tables['made'].columns) == sorted(table)
    texts = table.select_dtypes('category')
    assert texts.shape[1] == 6
    assert {texts[name].nunique() for name in texts} == {7, 2}
    numbers = table.select_dtypes('number').corr().to_numpy()
    assert np.abs(numbers - np.eye(4)).max() > 0.1


def test_resampled_rows_are_small_rows_of_adult_written_once_and_in_parts(load_script, tmp_path):
    with load_script('out_of_core') as script:
        files = script.write_rows(tmp_path, 2_500, 1_000)
        times = [file.stat().st_mtime_ns for file in files]
        assert script.write_rows(tmp_path, 2_500, 1_000) == files
        assert [file.stat().st_mtime_ns for file in files] == times
    table = pd.read_parquet(tmp_path)
    assert len(table) == 2_500
    assert table.memory_usage(deep=True).sum() < 30 * 2_500 + 2**14
    with load_script('made') as made:
        official = made.as_objects(made.load_official()[0]).drop_duplicates()
        assert len(made.as_objects(table).merge(official)) == 2_500


@pytest.mark.parametrize('name', ['ours', 'OpenDP', "NumPy's normal, not exact"])
def test_samplers_draw_as_many_at_the_scale_asked_for(load_script, name):
    with load_script('noise') as noise:
        draws = noise.SAMPLERS[name](20_000, 1000)
    assert draws.shape == (20_000,)
    # Six times the deviation of what is compared.
    assert np.std(draws) == pytest.approx(1000, abs=6 * 1000 / 40_000**0.5)
