"""Numbers of rows and batches; more in ``tests/conformance``, beside SDV's own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_threea import ClustMixSynthesizer

NAME = 'people'


@pytest.fixture(scope='module')
def fitted(build_metadata):
    columns = {'age': {'sdtype': 'numerical'}, 'city': {'sdtype': 'categorical'}}
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {'age': rng.integers(18, 90, 300), 'city': rng.choice(['Bern', 'Chur'], 300)}
    )
    synthesizer = ClustMixSynthesizer(build_metadata(columns), epsilon=5.0)
    synthesizer.fit({NAME: table})
    return synthesizer


def test_no_rows_have_columns_and_dtypes(fitted):
    empty, row = fitted.sample(0)[NAME], fitted.sample(1)[NAME]

    assert empty.shape == (0, 2)
    assert empty.dtypes.to_dict() == row.dtypes.to_dict()


@pytest.mark.parametrize('num_rows', [np.int64(3), np.uint8(3), 3])
def test_any_whole_number_is_a_number_of_rows(fitted, num_rows):
    assert len(fitted.sample(num_rows)[NAME]) == 3


@pytest.mark.parametrize('num_rows', [-1, 3.0, float('nan'), '3'])
def test_anything_else_is_not(fitted, num_rows):
    with pytest.raises(ValueError, match='num_rows must be a whole number of at least 0'):
        fitted.sample(num_rows)


@pytest.mark.parametrize('batch_size', [1, 4, 5, 10, 11, None])
def test_batches_of_any_size_add_up(count_draws, fitted, batch_size):
    assert len(fitted.sample(10, batch_size=batch_size)[NAME]) == 10
    assert sum(count_draws) == 10
    assert max(count_draws) <= (batch_size or 10)
