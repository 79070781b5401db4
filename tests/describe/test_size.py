import numpy as np
import pandas as pd
import pytest

from sdv_threea.describe.size import release_size
from sdv_threea.rows.chunks import chunk_table


def test_the_number_of_records_is_released_with_noise(gaussian):
    rows = chunk_table(pd.DataFrame({'x': np.zeros(5000)}), chunk_rows=700)
    (size, scale), receipt = release_size(rows, mu=0.1, neighbors='add_remove', noise=gaussian)

    assert abs(size - 5000) < 60
    assert size != 5000
    assert receipt.noise_scale == scale == pytest.approx(10, rel=1e-3)
    assert (receipt.sensitivity, receipt.mu, receipt.released) == (1.0, 0.1, 'number of records')


def test_a_table_without_rows_has_none(silence):
    rows = chunk_table(pd.DataFrame({'x': []}))
    assert release_size(rows, mu=1.0, neighbors='add_remove', noise=silence)[0][0] == 0.0
