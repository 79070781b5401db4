from __future__ import annotations

import pytest

from sdv_threea import ClustMixSynthesizer
from sdv_threea.stages import STAGES
from sdv_threea.synthesizers.progress import show_stages

NAME = 'people'


def fit(metadata, table, **settings):
    ClustMixSynthesizer(metadata, epsilon=5.0, **settings).fit({NAME: table})


def test_a_fit_says_nothing_by_default(small_metadata, small_table, capfd):
    fit(small_metadata, small_table)
    assert tuple(capfd.readouterr()) == ('', '')


def test_a_verbose_fit_names_its_stages_in_order(small_metadata, small_table, capfd):
    fit(small_metadata, small_table, verbose=True)
    out, shown = capfd.readouterr()
    assert out == ''
    places = [shown.index(f'({stage})') for stage in STAGES]
    assert places == sorted(places)
    assert shown.rstrip().endswith(f'| {len(STAGES)}/{len(STAGES)}')
    assert '100%' in shown


def test_what_is_shown_does_not_depend_on_the_rows(small_metadata, small_table, capfd):
    """Neither their number, nor how long they take."""
    shown = []
    for rows in (small_table, small_table.head(100)):
        fit(small_metadata, rows, verbose=True)
        shown.append(capfd.readouterr().err)
    assert shown[0] == shown[1]


def test_a_stage_that_fails_stays_the_last_one_shown(capfd):
    with pytest.raises(ValueError, match='oops'), show_stages(shown=True) as begin:
        begin('approximate')
        raise ValueError('oops')
    shown = capfd.readouterr().err
    assert '(approximate)' in shown
    assert '100%' not in shown
