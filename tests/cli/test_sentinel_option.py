"""Sentinels as options of a command."""

import pytest

from sdv_threea.cli.errors import RefusedError
from sdv_threea.cli.saved import _read_sentinels

COLUMNS = {
    'age': {'sdtype': 'numerical'},
    'size': {'sdtype': 'numerical'},
    'until': {'sdtype': 'datetime'},
}


def test_a_sentinel_is_of_its_column_or_of_all_numbers():
    stated = ('age=999', '-9', 'until=9999-12-31')

    assert _read_sentinels(stated, COLUMNS) == {
        'age': [999.0, -9.0], 'size': [-9.0], 'until': ['9999-12-31'],
    }  # fmt: skip


@pytest.mark.parametrize('given', ['age=x', 'nothing=9', 'x'])
def test_what_is_no_sentinel_is_refused(given):
    with pytest.raises(RefusedError, match='--sentinel'):
        _read_sentinels((given,), COLUMNS)
