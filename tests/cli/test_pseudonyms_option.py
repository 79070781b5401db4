"""Columns with pseudonyms as options of a command."""

import pytest

from sdv_threea.cli.refusals import RefusedError
from sdv_threea.cli.saved import _read_pseudonyms

TABLES = {
    'visits': {'columns': {'doctor': {'sdtype': 'name'}, 'nurse': {'sdtype': 'name'}}},
    'wards': {'columns': {'head': {'sdtype': 'name'}}},
}


def test_a_column_may_have_a_number_or_a_word():
    stated = ('visits.doctor=300', 'visits.nurse', 'wards.head=doctor')

    assert _read_pseudonyms(stated, TABLES) == {
        'visits': {'doctor': 300, 'nurse': None}, 'wards': {'head': 'doctor'},
    }  # fmt: skip


def test_an_unknown_column_is_refused():
    with pytest.raises(RefusedError, match='--pseudonyms'):
        _read_pseudonyms(('visits.nobody',), TABLES)
