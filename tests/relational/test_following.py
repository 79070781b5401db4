"""The context of rows that follow others."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.relational.following import Given


@pytest.mark.parametrize(('bound', 'followed'), [(None, 0), (1, 0), (2, 1)])
def test_contexts_are_as_frequent_as_rows_are_read(bound, followed):
    """Owners are drawn as often as they have rows; up to ``bound`` of them are read."""
    owned = np.repeat([1, 2, 5], [1000, 2000, 5000])
    chosen = np.arange(len(owned))
    given = Given(pd.DataFrame({'owner': owned}), owned, np.zeros(len(owned)), chosen)
    read = given.as_read(bound, np.random.default_rng(0), followed)
    assert np.array_equal(read.context['owner'], read.owned)
    times = np.array([1000.0] * 3) * np.clip(np.array([1, 2, 5]) - followed, 0, bound)
    found = np.array([(read.owned == each).mean() for each in (1, 2, 5)])
    assert found == pytest.approx(times / times.sum(), abs=0.03)


def test_a_bound_is_one_on_the_rows_of_a_unit_and_not_of_an_owner():
    """A unit has one owner of two rows, or ten of them; two rows of a unit are read."""
    others = np.repeat([0.0, 9.0], [1000, 10_000])
    rows = np.arange(len(others))
    given = Given(pd.DataFrame({'row': rows}), np.full(len(rows), 2), others, rows)
    read = given.as_read(2, np.random.default_rng(0))
    assert given.count_rows().tolist() == [2.0] * 1000 + [20.0] * 10_000
    assert (read.others == 0).mean() == pytest.approx(0.5, abs=0.03)
    assert np.array_equal(read.context['row'], read.chosen)
    assert (given.as_read(None, np.random.default_rng(0)).others == 0).mean() < 0.12
