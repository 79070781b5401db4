"""Models trained on synthetic rows: scores, tasks, odd training tables, errors."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import auc, average_precision_score, roc_auc_score

from sdv_threea.report.utility import (
    CALIBRATION,
    PRECISION,
    ROC,
    slope_of_classes,
    slope_of_numbers,
    trace_classes,
    train_synthetic_test_real,
)


def make_table(rng, num_rows=600, num_classes=2):
    """Make a target that depends on one number and one category, and a column of noise."""
    signal = rng.normal(size=num_rows)
    group = rng.choice(['north', 'south'], size=num_rows)
    position = signal + 0.8 * (group == 'south')
    cuts = np.quantile(position, np.linspace(0, 1, num_classes + 1)[1:-1] ** 0.5)
    labels = np.array(['low', 'mid', 'high'][:num_classes])[np.searchsorted(cuts, position)]
    return pd.DataFrame(
        {'signal': signal, 'group': group, 'noise': rng.normal(size=num_rows), 'label': labels}
    )


@pytest.fixture
def tables(rng):
    return make_table(rng), make_table(rng), make_table(rng)


def test_a_faithful_table_scores_like_the_real_one(tables):
    scores = train_synthetic_test_real(*tables, 'label')

    assert list(scores.index) == ['real', 'synthetic']
    assert list(scores.columns) == ['AUC', 'average precision', 'accuracy', 'note']
    assert scores['AUC'].min() > 0.97
    assert scores.loc['real', 'AUC'] == pytest.approx(scores.loc['synthetic', 'AUC'], abs=0.02)
    assert set(scores['note']) == {''}


def test_numbers_are_regressed_unless_they_are_few_or_the_task_says_else(tables):
    real, synthetic, test = (table.rename(columns={'label': 'g'}) for table in tables)
    for table in (real, synthetic, test):
        table['y'] = 3 * table['signal'] + (table['group'] == 'south')
        table['few'] = (table['signal'] > 0).astype(int)

    numbers = train_synthetic_test_real(real, synthetic, test, 'y')
    assert list(numbers.columns) == ['R2', 'RMSE', 'note']
    assert numbers['R2'].min() > 0.9
    residual = numbers['RMSE'] / test['y'].std(ddof=0)
    np.testing.assert_allclose(1 - residual**2, numbers['R2'].astype(float))

    assert 'AUC' in train_synthetic_test_real(real, synthetic, test, 'few')
    assert 'R2' in train_synthetic_test_real(real, synthetic, test, 'few', task='regression')


def test_any_column_type_and_column_name_is_usable(tables):
    real, synthetic, test = tables
    for table in (real, synthetic, test):
        table['a [b], "c"'] = pd.Timestamp('2020-02-01') + pd.to_timedelta(
            table['signal'], unit='D'
        )
        table['flag'] = (table['signal'] > 0).astype('boolean')
        table['whole'] = table['signal'].round().astype('Int64').where(table['noise'] > -1)
        table.loc[table['noise'] > 1, ['group', 'a [b], "c"', 'flag']] = None
    test.loc[test.index[:9], 'group'] = 'a level nobody trained on'
    informative = ['a [b], "c"', 'flag', 'whole', 'group', 'label']

    scores = train_synthetic_test_real(
        real[informative], synthetic[informative[::-1]], test[informative], 'label'
    )

    assert scores['AUC'].min() > 0.9


def area(curves, name):
    points = curves[curves['curve'] == name]
    return auc(points['x'], points['y'])


def guess(rng, num_classes, size=3000):
    """Draw labels, and probabilities that depend on them."""
    labels = rng.integers(0, num_classes, size)
    scores = rng.gamma(1 + 2 * (labels[:, None] == np.arange(num_classes)))
    return labels, scores / scores.sum(axis=1, keepdims=True)


def test_the_areas_under_the_curves_are_the_scores(rng):
    labels, probabilities = guess(rng, 2)
    curves = trace_classes(labels, probabilities, [1])

    expected = roc_auc_score(labels, probabilities[:, 1])
    precision = average_precision_score(labels, probabilities[:, 1])
    assert 0.9 < expected < 0.99
    assert area(curves, ROC) == pytest.approx(expected, abs=0.005)
    assert area(curves, PRECISION) == pytest.approx(precision, abs=0.005)


def test_the_slope_is_the_factor_that_makes_predictions_as_sure_as_the_rows_are(rng):
    odds = rng.normal(size=20_000)
    labels = (rng.random(odds.size) < 1 / (1 + np.exp(-odds))).astype(int)
    sure = 1 / (1 + np.exp(-2 * odds))
    predicted = np.column_stack([1 - sure, sure])

    assert slope_of_classes(labels, predicted, [1]) == pytest.approx(0.5, abs=0.06)
    assert slope_of_classes(labels, predicted, [0, 1]) == pytest.approx(0.5, abs=0.06)
    assert np.isnan(slope_of_classes(np.zeros_like(labels), predicted, [1]))
    assert slope_of_numbers(odds, 4 * odds) == pytest.approx(0.25)
    curve = trace_classes(labels, predicted, [1])
    low, high = curve.loc[curve['curve'] == CALIBRATION, ['x', 'y']].to_numpy()[[0, -1]]
    assert low[0] < low[1] and high[1] < high[0]
