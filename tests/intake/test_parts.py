"""Parts of a column that pandas or Dask stored differently, cast to one dtype."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from sdv_threea.intake.columns import find_distinct
from sdv_threea.intake.parts import conform

LARGE = 2**53 + 1

INT, FLAG = np.dtype('int64'), np.dtype(bool)


def read(part, dtype):
    codes, listed = find_distinct(pd.Series(conform(part, dtype)))
    return [{-1: None, -2: 'invalid'}.get(code) if code < 0 else listed[code] for code in codes]


@pytest.mark.parametrize(
    ('values', 'dtype', 'others', 'expected'),
    [
        ([1, LARGE], INT, [None, 'x', 0.5, True, 2**70], [1, 2**53]),
        ([0.1, 1e300], np.dtype(float), [None, 'x', 7], [0.1, 1e300]),
        ([True, False], FLAG, [None, 'x', 1], [True, False]),
        (
            [pd.Timestamp('2020-01-05'), pd.Timestamp(1)],
            np.dtype('M8[ns]'),
            [None, 'x', datetime.date(2020, 1, 1)],
            [pd.Timestamp('2020-01-05'), pd.Timestamp(1)],
        ),
        (
            [pd.Timestamp('2020-10-25T01:30', tz='UTC')],
            pd.DatetimeTZDtype('ns', 'Europe/Berlin'),
            [None, 'x'],
            [pd.Timestamp('2020-10-25T01:30', tz='UTC')],
        ),
        (['a', '1'], pd.StringDtype(), [None, 1, True], ['a', '1']),
        ([1, 2], pd.StringDtype(), [None, 'x'], ['1', '2']),
        ([1, True, 'a'], np.dtype(object), [None, 0.5], [1, True, 'a']),
    ],
)
@pytest.mark.parametrize('texts', [False, True])
def test_a_cell_is_the_same_whatever_its_part_is_stored_as(values, dtype, others, expected, texts):
    if texts and dtype == np.dtype(object):
        pytest.skip('Dask makes texts of all of them')
    assert read(pd.Series(values), dtype) == expected
    for other in others:
        part = pd.Series([*values, other], dtype=object)
        if texts:
            # Dask stores objects in this way, part by part.
            part = part.astype('string[pyarrow]')
        assert read(part, dtype)[: len(values)] == expected
        inferred = pd.Series([*values, other])
        if inferred.dtype.kind not in 'fi':
            assert read(inferred, dtype)[: len(values)] == expected


def test_what_is_no_scalar_stays_invalid():
    assert read(pd.Series([1, [2], None], dtype=object), INT) == [1, 'invalid', None]
