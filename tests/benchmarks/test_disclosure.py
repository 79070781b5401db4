"""The page on disclosure shows what is in its CSV, and the limits that it shows are right."""

import math

import numpy as np
import pytest
from scripts import script_fixture

INF = math.inf


script = script_fixture('disclosure')


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
