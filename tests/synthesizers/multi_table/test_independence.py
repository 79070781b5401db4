"""A fitted database is a function of the release; progress shows nothing.

What is logged, warned of and printed is compared in ``tests/synthesizers/test_black_box.py``.
"""

import re

import cloudpickle
import pandas as pd
import pytest

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers import multi_table

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


def test_progress_shows_no_times_and_nothing_if_not_asked(tables, make, capfd):
    make('chain', tables, verbose=False).fit(tables)
    assert tuple(capfd.readouterr()) == ('', '')

    make('chain', tables).fit(tables)
    shown = capfd.readouterr().err
    steps = re.findall(r'Release Tables[^%]*?: +(\d+)%', shown)
    assert [*dict.fromkeys(steps)] == ['0', '25', '50', '75', '100'], 'a clock would leave some out'
    assert not re.search(r'\d:\d|/s\b|s/', shown), 'times tell about how many rows there are'


@pytest.fixture
def fit_constant(chain, make_metadata, monkeypatch):
    """Fit a database, the release of another one put in the place of its own."""

    def fit(real, **settings):
        metadata = make_metadata('chain', real)
        for name, table in metadata.tables.items():
            # State private facts, as detection by SDV would.
            low, high = real[name]['amount'].min(), real[name]['amount'].max()
            table.columns['amount'] |= {'range_min': float(low), 'range_max': float(high)}
            table.columns['kind']['range_values'] = sorted(real[name]['kind'].unique())
        synthesizer = ClustMixMultiTableSynthesizer(metadata, **settings)
        with monkeypatch.context() as patch:
            patch.setattr(multi_table, 'release_database', lambda *_, **__: chain._model)
            synthesizer.fit(real)
        return synthesizer

    return fit


@pytest.fixture
def two_databases(make_tables):
    one, other = make_tables('chain'), make_tables('chain', 83, seed=9)
    for rows in other.values():
        rows['amount'] = -3 * rows['amount'] - 1000
        rows['kind'] = rows['kind'].str.upper()
    return one, other


def test_a_fitted_synthesizer_is_a_function_of_the_release(fit_constant, two_databases, compare):
    one, other = (fit_constant(real) for real in two_databases)

    assert compare(one.__dict__, other.__dict__) == []
    for num_rows in (30, 60):
        drawn = [each.sample(num_rows, 'a') for each in (one, other)]
        for name in drawn[0]:
            pd.testing.assert_frame_equal(drawn[0][name], drawn[1][name])
    saved = [cloudpickle.loads(cloudpickle.dumps(each)) for each in (one, other)]
    assert compare(saved[0].__dict__, saved[1].__dict__) == []
