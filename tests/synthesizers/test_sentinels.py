"""Numbers that stand for something else, found or stated, and times of day."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest
from described import describe
from sdv.errors import SynthesizerInputError

from sdv_threea import ClustMixSynthesizer

COLUMNS = {
    'age': {'sdtype': 'numerical', 'range_min': 18, 'range_max': 90},
    'answer': {'sdtype': 'numerical'},
    'until': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
    'clock': {'sdtype': 'datetime', 'datetime_format': '%H:%M:%S'},
    'kind': {'sdtype': 'categorical'},
}
METADATA = describe(COLUMNS)
STATED = {'age': [-1], 'until': ['9999-12-31']}


@pytest.fixture(scope='module')
def fitted():
    rng, size = np.random.default_rng(1), 3000
    days = np.datetime64('2020-01-01') + rng.integers(0, 700, size).astype('timedelta64[D]')
    table = pd.DataFrame(
        {
            'age': np.where(rng.random(size) < 0.05, -1, rng.integers(18, 90, size)),
            'answer': rng.choice([1, 2, 3, 4, 5, -9], size, p=[0.1, 0.2, 0.3, 0.2, 0.1, 0.1]),
            'until': np.where(rng.random(size) < 0.3, '9999-12-31', days.astype(str)),
            'clock': pd.Series([datetime.time(hour % 24) for hour in range(size)], dtype=object),
            'kind': rng.choice(['a', 'b'], size),
        }
    )
    synthesizer = ClustMixSynthesizer(METADATA, epsilon=8.0, sentinels=STATED, public_metadata=True)
    synthesizer.fit({'t': table})
    return synthesizer, synthesizer.sample(2000)['t']


def test_sentinels_come_back_as_often_and_nothing_lies_between(fitted):
    _, rows = fitted

    assert np.mean(rows['age'] == -1) == pytest.approx(0.05, abs=0.03)
    assert np.mean(rows['answer'] == -9) == pytest.approx(0.1, abs=0.04)
    assert np.mean(rows['until'] == '9999-12-31') == pytest.approx(0.3, abs=0.07)
    assert rows['age'][rows['age'] != -1].between(18, 90).all()
    assert rows['answer'][rows['answer'] != -9].between(1, 5).all()
    assert rows['until'][rows['until'] != '9999-12-31'].between('2019-06', '2022-06').all()


@pytest.mark.parametrize(
    'sentinels', [{'kind': [1]}, {'age': ['x']}, {'until': ['yesterday']}, [True, {}], 999, ['x']]
)
def test_sentinels_that_no_column_can_have_are_refused(sentinels):
    with pytest.raises(SynthesizerInputError, match='sentinels'):
        ClustMixSynthesizer(METADATA, sentinels=sentinels)


def test_sentinels_of_all_columns_go_to_those_of_their_kind():
    synthesizer = ClustMixSynthesizer(METADATA, sentinels=[999, '2999-12-31'])
    domain = synthesizer.preprocessor.describe()

    assert domain['age'].sentinels == domain['answer'].sentinels == (999.0,)
    assert domain['until'].sentinels[0] > 3e10


@pytest.mark.parametrize('epsilon', [8.0, math.inf])
def test_times_of_day_keep_to_their_hours(fixed, epsilon):
    """Opening hours are a range like any other: no one is served at night."""
    minutes = np.random.default_rng(1).integers(8 * 60, 18 * 60, 3000)
    times = [datetime.time(*divmod(each, 60)) for each in minutes.tolist()]
    synthesizer = ClustMixSynthesizer(describe({'clock': COLUMNS['clock']}), epsilon=epsilon)
    synthesizer.fit({'t': pd.DataFrame({'clock': pd.Series(times, dtype=object)})})
    rows = synthesizer.sample(4000)['t'].clock

    assert np.mean((rows < '08:00') | (rows >= '18:00')) < 0.005
    assert rows.min() < '08:30'
    assert rows.max() > '17:30'
