"""Labels: tables follow their laws, models are told what they may know, the page shows the runs."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from described import describe
from scripts import script_fixture

script = script_fixture('labels')
runner = script_fixture('run_direct', 'benchmarks/peers')


def test_the_error_of_calibration(load_script):
    truth = pd.Series([False, True] * 50)
    with load_script('scores') as scores:
        right = scores.calibration_error(truth, pd.DataFrame({False: [0.5] * 100, True: 0.5}))
        sure = scores.calibration_error(truth, pd.DataFrame({False: [0.1] * 100, True: 0.9}))
        certain = scores.calibration_error(truth, pd.DataFrame({True: truth.astype(float)}))
    assert (right, sure, certain) == (0.0, pytest.approx(0.4), 0.0)


def test_direct_models_have_a_budget_and_real_data_is_there_once(script):
    options = script.BENCHMARK.options | {'tables': ['adult', 'xor'], 'repeats': 2}
    jobs = list(script.list_jobs(SimpleNamespace(**options)))

    counts = pd.DataFrame(jobs).groupby(['table', 'method']).size()
    assert counts['adult'].to_dict() == {
        script.REAL: 1,
        'ClustMix': 6,
        'ClustMix, public metadata': 6,
        script.MANY: 6,
        'ClustMix, columns one by one': 6,
        script.UNCERTAIN: 6,
        **dict.fromkeys(script.DIRECT, 4),
    }
    assert script.UNCERTAIN not in counts['xor']


def test_a_direct_model_never_sees_the_target_and_is_not_run_twice(script, monkeypatch, tmp_path):
    seen, runs = {}, []

    def do(python, family, place, timeout):
        job = json.loads((place / 'job.json').read_text())
        runs.append(job['epsilon'])
        seen.update({part: pd.read_csv(job[part]) for part in ('train', 'test')}, job=job)
        chances = pd.DataFrame({'0': [0.9, 0.2], '1': [0.1, 0.8]})
        chances.to_csv(job['made'], index=False)
        return {'fit_seconds': 1.0}

    table = pd.DataFrame({'x': [1.0, 2.0], 'y': [0, 1]})
    metadata = describe({'x': 'numerical', 'y': 'categorical'})
    split = script.Split('t', 'y', table, table, metadata, numeric=False)
    monkeypatch.setattr('peers._do', do)
    monkeypatch.setattr('peers.FOLDER', tmp_path)
    monkeypatch.setattr('peers.make_environment', lambda family: family)

    predicted = script.METHODS['DP-EBM'](split, script.Terms(1.0, 1e-5, 0, 900))

    assert list(seen['train']) == ['x', 'y']
    assert list(seen['test']) == ['x']
    assert (seen['job']['epsilon'], seen['job']['delta']) == (1.0, 1e-5)
    assert list(predicted) == [0, 1]  # the classes themselves, not their text
    assert script.score_predictions(split, predicted)['score'] == 1.0
    again = script.METHODS['DP-EBM'](split, script.Terms(1.0, 1e-5, 0, 1))
    pd.testing.assert_frame_equal(again, predicted)
    script.METHODS['DP-EBM'](split, script.Terms(2.0, 1e-5, 0, 900))
    changed = replace(split, train=table.assign(x=[1.0, 3.0]))
    script.METHODS['DP-EBM'](changed, script.Terms(1.0, 1e-5, 0, 900))
    assert runs == [1.0, 2.0, 1.0]  # a job is what is asked for, and the rows


def test_utility_takes_tables_with_interactions_only_if_asked(load_script):
    names = {'eeg_eye_state', 'walking_activity', 'protein_casp'}
    with load_script('utility') as utility, load_script('runner') as runner:
        assert not names & set(utility.TABLES)
        assert len(utility.TABLES) == 15
        options = runner.read_options(utility.BENCHMARK, arguments=['--tables', *names])
    assert set(options.tables) == names
