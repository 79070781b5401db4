"""A fitted synthesizer is a function of the release; log and warnings show nothing."""

import logging
import re
import warnings

import cloudpickle
import pandas as pd
import pytest

from sdv_threea import ClustMixMultiTableSynthesizer
from sdv_threea.synthesizers import multi_table

pytestmark = pytest.mark.filterwarnings('ignore:The metadata lists columns in a different order')


def test_the_log_has_no_row_counts(tables, caplog, make, monkeypatch):
    caplog.set_level(logging.INFO)
    for name in ('MultiTableSynthesizer', 'SingleTableSynthesizer'):
        monkeypatch.setattr(logging.getLogger(name), 'handlers', [caplog.handler])
    make('chain', tables).fit(tables)

    events = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    assert {'Fit', 'Fit processed data'} <= {event['EVENT'] for event in events}
    real = {len(rows) for rows in tables.values()} | {sum(map(len, tables.values()))}
    for event in events:
        assert not real & {value for value in event.values() if isinstance(value, int)}


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


def test_no_warning_shows_a_value(tables, make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        make('chain', tables).fit(tables)
    keys = {str(key) for rows in tables.values() for key in rows['pk'] if key > 100}
    for each in caught:
        assert not keys & set(str(each.message).split())
