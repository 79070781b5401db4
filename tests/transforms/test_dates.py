import pandas as pd
import pytest

from sdv_threea.transforms.dates import DateEncoder

DAYS = pd.Series(pd.to_datetime(['2020-01-31', None, '2021-12-01', '2020-02-29']), name='d')


@pytest.mark.parametrize(
    ('cells', 'datetime_format'),
    [
        (DAYS, None),
        (DAYS.dt.tz_localize('UTC'), None),
        (DAYS.dt.strftime('%d.%m.%Y'), '%d.%m.%Y'),
        (DAYS.dt.strftime('%Y-%m-%d'), None),
        (DAYS.dropna().dt.strftime('%Y%m%d').astype('int64'), '%Y%m%d'),
        (DAYS + pd.Timedelta(seconds=5), None),
    ],
    ids=['dates', 'zone', 'texts', 'ISO 8601', 'numbers', 'seconds'],
)
def test_dates_come_back_as_they_were(cells, datetime_format):
    table = cells.to_frame('d')
    encoder = DateEncoder(datetime_format=datetime_format)
    codes = encoder.fit_transform(table, 'd')
    assert ((codes['d'] == 0) == cells.isna()).all()
    back = encoder.reverse_transform(codes)
    assert back['d'].dtype == table['d'].dtype
    again = encoder.transform(back)
    pd.testing.assert_frame_equal(again, codes)


def test_granularity_and_format_are_facts_of_a_column_of_dates():
    encoder = DateEncoder(datetime_format='%d.%m.%Y')
    encoder.fit(DAYS.dt.strftime('%d.%m.%Y').to_frame(), 'd')
    assert encoder.step == 86_400.0
    assert repr(encoder).endswith("nullable=True, datetime_format='%d.%m.%Y')")
    assert encoder.get_supported_sdtypes() == ['datetime']
