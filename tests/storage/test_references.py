"""Sampled references hold the keys of the parent, to the last digit, in the dtype they had."""

import numpy as np
import pandas as pd
import pytest

from sdv_threea.rows.units.schema import Link
from sdv_threea.storage.references import write_references

LINK = Link('stay', ('site', 'num'), 'ward')

#: Two neighbours that are one float.
LARGE = [2**60, 2**60 + 1]


def write(keys, referred, dtype):
    """Write references to a key of one column, and return the column."""
    child = pd.DataFrame({'los': np.arange(len(referred))}, index=range(3, 3 + len(referred)))
    link = Link('stay', ('num',), 'ward')
    parent = pd.DataFrame({'id': keys})
    write_references(child, link, np.array(referred), parent, ('id',), {'num': dtype})
    return child['num']


@pytest.mark.parametrize('dtype', ['int64', 'Int64', 'UInt64', 'int64[pyarrow]', 'object'])
@pytest.mark.parametrize('stored', ['int64', 'uint64', 'Int64', 'object'])
def test_long_keys_keep_all_digits_and_the_dtype(dtype, stored):
    written = write(pd.Series(LARGE, dtype=stored), [1, 0, 1], pd.Series(dtype=dtype).dtype)

    assert written.tolist() == [LARGE[1], LARGE[0], LARGE[1]]
    assert written.dtype == pd.Series(dtype=dtype).dtype


@pytest.mark.parametrize('dtype', ['Int64', 'int64[pyarrow]', 'object'])
@pytest.mark.parametrize('stored', ['int64', 'uint64', 'int32', 'Int64', 'object'])
def test_so_they_do_where_a_reference_is_missing(dtype, stored):
    keys = LARGE if stored != 'int32' else [5, 6]
    written = write(pd.Series(keys, dtype=stored), [1, -1, 0], pd.Series(dtype=dtype).dtype)

    assert written.isna().tolist() == [False, True, False]
    assert [int(each) for each in written.dropna()] == [keys[1], keys[0]]
    assert written.dtype == pd.Series(dtype=dtype).dtype


@pytest.mark.parametrize('referred', [[1, 0], [1, -1]])
def test_long_keys_are_exact_rather_than_floats(referred):
    written = write(pd.Series(LARGE), referred, np.dtype('float64'))

    assert written.iloc[0] == LARGE[1]
    assert written.dtype.kind == 'i'


def test_parts_of_a_key_are_written_each():
    child = pd.DataFrame({'los': [1.0, 2.0, 3.0]})
    parent = pd.DataFrame({'a': ['x', 'y'], 'b': LARGE})
    dtypes = {'site': np.dtype(object), 'num': pd.Int64Dtype()}
    write_references(child, LINK, np.array([1, -1, 0]), parent, ('a', 'b'), dtypes)

    assert child['site'].dropna().tolist() == ['y', 'x']
    assert child['num'].dropna().tolist() == [LARGE[1], LARGE[0]]
    assert child.isna().sum().tolist() == [0, 1, 1]
