"""The privacy curve: scores by epsilon, rows kept aside, warnings and errors."""

import math

import numpy as np
import pandas as pd
import pytest
from described import describe

from sdv_threea import ClustMixSynthesizer
from sdv_threea.report import privacy_curve

COLUMNS = {
    'key': {'sdtype': 'id'},
    'number': {'sdtype': 'numerical'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    'label': {'sdtype': 'categorical'},
}
METADATA = describe(COLUMNS, primary_key='key')


def make_table(num_rows):
    rng = np.random.default_rng(3)
    days = rng.integers(0, 700, num_rows)
    number = np.arange(num_rows) / num_rows
    start = pd.Timestamp('2021-01-01')
    return pd.DataFrame(
        {
            'key': [f'k{at}' for at in range(num_rows)],
            'number': rng.permutation(number),
            'day': (start + pd.to_timedelta(days, unit='D')).strftime('%d/%m/%Y'),
            'label': np.where(days > 350, 'late', 'early'),
        }
    )


class Copyist:
    """A synthesizer whose samples are the rows that it was fitted on; it keeps them for tests."""

    def __init__(self, epsilon, fitted):
        self.epsilon, self.fitted = epsilon, fitted

    def get_metadata(self):
        return METADATA

    def fit(self, data):
        self.fitted.append((self.epsilon, data['t']))

    def sample(self, num_rows):
        return {'t': self.fitted[-1][1].head(num_rows)}


def draw_curve(table, fitted, **options):
    options = {'origin': 'made up', 'verbose': False, 'epsilons': [math.inf, 1]} | options
    return privacy_curve(table, lambda epsilon: Copyist(epsilon, fitted), 'label', **options)


@pytest.mark.parametrize('origin', ['private', '', None, True])
def test_a_private_table_is_refused_before_anything_is_fitted(origin):
    with pytest.raises(ValueError, match='origin must be one of .* every fit would be a release'):
        privacy_curve(make_table(50), pytest.fail, 'label', origin=origin)


def test_rows_that_are_tested_on_are_never_fitted(monkeypatch):
    tests = []
    score = 'sdv_threea.report.epsilons.train_synthetic_test_real'

    def look(real, synthetic, test, target):
        tests.append(set(test['number']))
        assert 'key' not in real
        return pd.DataFrame({'AUC': [0.5, 0.5], 'note': ''}, index=['real', 'synthetic'])

    monkeypatch.setattr(score, look)
    fitted, table = [], make_table(200)
    draw_curve(table, fitted, repeats=3)

    assert len(fitted) == len(tests) == 6
    for (_, rows), kept_aside in zip(fitted, tests, strict=True):
        assert len(kept_aside) == 60
        assert set(rows['number']) == set(table['number']) - kept_aside
    assert len({frozenset(each) for each in tests}) == 3, 'each repeat keeps others aside'


@pytest.mark.filterwarnings('ignore:No value of the columns')
def test_a_curve_is_measured_and_drawn():
    table = make_table(800)
    curve = privacy_curve(
        table,
        lambda epsilon: ClustMixSynthesizer(
            METADATA, epsilon=epsilon, target_column='label', accept='noise'
        ),
        'label',
        origin='made up',
        epsilons=(0.01, math.inf),
        num_rows=1000,
        repeats=2,
        verbose=False,
    )
    scores = curve.scores
    assert list(scores.columns) == ['epsilon', 'repeat', 'synthetic', 'real', 'note']
    assert list(zip(scores['epsilon'], scores['repeat'], strict=True)) == [
        (0.01, 0), (math.inf, 0), (0.01, 1), (math.inf, 1),
    ]  # fmt: skip
    median = scores.groupby('epsilon')['synthetic'].median()
    assert median[math.inf] > 0.9
    assert median[0.01] == 0.5, 'at such noise no target is released'
    assert set(scores['note']) == {'', 'no row with a target'}
    assert str(curve).count('At epsilon 0.01: no row with a target.') == 1

    dots, line = curve.figure().data
    assert list(dots.y) == list(scores['synthetic'])
    assert list(line.y) == list(median)
    assert list(curve.figure().layout.xaxis.ticktext) == ['0.01', 'no noise']
    rows = [line.split() for line in str(curve).splitlines()]
    (noiseless,) = (row for row in rows if row[:2] == ['no', 'noise'])
    assert noiseless[3] == f'{median[math.inf]:.3f}'


@pytest.mark.parametrize(
    ('wrong', 'named'),
    [({'epsilons': []}, 'epsilons'), ({'epsilons': [0]}, 'epsilons'), ({'repeats': 0}, 'repeats'),
     ({'num_rows': 0}, 'num_rows')],
)  # fmt: skip
def test_errors_name_the_argument(wrong, named):
    with pytest.raises(ValueError, match=named):
        draw_curve(make_table(50), [], **wrong)
