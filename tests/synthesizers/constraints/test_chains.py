"""A chain of ordered dates keeps the order of all, the range and the relations of each."""

import numpy as np
import pandas as pd
import pytest
from chance import draw_from
from described import describe
from sdv.cag import Inequality

from sdv_threea import ClustMixSynthesizer, pipeline
from sdv_threea.synthesizers import single_table

PATIENTS = 3000
DATES = ['birth', 'admission', 'discharge']
DATE = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
CHAIN = [Inequality(*pair) for pair in zip(DATES, DATES[1:], strict=False)]


def make_stays():
    """Short stays last up to four days, long ones ten or more; the old are over sixty."""
    rng = np.random.default_rng(1)
    ages = rng.gamma(8, 7, PATIENTS).clip(0, 100)
    admission = np.datetime64('2015-01-01') + rng.integers(0, 8 * 365, PATIENTS)
    is_short = rng.random(PATIENTS) < 0.7
    days = np.where(is_short, rng.integers(1, 5, PATIENTS), rng.integers(10, 60, PATIENTS))
    dates = admission - (365.25 * ages).astype(int), admission, admission + days
    kinds = {'kind': np.where(is_short, 'short', 'long'), 'old': np.where(ages > 60, 'yes', 'no')}
    return pd.DataFrame(dict(zip(DATES, map(np.datetime_as_string, dates), strict=True)) | kinds)


@pytest.fixture
def drawn(monkeypatch):
    fixed = {'noise': draw_from(np.random.default_rng(4)), 'rng': np.random.default_rng(2)}
    monkeypatch.setattr(single_table, 'release', lambda *each: pipeline.release(*each, **fixed))
    columns = dict.fromkeys(DATES, DATE) | dict.fromkeys(['kind', 'old'], 'categorical')
    synthesizer = ClustMixSynthesizer(describe(columns), epsilon=8.0)
    synthesizer.add_constraints(CHAIN)
    stays = make_stays()
    synthesizer.fit({'t': stays})
    return stays, synthesizer.sample(PATIENTS)['t']


def test_dates_in_order_keep_their_ranges_and_what_they_say_of_other_columns(drawn):
    stays, rows = drawn
    birth, admission, discharge = (pd.to_datetime(rows[name]) for name in DATES)
    days, years = (discharge - admission).dt.days, (admission - birth).dt.days / 365.25

    assert ((birth <= admission) & (admission <= discharge)).all()
    for name in DATES:
        assert rows[name].between(stays[name].min(), stays[name].max()).mean() > 0.97
    assert ((days >= 7) == (rows['kind'] == 'long')).mean() > 0.9
    assert ((years > 60) == (rows['old'] == 'yes')).mean() > 0.9
