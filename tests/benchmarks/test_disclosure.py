"""The page on disclosure shows what is in its CSV, and the limits that it shows are right."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

INF = math.inf

ATTACK = ('AUC', 'AUC low', 'AUC high', 'detected', 'detected low', 'detected high')


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('disclosure') as module:
        yield module


@pytest.fixture
def runs(script):
    """Two methods on one table; of one the attack is missing."""
    rows = []
    for method, epsilon in (('ClustMix', 1.0), ('GaussianCopula', INF), ('CTGAN', INF)):
        key = {'table': 'compas', 'method': method, 'epsilon': epsilon}
        scores = {'DCR baseline': 0.31, 'DCR overfitting': 1.0, 'disclosure': np.nan}
        rows.append({**key, 'part': 'scores', **scores})
        attack = dict(zip(ATTACK, (0.7, 0.6, 0.8, 0.2, 0.1, 0.35), strict=True))
        if method != 'CTGAN':
            rows.append({**key, 'part': 'attack', **attack})
    return pd.DataFrame(rows)


def test_a_row_has_all_figures_of_a_method(script, runs):
    lines = script.write_runs(runs).splitlines()
    assert len(lines) == 4
    auc, detected = (f'{limit:.2f}' for limit in script.bound(1.0))
    assert lines[2] == (
        f'| compas | ClustMix | 1 | 0.31 | 1.00 | – | 0.70 (0.60 to 0.80) | {auc} '
        f'| 0.20 (0.10 to 0.35) | {detected} |'
    )
    assert '| compas | GaussianCopula |  | 0.31 |' in lines[3]


def test_without_privacy_there_is_no_limit(script, runs):
    runs.loc[runs['method'] == 'ClustMix', 'epsilon'] = INF
    line = script.write_runs(runs).splitlines()[2]
    assert '| ClustMix | ∞ |' in line
    assert '(0.60 to 0.80) |  |' in line


def test_the_limits_are_those_of_one_normal_draw(script):
    mu = script.mu_from_epsilon(8.0, script.DELTA)
    rng = np.random.default_rng(0)
    absent, present = rng.normal(size=(2, 400_000)) + [[0.0], [mu]]
    auc, detected = script.bound(8.0)
    # Six standard errors of a share of this many draws are below 0.005.
    assert auc == pytest.approx((absent < present).mean(), abs=0.005)
    assert detected == pytest.approx((present > np.quantile(absent, 0.9)).mean(), abs=0.01)
    assert script.bound(1e-9) == pytest.approx((0.5, 0.1), abs=1e-4)


def test_what_the_page_says_of_the_attack_is_in_the_results(script):
    """Guessing has one half, and finds a tenth."""
    runs = script.BENCHMARK.read()
    attacked = runs[runs['part'] == 'attack'].set_index(['method', 'epsilon', 'table']).sort_index()
    ours, controls = attacked.loc['ClustMix'], attacked.loc['rows of others']
    for epsilon in (1.0, 8.0):
        noisy = ours.loc[epsilon]
        auc, found = script.bound(epsilon)
        assert len(noisy) == len(script.KNOWN)
        assert (noisy['AUC low'].lt(0.5) & noisy['AUC high'].gt(0.5)).all()
        assert (noisy['detected low'].lt(0.1) & noisy['detected high'].gt(0.1)).all()
        assert (noisy['AUC'].lt(auc) & noisy['detected'].lt(found)).all()
    assert (ours.loc[INF, 'AUC low'] > 0.5).all()
    assert (attacked.loc['GaussianCopula', 'AUC low'] > 0.5).all()
    assert attacked.loc[('CTGAN', INF, 'adult'), 'AUC low'] > 0.5
    assert controls['AUC'].eq(0.5).all()
    assert attacked.loc['the rows themselves', 'AUC'].gt(0.999).all()


def test_the_page_says_how_long_it_took(script):
    minutes = script.BENCHMARK.read()['seconds'].sum() / 60
    assert f'({minutes:.0f} minutes in all)' in (script.DOCS / 'lab' / 'disclosure.md').read_text(
        'utf-8'
    )


@pytest.mark.parametrize('method', ['the rows themselves', 'rows of others', 'ClustMix'])
def test_synthetic_rows_are_as_many_as_there_are_of_others(script, method):
    """Or their number would tell how many private rows there are."""
    from sdv.metadata import Metadata

    facts = {'size': {'sdtype': 'numerical'}, 'kind': {'sdtype': 'categorical'}}
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': facts}}})
    rows = pd.DataFrame({'size': np.arange(300.0), 'kind': ['u', 'v', 'v'] * 100})
    split = script.Split('t', 'kind', rows, rows[:100], metadata, numeric=False)
    synthetic = script.synthesize(split, method, 5.0, rows)
    assert len(synthetic) == (300 if method == 'the rows themselves' else 100)
    assert list(synthetic) == ['size', 'kind']
