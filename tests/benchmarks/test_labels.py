"""Labels: tables follow their laws, models are told what they may know, the page shows the runs."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_threea import ClustMixSynthesizer
from sdv_threea.constants import Constants

INF = math.inf
KINDS = ['xor', 'radial', 'trees', 'ratios']

FACTS = {
    'age': {'sdtype': 'numerical', 'low': 0, 'high': 80, 'integer': True, 'nullable': True},
    'sex': {'sdtype': 'categorical', 'values': ['f', 'm'], 'nullable': True},
    'one': {'sdtype': 'numerical', 'low': 3, 'high': 3, 'integer': True, 'nullable': False},
    'y': {'sdtype': 'categorical', 'values': ['no', 'yes'], 'nullable': False},
}
ROWS = pd.DataFrame({'age': [0, 80, None, 20], 'sex': ['f', None, 'm', 'm'], 'one': 3})


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('labels') as module:
        yield module


@pytest.fixture(scope='module')
def runner(load_script):
    with load_script('run_direct', 'benchmarks/peers') as module:
        yield module


@pytest.mark.parametrize('kind', KINDS)
def test_columns_tell_together_and_some_have_no_say(script, kind):
    split = script.make_split(kind, 0, 4000)
    yes = split.train['y'] == 'yes'

    together = script.score_predictions(split, script.predict(split, split.train))

    assert yes.mean() == pytest.approx(0.5, abs=0.05)
    assert 0.78 < together['score'] < 0.92  # .9 is the best of all models
    without = split.train.assign(**{f'x{at}': 0.0 for at in range(6)})
    guess = script.score_predictions(split, script.predict(split, without))
    assert guess['score'] == pytest.approx(0.5, abs=0.06)
    means = split.train[['x6', 'x7']].rank().groupby(yes).mean()
    assert (means.loc[True] - means.loc[False]).abs().max() < 250  # of 4000; chance has 37


def test_single_columns_say_nothing_of_xor(script):
    split = script.make_split('xor', 0, 4000)
    for column in ('x0', 'x1'):
        alone = split.train.assign(**{n: 0.0 for n in split.train if n not in (column, 'y')})
        score = script.score_predictions(split, script.predict(split, alone))['score']
        assert score == pytest.approx(0.5, abs=0.06)


def test_models_are_those_of_the_other_benchmarks(script, load_script):
    split = script.make_split('xor', 0, 1000)
    with load_script('scores') as scores:
        expected = scores.score_models(split, split.train)['score']
    found = script.score_predictions(split, script.predict(split, split.train))['score']
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_table_of_one_class_predicts_that_class(script):
    split = script.make_split('xor', 0, 200)
    table = split.train.assign(y='no')
    assert script.score_predictions(split, script.predict(split, table))['score'] == 0.5


def test_the_error_of_calibration(load_script):
    truth = pd.Series([False, True] * 50)
    with load_script('scores') as scores:
        right = scores.calibration_error(truth, pd.DataFrame({False: [0.5] * 100, True: 0.5}))
        sure = scores.calibration_error(truth, pd.DataFrame({False: [0.1] * 100, True: 0.9}))
        certain = scores.calibration_error(truth, pd.DataFrame({True: truth.astype(float)}))
    assert (right, sure, certain) == (0.0, pytest.approx(0.4), 0.0)


def test_labels_that_see_columns_one_by_one_have_no_features(script):
    split = script.make_split('xor', 0, 4000)
    found = []
    for constants in (Constants(), script.SINGLE):
        synthesizer = ClustMixSynthesizer(
            script.public_facts(split), epsilon=INF, target_column='y', public_metadata=True
        )
        synthesizer._settings = replace(synthesizer._settings, constants=constants)
        synthesizer.fit({'xor': split.train})
        found.append(synthesizer._model.labels.interplay is None)
    assert found == [False, True]


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
    metadata = {'x': {'sdtype': 'numerical'}, 'y': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': metadata}}})
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


def test_gaps_are_filled_and_told(runner):
    filled = runner.fill_gaps({'columns': FACTS, 'target': 'y'}, ROWS)

    assert list(filled) == ['age, gap', 'age', 'sex']  # 'one' says nothing
    assert filled['age'].tolist() == [0, 80, 40, 20]
    assert filled['age, gap'].tolist() == ['no gap', 'no gap', 'gap', 'no gap']
    assert filled['sex'].tolist() == ['f', 'gap', 'm', 'm']


def test_no_row_is_longer_than_what_the_logistic_regression_is_told(runner):
    job = {'columns': FACTS, 'target': 'y'}
    outside = ROWS.assign(age=[-1e9, 1e9, None, 80], sex=['x', None, 'm', 'm'])
    for rows in (ROWS, outside):
        filled = runner.fill_gaps(job, rows)
        encoded = runner.encode_rows(job, filled)
        assert encoded.shape == (4, 2 + 1 + 3)
        lengths = np.square(encoded).sum(axis=1)
        assert lengths.max() <= filled.shape[1] + 1e-12
    assert lengths[3] == pytest.approx(3)


def test_more_than_two_classes_are_refused_in_words_that_the_page_knows(runner, load_script):
    columns = FACTS | {'y': FACTS['y'] | {'values': ['a', 'b', 'c']}}
    job = {'columns': columns, 'target': 'y', 'method': 'DP-EBM', 'epsilon': 1.0, 'delta': 1e-5}
    package = ModuleType('interpret.privacy')
    package.DPExplainableBoostingClassifier = package.DPExplainableBoostingRegressor = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, 'interpret', ModuleType('interpret'))
        patch.setitem(sys.modules, 'interpret.privacy', package)
        with pytest.raises(ValueError, match='two classes') as error:
            runner.fit(job, ROWS.assign(y=['a', 'b', 'c', 'a']))
    with load_script('pages') as pages:
        assert pages.write_failure(error.value) == 'two classes only'


def test_the_page_says_where_direct_training_wins(script):
    runs = [
        ('xor', script.REAL, INF, 0.9, 0.04),
        *[('xor', 'ClustMix', 1.0, score, 0.1) for score in (0.7, 0.72, 0.71)],
        ('xor', 'DP-EBM', 1.0, 0.5, 0.1),
        ('adult', script.REAL, INF, 0.9, 0.01),
        ('adult', 'ClustMix', 1.0, 0.84, 0.1),
        ('adult', 'DP-EBM', 1.0, 0.83, 0.1),
        ('trees', script.REAL, INF, 0.9, 0.04),
        ('trees', 'ClustMix', 1.0, 0.7, 0.1),
        ('trees', 'DP-EBM', 1.0, 0.71, 0.1),
        ('adult', 'ClustMix', 8.0, 0.86, 0.1),
        ('adult', 'ClustMix, public metadata', 8.0, 0.85, 0.1),
        ('adult', script.MANY, 8.0, 0.87, 0.1),
        ('adult', script.UNCERTAIN, 8.0, 0.85, 0.02),
        ('adult', 'DP-EBM', 8.0, 0.855, 0.01),
    ]
    columns = ['table', 'method', 'epsilon', 'score', 'calibration error']
    rows = pd.DataFrame(runs, columns=columns).assign(chance=0.5, note=None)
    failed = {'table': 'xor', 'method': 'diffprivlib logistic regression', 'epsilon': 1.0}
    rows.loc[len(rows)] = failed | {'note': 'timed out after 9 s'}
    medians = script.sum_up(rows)

    parts, readme = script.list_parts(medians)
    page, calibration = parts['labels'], parts['calibration']

    assert '| adult | 8 | .900 | .860 (.900) | .850 (.875) | **.870 (.925)** |  | .855' in page
    assert '| xor | 1 | .900 | **.710 (.525)** |  |  |  | .500 (.000) |  | timed out |' in page
    assert 'is ahead of *ClustMix, public metadata* on: adult (ε = 8).' in page
    assert page.endswith('ten times the rows* on: nowhere.')
    said = ' '.join(readme['direct'].split())
    assert 'has an AUC of .840 if it is trained on our samples.' in said
    assert 'Trained directly: DP-EBM: .830;' in said
    assert said.endswith('Of 3 tables direct training is ahead on 1: trees.')
    assert '| adult | 8 | .010 (.900) | .100 (.860) | .020 (.850) |' in calibration
    assert 'xor' not in calibration


def test_utility_takes_tables_with_interactions_only_if_asked(load_script):
    names = {'eeg_eye_state', 'walking_activity', 'protein_casp'}
    with load_script('utility') as utility, load_script('runner') as runner:
        assert not names & set(utility.TABLES)
        assert len(utility.TABLES) == 15
        options = runner.read_options(utility.BENCHMARK, arguments=['--tables', *names])
    assert set(options.tables) == names
