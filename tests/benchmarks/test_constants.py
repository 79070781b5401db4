"""The benchmark of the constants moves one of them at a time."""

from __future__ import annotations

import pandas as pd
import pytest

from sdv_threea.constants import Constants
from sdv_threea.settings import Settings

CLIP = Constants().approximate.weight_clip

COLUMNS = ['table', 'constant', 'value', 'epsilon', 'repeat', 'AUC']


@pytest.fixture(scope='module')
def script(load_script):
    with load_script('constants') as module:
        yield module


def test_a_constant_is_moved_and_all_others_stay(script):
    settings = Settings(epsilon=3.0)

    clipping = script.moved(settings, 'approximate.weight_clip', 3.0)
    sharing = script.moved(settings, 'shares.classes', 0.6)
    stepping = script.moved(settings, 'adapt.label_steps', 5.0)

    assert clipping.constants.approximate.weight_clip == 3.0
    assert sharing.shares['classes'] == 0.6
    assert stepping.constants.adapt.label_steps == 5
    assert isinstance(stepping.constants.adapt.label_steps, int)
    assert settings == Settings(epsilon=3.0)
    back = script.moved(clipping, 'approximate.weight_clip', CLIP)
    assert (back, sharing.constants) == (settings, Constants())


def test_what_decides_never_sees_the_test_part(load_script):
    rows = pd.DataFrame({'row': range(1000), 'y': ['a', 'b', 'b', 'b'] * 250})
    with load_script('tables') as tables:
        split = tables.Split('compas', 'y', rows[:700], rows[700:], None, numeric=False)
        cut = tables.hold_out(split)

    assert sorted([*cut.train['row'], *cut.test['row']]) == list(range(700))
    assert (len(cut.train), len(cut.test)) == (490, 210)
    assert (cut.test['y'] == 'a').mean() == pytest.approx(0.25, abs=0.01)


def test_all_constants_are_there_and_tried_below_and_above(script):
    for constant, (low, high) in script.CONSTANTS.items():
        assert low < script.find(constant) < high, constant


def test_changes_are_means_over_tables_of_means_over_repeats(script):
    rows = [
        ('a', script.NONE, 0.0, 1.0, 0, 0.80),
        ('a', script.NONE, 0.0, 1.0, 1, 0.82),
        ('a', 'approximate.weight_clip', 3.0, 1.0, 0, 0.84),
        ('a', 'approximate.weight_clip', 3.0, 1.0, 1, 0.86),
        ('b', script.NONE, 0.0, 1.0, 0, 0.70),
        ('b', script.NONE, 0.0, 1.0, 1, 0.70),
        ('b', 'approximate.weight_clip', 3.0, 1.0, 0, 0.69),
        ('b', 'approximate.weight_clip', 3.0, 1.0, 1, 0.69),
        ('a', script.NONE, 0.0, 8.0, 0, 0.90),
        ('a', 'approximate.weight_clip', 3.0, 8.0, 0, 0.80),
    ]

    page = script.write_changes(pd.DataFrame(rows, columns=COLUMNS)).splitlines()

    assert len(page) == 3
    assert page[-1].startswith(
        f'| `approximate.weight_clip` | {CLIP:g} | 3 '
        '| +0.0150 ± 0.0071, b -0.010, a +0.040 | -0.1000 ± nan, '
    )
