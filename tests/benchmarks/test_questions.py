"""The open questions: tables follow their laws, runs resume, the page shows the runs."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('questions') as module:
        yield module


def draw(law, num_rows=40_000):
    return law(num_rows, np.random.default_rng(1))


@pytest.mark.parametrize('separation', [0.0, 6.0])
def test_centres_lie_as_far_from_zero_as_said(script, separation):
    rows, labels = draw(script.clusters(separation))

    rows[:, 0] -= labels

    expected = separation**2 + rows.shape[1]
    assert np.square(rows).sum(axis=1).mean() == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize('width', [2, 50])
def test_classes_are_two_deviations_apart_whatever_the_number_of_columns(script, width):
    rows, labels = draw(script.columns(width))

    apart = rows[labels == 1].mean(axis=0) - rows[labels == 0].mean(axis=0)

    assert apart.sum() / math.sqrt(width) == pytest.approx(2, abs=0.06)


@pytest.mark.parametrize(
    ('kind', 'variances', 'correlations'),
    [
        ('isotropic', [(1, 1), (2.25, 2.25)], (0, 0)),
        ('diagonal', [(2.25, 1), (1, 2.25)], (0, 0)),
        ('full', [(1, 1), (1, 1)], (0.6, -0.6)),
    ],
)
def test_classes_differ_in_covariance_as_said(script, kind, variances, correlations):
    rows, labels = draw(script.covariance(kind))

    for label in (0, 1):
        found = np.cov(rows[labels == label][:, :2].T)
        assert np.diag(found) == pytest.approx(variances[label], rel=0.06)
        assert found[0, 1] == pytest.approx(correlations[label], abs=0.06)


def test_products_are_uncorrelated_with_every_column(script):
    rows, targets = draw(script.regression('products'))
    _, sums = draw(script.regression('linear'))

    assert np.abs(np.corrcoef(rows.T, targets)[-1, :-1]).max() < 0.03
    assert np.corrcoef(rows.sum(axis=1), sums)[0, 1] == pytest.approx(1 / math.hypot(1, 0.3), 0.01)


def test_a_run_is_scored_beside_real_rows(script):
    options = SimpleNamespace(rows=2_000)
    job = {'question': 'covariance', 'value': 'full', 'method': 'all kept'}

    row = script.measure(job | {'epsilon': math.inf, 'repeat': 0}, options)

    assert 0.85 < row['score'] <= row['real'] + 0.02
    assert row['real'] > 0.93


def test_medians_are_looked_up_by_value(script):
    question = script.QUESTIONS['covariance']
    rows = [
        {'value': value, 'method': 'half kept', 'epsilon': 1.0, 'score': score, 'real': 0.95}
        for score in (0.61, 0.62, 0.93)
        for value in question.varied
    ]
    page = script.write_medians(question, pd.DataFrame(rows))
    assert '| half kept | 1 | .620 | .620 | .620 |' in page
    assert '| **real data** |  | .950 |' in page
