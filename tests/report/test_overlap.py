"""Test rows that were fitted are refused, and rows that are equal by chance are not."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.report.inputs import refuse_fitted

COLUMNS = {
    'key': {'sdtype': 'id'},
    'cost': {'sdtype': 'numerical'},
    'group': {'sdtype': 'categorical'},
}


def make_rows(rng, size=600):
    return pd.DataFrame(
        {
            'key': rng.permutation(size),
            'cost': rng.normal(size=size).round(3),
            'group': rng.choice(['a', 'b'], size),
        }
    )


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize('share', [0.3, 1.0])
def test_fitted_rows_are_found_by_their_content(rng, share):
    """Neither their order, nor their index, nor their keys matter."""
    real = make_rows(rng)
    fitted = real.sample(frac=share, random_state=1).assign(key=0)
    test = pd.concat([fitted, make_rows(rng, 600 - len(fitted))])

    with pytest.raises(ValueError, match=r'\d+% of the test rows .* were fitted'):
        refuse_fitted(real, test, COLUMNS, 'people')


def test_the_training_table_itself_is_refused_even_if_all_rows_are_alike(rng):
    real = pd.DataFrame({'key': range(60), 'cost': 1.0, 'group': ['a', 'b'] * 30})

    with pytest.raises(ValueError, match='were fitted'):
        refuse_fitted(real, real, COLUMNS, 'people')
    refuse_fitted(real, real.head(20), COLUMNS, 'people')


def test_other_rows_pass_however_often_rows_are_equal_by_chance(rng):
    for decimals in (0, 1, 3):
        real, test = (make_rows(rng).round({'cost': decimals}) for _ in range(2))
        refuse_fitted(real, test, COLUMNS, 'people')
