"""The open questions: tables follow their laws, runs resume, the page shows the runs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('questions') as module:
        yield module


@pytest.fixture
def results(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, 'RESULTS', tmp_path / 'questions.csv')
    return script.RESULTS


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


def test_what_is_among_the_results_is_not_run_again(script, results):
    planned = list(script.list_runs(['covariance'], repeats=2))
    for run in (planned[0], planned[-1]):
        script.append(results, script.FIELDS, run | {'score': 0.9, 'real': 0.95})

    assert list(script.list_runs(['covariance'], repeats=2)) == planned[1:-1]


def test_a_run_is_scored_beside_real_rows(script, monkeypatch):
    monkeypatch.setattr('generated.NUM_TRAIN', 2_000)
    run = dict(zip(script.FIELDS, ('covariance', 'full', 'all kept', math.inf, 0), strict=False))

    row = script.measure(run)

    assert 0.85 < row['score'] <= row['real'] + 0.02
    assert row['real'] > 0.93


def test_the_page_shows_medians_and_says_how_many(script, tmp_path, monkeypatch):
    import answers

    monkeypatch.setattr(answers, 'DOCS', tmp_path)
    monkeypatch.setattr(answers, 'write_picture', lambda figure, path: path.name)
    rows = [
        (name, value, method, 1.0, repeat, score, 0.95, 1.0)
        for name, question in script.QUESTIONS.items()
        for value in question.varied
        for method in question.methods
        for repeat, score in enumerate((0.61, 0.62, 0.93))
    ]
    (tmp_path / 'pictures').mkdir()

    answers.write_answers(script.QUESTIONS, pd.DataFrame(rows, columns=script.FIELDS))

    page = (tmp_path / 'questions.md').read_text('utf-8')
    assert 'medians of 3 tables each' in page
    assert '| half kept | 1 | .620 | .620 | .620 |' in page
    assert '| **real data** |  | .950 |' in page
    assert '{' not in page
