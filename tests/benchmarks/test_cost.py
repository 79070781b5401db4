"""Benchmarks of cost run what they say, once, and their page says what was measured."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_threea.stages import STAGES


@pytest.fixture(scope='module')
def cost(load_script):
    with load_script('cost') as module:
        yield module


@pytest.fixture(scope='module')
def page(load_script):
    with load_script('tabulate_cost') as module:
        yield module


@pytest.fixture(scope='module')
def made(load_script):
    with load_script('made') as module:
        yield module


@pytest.fixture
def arguments(cost, tmp_path):
    """Ask for two small fits of ours."""
    return argparse.Namespace(
        small=True,
        only=['rows'],
        methods=[cost.OURS],
        again=False,
        timeout=300,
        memory=14.0,
        data=tmp_path,
        results=tmp_path / 'cost.csv',
        environments=None,
        job=None,
    )


def list_runs(cost, **changed):
    """Runs whose seconds follow a law: a second, and one for each million cells."""
    jobs = list(cost.list_jobs(list(cost.SERIES), cost.METHODS, small=False))
    for job in jobs:
        cells = job['rows'] * job['columns']
        seconds = 1 + cells / 1e6
        figures = dict.fromkeys(cost.COSTS, seconds)
        figures |= {f'{part}_peak_mib': 50 + cells / 2**20 for part in cost.PARTS}
        yield job | figures | {'import_seconds': 2.0, 'groups': 8} | changed


def test_ours_comes_first_and_the_slowest_peer_last(cost):
    methods = [
        job['method'] for job in cost.list_jobs(list(cost.SERIES), cost.METHODS, small=False)
    ]
    assert list(dict.fromkeys(methods)) == cost.METHODS
    assert methods == sorted(methods, key=cost.METHODS.index)


def test_a_run_is_named_alike_before_and_after_it_is_written(cost, tmp_path):
    jobs = list(cost.list_jobs(list(cost.SERIES), cost.METHODS, small=False))
    for job in jobs:
        cost.append(tmp_path / 'cost.csv', cost.FIELDS, job | {'fit_seconds': 1.0})
    read = pd.read_csv(tmp_path / 'cost.csv').to_dict('records')
    assert [cost.name_run(run) for run in read] == [cost.name_run(job) for job in jobs]
    assert len({cost.name_run(job) for job in jobs}) == len(jobs)


def test_what_is_there_is_not_run_again_unless_asked(cost, arguments, monkeypatch):
    ran = []
    monkeypatch.setattr(cost, 'parse_arguments', lambda: arguments)
    monkeypatch.setattr(
        cost, 'run_job', lambda job, _: ran.append(job['rows']) or {'fit_seconds': 1.0}
    )
    cost.main()
    cost.main()
    assert ran == [10_000, 100_000]
    arguments.again = True
    cost.main()
    assert ran == [10_000, 100_000] * 2
    assert len(pd.read_csv(arguments.results)) == 2


def test_larger_tables_are_not_tried_after_a_failure(cost, arguments, monkeypatch):
    monkeypatch.setattr(cost, 'parse_arguments', lambda: arguments)
    monkeypatch.setattr(cost, 'run_job', lambda job, _: {'note': 'timed out after 1 s'})
    cost.main()
    notes = pd.read_csv(arguments.results)['note'].tolist()
    assert notes == ['timed out after 1 s', 'not tried: a smaller table failed']


def test_a_job_reports_all_of_its_costs(cost, arguments):
    job = {'series': 'columns', 'method': cost.OURS, 'rows': 500, 'columns': 4, 'values': 3}
    figures = cost.run_job(job | {'epsilon': 1.0, 'repeat': 0}, arguments)
    assert 'note' not in figures
    assert set(cost.COSTS) <= set(figures)
    assert all(figures[name] > 0 for name in figures if 'seconds' in name)
    assert figures['fit_peak_mib'] > 0


def test_a_job_that_fails_says_why(cost, arguments):
    job = {'series': 'columns', 'method': cost.OURS, 'rows': 500, 'columns': 4, 'values': 3}
    figures = cost.run_job(job | {'epsilon': -1.0, 'repeat': 0}, arguments)
    assert 'epsilon' in figures['note']


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux forgets earlier peaks')
def test_memory_is_measured_above_what_was_there(load_script):
    with load_script('meters') as meters:
        figures = {}
        before = np.ones(2**25)
        with meters.measured('work', figures):
            np.ones(2**24).sum()
        assert before.sum() == 2**25
        assert figures['work_peak_mib'] == pytest.approx(128, abs=40)
        with meters.TreeWatch(0.01) as watch:
            child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
            end = time.monotonic() + 30
            while not watch.child_peak_mib and time.monotonic() < end:
                time.sleep(0.01)
            child.kill()
            child.wait()
        assert watch.peak_mib >= watch.own_peak_mib + 1
        assert watch.child_peak_mib > 1


def test_made_tables_have_the_shape_that_is_asked_for(made):
    table, metadata = made.make_table(2_000, 10, 7)
    assert table.shape == (2_000, 10)
    assert sorted(metadata.tables['made'].columns) == sorted(table)
    texts = table.select_dtypes('category')
    assert texts.shape[1] == 6
    assert {texts[name].nunique() for name in texts} == {7, 2}
    numbers = table.select_dtypes('number').corr().to_numpy()
    assert np.abs(numbers - np.eye(4)).max() > 0.1


def test_resampled_rows_are_rows_of_adult_and_small(made):
    table, _ = made.resample_adult(1_000, seed=1)
    again, _ = made.resample_adult(1_000, seed=1)
    pd.testing.assert_frame_equal(table, again)
    official, _ = made.load_official()
    assert len(made.as_objects(table).merge(made.as_objects(official).drop_duplicates())) == 1_000
    assert table.memory_usage(deep=True).sum() < 30 * 1_000 + 2**14


def test_the_time_of_a_fit_is_booked_on_stages_and_kinds(load_script):
    with load_script('stages_cost') as stages:
        assert stages.name_kind('sdv_threea.privacy.statistics') == 'statistics'
        assert stages.name_kind('sdv_threea.encoding.transformers') == 'encoding'
        assert stages.name_kind('sdv_threea.pipeline') == 'other'
        rows = stages.measure(stages.JOBS[0])
    booked = pd.DataFrame(rows)
    # What takes no longer than the time between two looks may be missed.
    assert {'describe', 'adapt'} <= set(booked['stage']) <= {stages.OUTSIDE, *STAGES}
    assert {'encoding', 'adapt'} <= set(booked['kind']) <= set(stages.KINDS.values())
    assert (booked['seconds'] >= 0).all()


def test_a_profile_replaces_that_of_the_same_table(load_script, tmp_path):
    path = tmp_path / 'stages.csv'
    with load_script('stages_cost') as stages:
        for seconds in (1.0, 2.0):
            for job in stages.JOBS:
                booked = [{'stage': 'adapt', 'kind': 'adapt', 'seconds': seconds}] * 2
                stages.write_anew(path, job, booked)
        written = pd.read_csv(path)
        assert list(written) == stages.FIELDS
        assert written['seconds'].tolist() == [2.0] * 2 * len(stages.JOBS)


def test_every_pass_is_compared_with_the_floor(load_script, monkeypatch):
    with load_script('floor') as floor:
        monkeypatch.setattr(floor, 'NUM_DRAWS', 100)
        rows = floor.measure(5_000, 1)
        assert rows[0]['pass'] == floor.FLOOR
        assert rows[0]['times_the_floor'] == 1
        assert {row['rows'] for row in rows} == {5_000, 100}


def test_rows_are_written_once_and_in_parts(load_script, tmp_path):
    with load_script('out_of_core') as script:
        files = script.write_rows(tmp_path, 2_500, 1_000)
        times = [os.stat(file).st_mtime_ns for file in files]
        assert script.write_rows(tmp_path, 2_500, 1_000) == files
        assert [os.stat(file).st_mtime_ns for file in files] == times
    table = pd.read_parquet(tmp_path)
    assert len(table) == 2_500
    assert str(table['income'].dtype) == 'category'
    assert table['age'].dtype == np.int8


def test_failed_runs_out_of_core_are_run_again(load_script, tmp_path):
    with load_script('out_of_core') as script:
        arguments = argparse.Namespace(rows=1_000, results=tmp_path / 'runs.csv', again=False)
        jobs = list(script.list_jobs(arguments))
        assert script.list_missing(arguments, script.read_done(arguments)) == jobs
        for job, outcome in zip(jobs, ({'fit_seconds': 9.0}, {'note': 'no'}), strict=False):
            script.append(arguments.results, script.FIELDS, job | outcome)
        missing = script.list_missing(arguments, script.read_done(arguments))
        assert missing == jobs[1:]


def test_a_formula_finds_the_law_and_predicts_larger_tables(page, cost):
    sizes = sys.modules['sizes']
    runs = pd.DataFrame(list_runs(cost))
    points = sizes.list_points(runs)
    assert points['fitted'].any()
    assert not points['fitted'].all()
    seconds, memory = sizes.fit_formulas(points)
    for point in points[~points['fitted']].to_dict('records'):
        assert seconds(point['size'].work()) == pytest.approx(point['seconds'], rel=1e-3)
        assert memory(point['size'].room()) == pytest.approx(point['mib'], rel=1e-3)


def test_the_page_is_filled_from_no_results_and_from_all(page, cost, tmp_path):
    script = Path(page.__file__)
    text = (script.parents[1] / 'docs' / 'scaling.md').read_text('utf-8')
    nothing = {name: pd.DataFrame() for name in page.TABLES}
    filled = page.fill(text, page.write_parts(nothing))
    assert 'No results yet.' in filled
    results = nothing | {'cost': pd.DataFrame(list_runs(cost))}
    filled = page.fill(filled, page.write_parts(results))
    assert '| 10,000,000 | 151 | 151 | 151 |' in filled
    assert '**predicted**' in filled
    assert '| nan |' not in filled
    assert 'at most 11 times the seconds' in filled


def test_a_peer_is_compared_with_our_later_fits(page, cost):
    runs = pd.DataFrame(list_runs(cost))
    slow = runs['method'] == cost.COPULA
    runs.loc[slow, 'fit_seconds'] *= 7
    gone = (runs['method'] == cost.MST) & (runs['rows'] == 10**6)
    runs.loc[gone, ['fit_seconds', 'sample_seconds']] = math.nan
    runs['note'] = np.where(gone, 'timed out after 9 s', '')
    table = page.write_series(runs, 'rows', pd.DataFrame())
    assert '(7.0 ×)' in table
    assert '| timed out |' in table


def test_targets_say_what_is_not_reached(page, cost):
    results = {name: pd.DataFrame() for name in page.TABLES}
    results['cost'] = pd.DataFrame(list_runs(cost))
    targets = page.write_targets(results)
    assert "1/5 of GaussianCopula's seconds | 1/1.0 | **no** |" in targets
    assert (
        '| 100,000 to 1,000,000 rows: at most 11 times the seconds | 6.4 times | yes |' in targets
    )


def test_seconds_are_written_in_units_that_fit(page):
    write = sys.modules['predictions'].in_units
    units = sys.modules['predictions'].LONG
    assert [write(value, units) for value in (0.5, 90, 7200, 1e9)] == [
        '0.5 s',
        '1.5 min',
        '2 h',
        '32 years',
    ]


def test_results_of_a_job_survive_json(cost):
    job = next(cost.list_jobs(['epsilon'], [cost.OURS], small=False)) | {'epsilon': math.inf}
    assert cost.name_run(json.loads(json.dumps(job))) == cost.name_run(job)
