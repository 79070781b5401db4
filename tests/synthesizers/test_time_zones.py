"""Dates in a time zone, from the private table to files and back: the same moments and clocks."""

import datetime

import numpy as np
import pandas as pd
import pyarrow
import pytest
from described import describe
from sdv.sampling import Condition

from sdv_threea import ClustMixSynthesizer

NUM_ROWS = 300
ZONE = 'Europe/Berlin'
TEMPLATE = '%d.%m.%Y %H:%M %z'

#: Minutes around a change of clocks; those of an hour are shown twice.
MOMENTS = pd.Series(pd.date_range('2020-10-24 23:00', periods=NUM_ROWS, freq='min', tz='UTC'))
MOMENTS = MOMENTS.dt.tz_convert(ZONE)

#: No zone of these tests is nearer to another one.
NEAR = pd.Timedelta('30min')

INDIA = datetime.timezone(datetime.timedelta(hours=5, minutes=30))

STORED = {
    'nanoseconds': (MOMENTS, None),
    'seconds': (MOMENTS.astype(f'datetime64[s, {ZONE}]'), None),
    'Arrow': (MOMENTS.astype(pd.ArrowDtype(pyarrow.timestamp('us', ZONE))), None),
    'an offset': (MOMENTS.dt.tz_convert(INDIA), None),
    'texts': (MOMENTS.dt.strftime(TEMPLATE).astype(object), TEMPLATE),
    'texts in UTC': (
        MOMENTS.dt.tz_convert('UTC').dt.strftime('%Y-%m-%dT%H:%MZ'),
        '%Y-%m-%dT%H:%MZ',
    ),
    'objects': (MOMENTS.astype(object), TEMPLATE),
}


def make(template):
    ends = MOMENTS.iloc[[0, -1]].dt.tz_convert('UTC').dt.strftime(template or '%Y-%m-%d %H:%M')
    told = {'sdtype': 'datetime'} | dict(zip(('range_min', 'range_max'), ends, strict=True))
    told |= {'datetime_format': template} if template else {}
    columns = {'day': told, 'x': 'numerical'}
    return ClustMixSynthesizer(describe(columns), epsilon=1e4, public_metadata=True)


def as_moments(dates, template):
    """Read dates in any storage as moments."""
    if template is None:
        return pd.Series(dates).astype('datetime64[us, UTC]')
    return pd.to_datetime(dates, format=template, utc=True).astype('datetime64[us, UTC]')


@pytest.fixture(scope='module', params=STORED)
def stored(request):
    cells, template = STORED[request.param]
    synthesizer = make(template)
    synthesizer.fit({'t': pd.DataFrame({'day': cells, 'x': np.arange(NUM_ROWS) % 7})})
    return synthesizer, cells, template, synthesizer.sample(200)['t']


def test_samples_are_stored_as_the_private_dates_and_are_the_same_moments(stored):
    _, cells, template, sampled = stored

    assert sampled['day'].dtype == cells.dtype
    moments = as_moments(sampled['day'], template)
    assert moments.between(MOMENTS.min(), MOMENTS.max()).all()
    assert abs(moments.mean() - MOMENTS.mean()) < NEAR


def test_files_bring_the_same_moments_back(stored, tmp_path):
    synthesizer, _, template, sampled = stored
    expected = as_moments(sampled['day'], template)
    synthesizer.reset_sampling()
    synthesizer.sample_to_parquet(200, tmp_path / 'parts', show_progress=False)
    synthesizer.reset_sampling()
    synthesizer.sample(200, output_folder_path=str(tmp_path))
    synthesizer.save_release(tmp_path / 'a.release')
    loaded = type(synthesizer).load_release(tmp_path / 'a.release')

    files = pd.read_parquet(tmp_path / 'parts')['day']
    pd.testing.assert_series_equal(as_moments(files, template), expected)
    (file,) = tmp_path.glob('*.csv')
    texts = pd.read_csv(file)['day']
    read = pd.to_datetime(texts, utc=True, format=template or 'ISO8601')
    pd.testing.assert_series_equal(read.astype(expected.dtype), expected)
    pd.testing.assert_frame_equal(loaded.sample(200)['t'], sampled)


def test_a_condition_means_the_moment_that_it_says_or_is_refused(stored):
    """Of a column whose cells tell a zone each, nobody knows that of a date without."""
    synthesizer, cells, template, _ = stored
    dates = as_moments(cells, template)
    clock = getattr(cells.dtype, 'tz', None)
    cell, wanted = cells[30], dates[30]
    asked = [cell, wanted, wanted.tz_convert('Asia/Tokyo')]
    if template and '%z' in template:
        with pytest.raises(ValueError, match="'day' has no time zone.*state it"):
            synthesizer.sample_from_conditions([Condition({'day': wanted.tz_localize(None)})])
    else:
        zone = clock or ('UTC' if template else ZONE)
        asked.append(wanted.tz_convert(zone).tz_localize(None))
    for told in asked:
        rows = synthesizer.sample_from_conditions([Condition({'day': told})])['t']
        assert as_moments(rows['day'], template).tolist() == [wanted]


def test_a_condition_with_a_zone_on_a_column_without_is_refused():
    synthesizer = make(None)
    clocks = MOMENTS.dt.tz_convert('UTC').dt.tz_localize(None)
    synthesizer.fit({'t': pd.DataFrame({'day': clocks, 'x': range(NUM_ROWS)})})
    with pytest.raises(ValueError, match="'day' has a time zone.*leave it out"):
        synthesizer.sample_from_conditions([Condition({'day': MOMENTS[30]})])
