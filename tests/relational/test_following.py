"""The context of rows that follow others."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.relational.following import Given


@pytest.mark.parametrize(('bound', 'followed'), [(None, 0), (1, 0), (2, 1)])
def test_contexts_are_as_frequent_as_rows_are_read(bound, followed):
    """Owners are drawn as often as they have rows; up to ``bound`` of them are read."""
    owned = np.repeat([1, 2, 5], [1000, 2000, 5000])
    given = Given(pd.DataFrame({'owner': owned}), owned)
    read = given.as_read(bound, np.random.default_rng(0), followed)
    assert np.array_equal(read.context['owner'], read.owned)
    times = np.array([1000.0] * 3) * np.clip(np.array([1, 2, 5]) - followed, 0, bound)
    found = np.array([(read.owned == each).mean() for each in (1, 2, 5)])
    assert found == pytest.approx(times / times.sum(), abs=0.03)
