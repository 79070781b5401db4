"""Models trained on synthetic rows: scores, tasks, odd training tables, errors."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.utility import train_synthetic_test_real


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
def rng():
    return np.random.default_rng(20)


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


def test_shuffled_labels_score_at_chance(tables, rng):
    real, synthetic, test = tables
    synthetic['label'] = rng.permutation(synthetic['label'])

    scores = train_synthetic_test_real(real, synthetic, test, 'label')

    assert abs(scores.loc['synthetic', 'AUC'] - 0.5) < 0.2
    assert scores.loc['real', 'AUC'] > 0.97


def test_nothing_but_the_scores_depends_on_the_test_part(tables):
    real, synthetic, test = tables
    alone = pd.concat(
        [train_synthetic_test_real(real, synthetic, test.iloc[[row]], 'label') for row in range(5)]
    )
    together = train_synthetic_test_real(real, synthetic, test.iloc[:5], 'label')

    # The models do not depend on the rows that they are tested on, so their hits add up.
    for name in ('real', 'synthetic'):
        assert alone.loc[name, 'accuracy'].mean() == pytest.approx(together.loc[name, 'accuracy'])


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
